"""`replay explain`: why a commit was legal, and what another would have been."""

from __future__ import annotations

import json

import pytest

from referee.core.game import Asker, Command
from referee.core.judging import Malformed, NotAllowed
from referee.core.ruling import Refusal
from referee.core.table.commands import Forfeit, Pause, TakeBack
from referee.games.giro_galoppo.types import ChooseCard
from tests.replay.conftest import Keep, Run
from tests.replay.logs import Record, Table, table


def test_names_every_ruling_that_judged_in_order(run: Run, keep: Keep, played: Record) -> None:
    """The table's rulings, then the game's, each kept; what followed; what else was legal."""
    ran = run("explain", keep(played.file()), "--at", 2, "--json")
    explained = ran.json
    judged = [weighed["ruling"]["id"] for weighed in explained["judged"]]
    assert (ran.status, explained["legal"], explained["name"]) == (0, True, "seat 0 (Ann)")
    assert judged == [
        "not-seated",
        "match-over",
        "match-paused",
        "withdrawn",
        "before-deal",
        "out-of-turn",
        "wrong-phase",
        "obstacle-sand",
        "obstacle-single",
        "obstacle-gap",
        "obstacle-final-stretch",
        "obstacle-room",
    ]
    assert all(weighed["broken"] is None for weighed in explained["judged"])
    space = played.opened(2)["cmd"]["space"]
    assert explained["follows"] == [f"seat 0 (Ann) puts an obstacle on space {space}."]
    others = explained["also_legal"]["commands"]
    assert {"type": "place_obstacle", "space": space} not in others
    assert len(others) > 10


def test_cites_the_rulings_that_only_explain(run: Run, keep: Keep, played: Record) -> None:
    """Rulings that refuse nothing are cited where a command of the game was legal."""
    explained = run("explain", keep(played.file()), "--at", 9, "--json").json
    cited = {ruling["id"] for ruling in explained["explains"]}
    assert {"move-order", "push-back", "race-end"} <= cited
    assert not cited & {weighed["ruling"]["id"] for weighed in explained["judged"]}


def test_explains_in_words(run: Run, keep: Keep, played: Record) -> None:
    """For people: the command, each ruling with its text and origin, the other commands."""
    out = run("explain", keep(played.file()), "--at", 9).out
    assert out.splitlines()[0].startswith("commit 9 by ")
    assert "was legal" in out.splitlines()[0]
    assert "  kept    out-of-turn: Only a seat that owes the game a command may send one." in out
    assert "what else was legal" in out
    assert '  choose_card {"card":' in out


def test_disputes_a_commit_that_was_not_legal(run: Run, keep: Keep, played: Record) -> None:
    """An illegal commit is explained up to the ruling that it breaks, and ends with 1."""
    forged = played.forged(2, lambda commit: commit["cmd"].update(space=0))
    ran = run("explain", keep(forged.file()), "--at", 2)
    assert ran.status == 1
    assert "was not legal" in ran.out
    assert "BROKEN  obstacle-sand" in ran.out
    assert "obstacle-single" not in ran.out.partition("what else")[0]


def test_answers_what_if(run: Run, keep: Keep, played: Record) -> None:
    """Another command at that point: legal with what it brings, or the ruling that it breaks."""
    path = keep(played.file())
    seat = int(played.opened(9)["by"][-1])
    ran = run("explain", path, "--at", 9, "--command", '{"type": "choose_card", "card": 1}')
    assert (ran.status, "would be legal" in ran.out, "what follows" in ran.out) == (0, True, True)
    ran = run("explain", path, "--at", 9, "--command", '{"type": "choose_card", "card": 9}')
    assert (ran.status, "BROKEN  card-in-hand" in ran.out) == (0, True)
    other = str((seat + 1) % 3)
    choose = ("--command", '{"type": "choose_card", "card": 1}', "--seat", other)
    assert "BROKEN  out-of-turn" in run("explain", path, "--at", 9, *choose).out
    resign = ("--command", '{"type": "resign"}', "--seat", other, "--json")
    assert run("explain", path, "--at", 9, *resign).json["legal"] is True


def test_answers_what_may_be_sent_next(run: Run, keep: Keep) -> None:
    """One commit after the last is the present: what would be legal now."""
    path = keep(table().play(2).record().file())
    place = ("--command", '{"type": "place_obstacle", "space": 5}', "--seat", "2", "--json")
    assert run("explain", path, "--at", 4, *place).json["legal"] is True
    pause = ("--command", '{"type": "pause"}', "--json")
    assert run("explain", path, "--at", 4, *pause).json["by"] == "organizer"
    assert run("explain", path, "--at", 5, *pause).status == 2
    assert run("explain", path, "--at", 1, *pause).status == 2
    assert run("explain", path, "--at", 4).status == 2


@pytest.mark.parametrize(
    "wrong",
    [
        ["--command", "{"],
        ["--command", '{"type": "castle"}'],
        ["--command", '{"type": "choose_card", "card": "ace"}'],
        ["--command", "[" * 100_000],
        ["--command", '{"type": "create_match"}'],
        ["--seat", "1"],
    ],
)
def test_takes_no_command_that_is_none(
    run: Run, keep: Keep, played: Record, wrong: list[str]
) -> None:
    """What is no command of this game is wrong usage, not an illegal command."""
    assert run("explain", keep(played.file()), "--at", 9, *wrong).status == 2


def test_explains_the_creation_and_the_organizer(run: Run, keep: Keep) -> None:
    """Commits that no seat sent are explained as well: the creation, a pause, a take-back."""
    game = table().play(3)
    game.send("organizer", TakeBack(to=2, reason="a mistake"))
    game.send("organizer", Pause())
    path = keep(game.record().file())
    for version, follows in (
        (1, "A match of giro-galoppo/1 for seat 0 (Ann), seat 1 (Bob), seat 2 (Cai)."),
        (5, "The match goes back to version 2: a mistake."),
        (6, "The match is paused."),
    ):
        explained = run("explain", path, "--at", version, "--json").json
        assert (explained["legal"], explained["follows"]) == (True, [follows])
        assert explained["also_legal"]["commands"] == []


def test_explains_what_may_not_be_sent_at_all(run: Run, keep: Keep, played: Record) -> None:
    """A seat that sends an arbiter's command breaks no ruling and is refused all the same."""
    command = json.dumps({"type": "void", "reason": "because"})
    explained = run("explain", keep(played.file()), "--at", 9, "--command", command, "--json").json
    assert (explained["legal"], explained["judged"]) == (False, [])
    assert explained["problem"] == "A seat may not send void."


def test_the_rulings_told_are_those_that_judge() -> None:
    """At every step of a match, telling the rulings agrees with judging, for every candidate."""
    game = table()
    state, by = game.match.state, Asker("seat", 0, game.now)
    forms = [form for rules in game.rules.game.commands for form in rules.forms(state, by)]
    forms += [ChooseCard(card) for card in range(8)]
    for _ in range(25):
        for seat in (None, 0, 1, 2, 7):
            by = Asker("organizer" if seat is None else "seat", seat, game.now)
            for command in [*forms[::3], Forfeit(7, "x"), Pause(), TakeBack(99, "x")]:
                assert _told(game, by, command) == _judged(game, by, command)
        game.play(1)


def _judged(game: Table, by: Asker, command: Command) -> tuple[str, str] | str | None:
    """What judging answers: a broken ruling, another fault, or nothing."""
    try:
        game.rules.judge(game.match, by, command)
    except Refusal as refusal:
        return refusal.ruling, refusal.detail
    except (NotAllowed, Malformed) as error:
        return str(error)
    return None


def _told(game: Table, by: Asker, command: Command) -> tuple[str, str] | str | None:
    """The same from the rulings told: only the last of them may be broken."""
    try:
        told = game.rules.judged(game.match, by, command)
    except (NotAllowed, Malformed) as error:
        return str(error)
    broken = [(ruling, detail) for ruling, detail in told if detail is not None]
    assert broken in ([], [told[-1]])
    return broken[0] if broken else None
