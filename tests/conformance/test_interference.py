"""Non-interference: what a viewer may not know changes nothing that the viewer gets.

Two constructions, both for any game. A state is *scrambled*: whatever is hidden from a viewer
is something else. And *twins* are played in lockstep from a state and its scrambled twin: the
viewer's own commands are the same, the others may choose differently as long as the viewer is
told and shown the same. Then every byte for the viewer must be the same: its view (all but the
head, which is a digest of everything), its legal commands, its refusals, and every step of the
code that makes them: nothing takes longer for what is hidden. And where the same command tells the
viewer different things, it told something new, and the players must not be able to take it back.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from functools import partial

import msgspec
import pytest
from msgspec.structs import replace

from referee.core.game import Asker, Command
from referee.core.judging import Malformed, NotAllowed
from referee.core.match import Match
from referee.core.randomness import Chance
from referee.core.rules import Decided, Rules
from referee.core.ruling import Refusal
from referee.core.table.events import DrawOffered
from referee.core.told import drawn
from referee.core.views import view_of
from referee.core.visibility import SPECTATOR, Viewer, events_seen, seat_viewer
from referee.selfplay import Setup, Trial, chance_of, seed_of
from tests.conformance import sweep
from tests.conformance.matches import (
    all_played,
    asker_of,
    numbers_of_seats,
    setup_of,
    some_of,
    viewers,
)
from tests.conformance.scramble import renamed, scrambled
from tests.steps import steps_of

CANDIDATES = 12

SALT = bytes(12)


def everything_for(
    rules: Rules, match: Match, viewer: Viewer, commands: tuple[Command, ...], at: int
) -> dict[str, bytes]:
    """All that the service could answer to this viewer, as bytes; the head left out."""
    asked = questions(rules, match, viewer, commands, at)
    answers = {what: answer() for what, answer in asked.items()}
    view = msgspec.json.decode(answers["view"])
    return answers | {"text": drawn.text(rules.game, view).encode()}


def questions(
    rules: Rules, match: Match, viewer: Viewer, commands: tuple[Command, ...], at: int
) -> dict[str, Callable[[], bytes]]:
    """What makes each of these answers."""
    by, encode = asker_of(viewer, at), msgspec.json.encode
    return {
        "view": lambda: encode(replace(view_of(rules, match, viewer), head="")),
        "legal": lambda: encode(rules.legal(match, by)),
        "deadline": lambda: encode(rules.deadline(match)),
        "overdue": lambda: encode(rules.overdue(match, at)),
        "to_act": lambda: encode(() if match.over else rules.game.to_act(match.state)),
        **{
            f"check {number}": partial(_checked, rules, match, by, command)
            for number, command in enumerate(commands)
        },
    }


def _checked(rules: Rules, match: Match, by: Asker, command: Command) -> bytes:
    try:
        rules.judge(match, by, command)
    except Refusal as refusal:
        return f"{refusal.ruling}: {refusal.detail}".encode()
    except (Malformed, NotAllowed) as error:
        return repr(error).encode()
    return b"legal"


def test_a_scrambled_state_gives_the_viewer_the_same_bytes(rules: Rules) -> None:
    """View, legal list, refusals and pictures of every viewer, all along every match."""
    pick, changed = chance_of("scramble", rules.game.id), 0
    for one in all_played(rules):
        for match in some_of(one.steps, 4):
            commands = sweep.sample(rules, pick, CANDIDATES)
            for viewer in viewers(match)[1:]:
                change = (scrambled, renamed)[pick.below(2)]
                state = change(match.state, viewer, pick, finished=match.over)
                twin = msgspec.structs.replace(match, state=state)
                changed += state != match.state
                at = match.at + pick.below(3000)
                ours = everything_for(rules, match, viewer, commands, at)
                theirs = everything_for(rules, twin, viewer, commands, at)
                for what, answer in ours.items():
                    assert answer == theirs[what], (str(one), match.version, viewer, what)
    if _hides_anything(rules):
        assert changed > 10, f"only {changed} hidden states differed: play longer samples"


def _hides_anything(rules: Rules) -> bool:
    """Whether any view of this game's states hides more than the seed."""
    one = all_played(rules)[0]
    return any(
        b"null" in msgspec.json.encode(view_of(rules, match, SPECTATOR).state)
        and scrambled(match.state, SPECTATOR, chance_of(n)) != match.state
        for n, match in enumerate(some_of(one.steps, 20))
    )


def test_the_organizers_scrambled_state_is_the_state(rules: Rules) -> None:
    """Nothing is hidden from the organizer, so that nothing changes places."""
    for one in all_played(rules)[:3]:
        for match in some_of(one.steps, 5):
            assert scrambled(match.state, viewers(match)[0], chance_of(1)) == match.state


# ── twins ─────────────────────────────────────────────────────────────────────────────────────────


class Parted(Exception):
    """The viewer has learnt what tells the twins apart, or the twins cannot go on alike."""


class Twins:
    """Two matches that one viewer cannot tell apart, played in lockstep."""

    def __init__(self, rules: Rules, setup: Setup, viewer: Viewer, pick: Chance) -> None:
        self.rules, self.viewer, self.pick = rules, viewer, pick
        self.trial = Trial(rules, setup, pick)
        self.ours = self.trial.match
        self.theirs = self.ours
        self.tally: Counter[str] = Counter()

    def part(self) -> None:
        """Let what is hidden be something else in the twin."""
        state = renamed(self.theirs.state, self.viewer, self.pick, finished=self.theirs.over)
        self.theirs = msgspec.structs.replace(self.theirs, state=state)

    def go_on(self) -> None:
        """A command in each; raises `Parted` where the viewer is told different things."""
        self.trial.now += 1 + self.pick.below(900)
        due = self.rules.deadline(self.ours)
        if due is not None and due <= self.trial.now:
            self.trial.now = max(due, self.ours.at)
            command = self.rules.overdue(self.ours, self.trial.now)
            assert command is not None
            self._both(Asker("service", None, self.trial.now), command, command)
            return
        by, command = self._move(due)
        theirs = command
        if by.seat != self.viewer.seat:
            theirs = self._alternative(by, command)
        self._both(by, command, theirs)

    def _move(self, due: int | None) -> tuple[Asker, Command]:
        sample = self.rules.game.sample
        if self.ours.owed:
            seats: tuple[int, ...] = (self.pick.one_of(self.ours.owed),)
        else:
            seats = self.pick.shuffle(self.ours.still_in)
        for seat in seats:
            by = Asker("seat", seat, self.trial.now)
            command = sample(self.ours.state, by, self.pick) if sample else None
            listed = self.rules.legal(self.ours, by).commands
            if command is None and listed and self.ours.owed:
                command = self.pick.one_of(listed)
            if command is not None:
                return by, command
        if due is None:
            raise Parted
        self.trial.now = max(due, self.ours.at)
        command = self.rules.overdue(self.ours, self.trial.now)
        assert command is not None
        return Asker("service", None, self.trial.now), command

    def _alternative(self, by: Asker, command: Command) -> Command:
        """Another command of the same seat that the viewer cannot tell from this one, if any."""
        ours = self.rules.decide(self.ours, by, command, salt=SALT)
        listed = self.rules.legal(self.theirs, by).commands
        for other in self.pick.shuffle(listed)[:8]:
            theirs = self.rules.decide(self.theirs, by, other, salt=SALT)
            if other != command and self._alike(ours, theirs):
                self.tally["other choices"] += 1
                return other
        return command

    def _both(self, by: Asker, ours: Command, theirs: Command) -> None:
        one = self.rules.decide(self.ours, by, ours, salt=SALT)
        other = self._theirs(by, theirs)
        if ours == theirs and self._told(one) != self._told(other):
            self._check_that_it_counts_as_told(one)
            self._check_that_it_counts_as_told(other)
        if not self._alike(one, other):
            raise Parted
        self.ours, self.theirs = one.match, other.match
        self.tally["steps"] += 1

    def _theirs(self, by: Asker, command: Command) -> Decided:
        try:
            return self.rules.decide(self.theirs, by, command, salt=SALT)
        except Refusal as refusal:
            if by.seat == self.viewer.seat:
                raise
            raise Parted from refusal

    def _alike(self, one: Decided, other: Decided) -> bool:
        """Whether the viewer is told, and shown, the same of both."""
        views = [
            msgspec.json.encode(replace(view_of(self.rules, after.match, self.viewer), head=""))
            for after in (one, other)
        ]
        return self._told(one) == self._told(other) and views[0] == views[1]

    def _told(self, decided: Decided) -> bytes:
        return msgspec.json.encode(events_seen(0, 0, decided.events, self.viewer))

    def _check_that_it_counts_as_told(self, decided: Decided) -> None:
        self.tally["told"] += 1
        match, events = decided.match, decided.events
        assert match.revealed == match.version, f"{events} told {self.viewer} something new"

    def check(self) -> None:
        """The viewer gets the same bytes from both."""
        commands = sweep.sample(self.rules, self.pick, CANDIDATES)
        both = [
            everything_for(self.rules, match, self.viewer, commands, self.trial.now)
            for match in (self.ours, self.theirs)
        ]
        for what, answer in both[0].items():
            assert answer == both[1][what], (self.ours.version, self.viewer, what)


def twins_of(rules: Rules, number: int) -> Iterator[Twins]:
    """Twins for each viewer, begun alike."""
    pick = chance_of("twins", rules.game.id, number)
    choice = numbers_of_seats(rules)
    setup = msgspec.structs.replace(
        setup_of(rules, number, seats=pick.one_of(tuple(choice[:3]))),
        seed=seed_of("twins", number),
    )
    for viewer in (SPECTATOR, *map(seat_viewer, range(setup.seats))):
        yield Twins(rules, setup, viewer, pick)


def run(twins: Twins, beginning: int) -> Counter[str]:
    """Play one match for a while, then two until the viewer could tell them apart."""
    for _ in range(beginning):
        if twins.ours.over:
            return twins.tally
        twins.theirs = twins.ours
        try:
            twins.go_on()
        except Parted:
            continue
        twins.theirs = twins.ours
    twins.part()
    try:
        for _ in range(40):
            if twins.ours.over or twins.theirs.over:
                break
            twins.check()
            twins.go_on()
    except Parted:
        pass
    return twins.tally


def together(rules: Rules, numbers: range) -> Counter[str]:
    """What came of many twins."""
    tally: Counter[str] = Counter()
    for number in numbers:
        for twins in twins_of(rules, number):
            tally += run(twins, twins.pick.below(24))
    return tally


def test_twins_that_a_viewer_cannot_tell_apart_give_it_the_same_bytes(rules: Rules) -> None:
    """And what does tell them apart counts as revealed.

    The construction is not idle: in a game that hides choices some choose differently.
    """
    tally = together(rules, range(8))
    assert tally["steps"] > 50
    if _hides_anything(rules):
        further = (together(rules, range(n, n + 8)) for n in range(8, 80, 8))
        while not tally["other choices"] + tally["told"]:
            tally += next(further)


@pytest.mark.long
def test_a_great_many_twins_give_the_same_bytes(rules: Rules) -> None:
    """As above, for two hundred beginnings."""
    assert together(rules, range(100, 300))["steps"] > 500


# ── Steps ─────────────────────────────────────────────────────────────────────────────────────────

LOOKED_THROUGH = {
    "giganten": frozenset({
        "_shown", "_shown.<locals>.<listcomp>", "_sees_piece", "_is_behind_the_screen",
        "_sees_side", "side_of",
    }),
}  # fmt: skip
"""Of a list that leaves hidden entries out each is asked whether it is hidden, and no more.

Dinosaurs behind the screen of a hidden set-up: 24 of them, three less at most for a reserve. That
is a microsecond, once, and a request on the wire takes a hundred times that, now more, now less.
"""


def test_counts_the_steps_of_a_loop() -> None:
    """The measure sees how often one goes round."""
    visible(1)
    short, long = (steps_of(partial(visible, number)) for number in (3, 5))
    assert long.total() > short.total() > 0


def visible(number: int) -> object:
    """What everybody sees of so many offers."""
    return events_seen(0, 0, [DrawOffered(0)] * number, SPECTATOR)


def assert_as_many_steps(
    rules: Rules, matches: tuple[Match, Match], viewer: Viewer, pick: Chance, at: int
) -> None:
    """The viewer's answers are made of the same steps in both, but for what is looked through."""
    commands = sweep.sample(rules, pick, 4)
    ours, theirs = (questions(rules, match, viewer, commands, at) for match in matches)
    known = LOOKED_THROUGH.get(rules.game.id, frozenset())
    for what, work in ours.items():
        work(), theirs[what]()  # what is kept of types and boards is there for both
        one, other = steps_of(work), steps_of(theirs[what])
        differ = {name for name in one | other if one[name] != other[name]}
        assert differ <= known, (matches[0].version, viewer, what, differ)


def scrambled_steps(rules: Rules, matches: int, states: int) -> int:
    """In how many states, of so many matches, something hidden was something else."""
    pick, changed = chance_of("steps", rules.game.id), 0
    for one in all_played(rules)[:matches]:
        for match in some_of(one.steps, states):
            for viewer in viewers(match)[1:]:
                state = scrambled(match.state, viewer, pick, finished=match.over)
                if state != match.state:
                    changed += 1
                    twin = msgspec.structs.replace(match, state=state)
                    assert_as_many_steps(rules, (match, twin), viewer, pick, match.at)
    return changed


def test_what_is_hidden_takes_no_step_more_or_less(rules: Rules) -> None:
    """View, legal list and refusals of each viewer: no loop's length hangs on what it may not know.

    Of what is hidden another value stands there.
    """
    changed = scrambled_steps(rules, 3, 2)
    assert changed or not _hides_anything(rules)


@pytest.mark.prove
@pytest.mark.timeout(0)
def test_what_is_hidden_takes_no_step_more_or_less_at_length(rules: Rules) -> None:
    """As above, for all that was played."""
    changed = scrambled_steps(rules, 1000, 6)
    assert changed or not _hides_anything(rules)
