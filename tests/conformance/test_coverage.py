"""Play goes on until every kind of command, event and refusal has been seen."""

from __future__ import annotations

import pytest

from referee.core.game import Game
from referee.core.rules import Rules
from tests.conformance.coverage import Run, everything

SHORT = 150
"""So many trials at most: a match of nine moves leaves the table little time."""
FEW = 4
LONG = 4000
"""So many trials at most; giro-galoppo's room for obstacles runs out once in a thousand or two."""


def own(rules: Rules) -> set[str]:
    """The game's commands and events."""
    kinds = [of.command for of in rules.game.commands]
    commands = {f"command {kind.__struct_config__.tag}" for kind in kinds}
    return commands | {f"event {kind.__struct_config__.tag}" for kind in rules.game.events}


def test_a_short_run_sees_every_command_and_event_of_the_game(rules: Rules) -> None:
    """And nearly everything of the table, and nearly every ruling."""
    run = Run(rules)
    for number in range(SHORT):
        # Many trials are for what seldom happens; few show nearly all that is refused.
        run.play(number, refusals=number < FEW or bool(missed(rules, run) - own(rules)))
        if number > FEW and not missed(rules, run):
            break
    assert not missed(rules, run), run.missing


def missed(rules: Rules, run: Run) -> set[str]:
    """What of the game has not been seen; all that has not, where that is a third of everything."""
    missing = set(run.missing)
    return own(rules) & missing if len(missing) < len(everything(rules)) / 3 else missing


@pytest.mark.long
@pytest.mark.timeout(3000)
def test_a_long_run_sees_everything(rules: Rules) -> None:
    """Every command, event and refusing ruling of the game and the table."""
    run, none = Run(rules), cannot_be(rules.game)
    for number in range(LONG):
        if set(run.missing) <= none:
            break
        run.play(number)
    assert set(run.missing) <= none, f"{rules.game.ruleset}: not seen in {LONG} trials"


def cannot_be(game: Game) -> set[str]:
    """What a game has no case of."""
    none: set[str] = set()
    if max(game.players) == 2:  # once one has left the match is over
        none |= {"ruling withdrawn", "ruling takeback-withdrawal"}
    if not any(event.draws or event.reveals for event in game.events.values()):
        none |= {"ruling takeback-reveals", "ruling takeback-stale"}
    if len({of.phases for of in game.commands}) == 1:
        none.add("ruling wrong-phase")
    return none
