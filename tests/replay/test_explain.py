"""`replay explain`: why a commit was legal, and what another would have been."""

from __future__ import annotations

import dataclasses
import json
from pathlib import Path

import pytest

from referee.catalogue import catalogue
from referee.core.commit import read_match_file
from referee.core.game import Asker, Command
from referee.core.judging import Malformed, NotAllowed
from referee.core.rules import Rules
from referee.core.ruling import Refusal
from referee.core.table.commands import Forfeit, Pause, TakeBack
from referee.core.verify import verify
from referee.games.giro_galoppo.types import ChooseCard
from referee.report.json_values import plain
from referee.report.spoken import spoken, understood
from tests.conformance.golden import examples, folder, rested
from tests.replay.conftest import Keep, Run
from tests.replay.disputes import false_event
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
    """Those that the commit's events rest on; with --all every ruling that refuses nothing."""
    path = keep(played.file())
    shown = next(n for n in range(1, 52) if len(played.opened(n)["ev"]) > 2)
    cited = {}
    for args in ((), ("--all",)):
        explained = run("explain", path, "--at", shown, "--json", *args).json
        cited[args] = {ruling["id"] for ruling in explained["explains"]}
        assert not cited[args] & {weighed["ruling"]["id"] for weighed in explained["judged"]}
    assert {"one-choice", "move-order", "move-full"} <= cited[()]
    assert not cited[()] & {"obstacle-order", "rearmost-only", "race-end", "placing"}
    assert cited[()] | {"obstacle-order", "rearmost-only", "race-end"} <= cited[("--all",)]


def test_explains_in_words(run: Run, keep: Keep, played: Record) -> None:
    """For people: the command, each ruling with its text and origin, the other commands."""
    out = run("explain", keep(played.file()), "--at", 9, "--all").out
    assert out.splitlines()[0].startswith("commit 9 by ")
    assert "was legal" in out.splitlines()[0]
    assert "  kept    out-of-turn: Only a seat that owes the game a command may send one." in out
    assert "what else was legal" in out
    assert "    #2  choose card, card " in out
    few = run("explain", keep(played.file()), "--at", 9).out
    assert ("out-of-turn" in few, "7 rulings of the table" in few) == (False, True)


def test_disputes_a_commit_that_was_not_legal(run: Run, keep: Keep, played: Record) -> None:
    """An illegal commit is explained up to the ruling that it breaks, and ends with 1."""
    forged = played.forged(2, lambda commit: commit["cmd"].update(space=0))
    ran = run("explain", keep(forged.file()), "--at", 2)
    assert ran.status == 1
    assert "was not legal" in ran.out
    assert "BROKEN  obstacle-sand" in ran.out
    assert "obstacle-single" not in ran.out.partition("what else")[0]


def test_blames_no_player_for_a_false_event(run: Run, keep: Keep) -> None:
    """The command was legal, and what came of it is not: what the log says, and the rules."""
    log = false_event()
    path, at = keep(log.file()), next(n for n in range(1, 52) if _false(log, n))
    ran = run("explain", path, "--at", at)
    headline, sentence = ran.out.splitlines()[:2]
    assert headline.endswith("the command was legal; what the log says came of it is not")
    assert sentence.strip() in run("verify", path).out
    assert ("the log says “" in sentence, "the rules say “" in sentence) == (True, True)
    assert (ran.status, "what follows by the rules\n" in ran.out) == (1, True)
    told = run("explain", path, "--at", at, "--json").json
    assert (told["legal"], told["dispute"]["version"], told["disputed"]) == (
        True, at, sentence.strip(),
    )  # fmt: skip
    before = run("explain", path, "--at", at - 1, "--json")
    assert (before.status, before.json["dispute"], before.json["disputed"]) == (0, None, None)


def _false(log: Record, version: int) -> bool:
    rules = catalogue().rules(log.ruleset)
    return verify(rules, log.match, log.commits[:version]).dispute is not None


@pytest.mark.parametrize("asked", ["event", "illegal", "chain", "exchanged"])
def test_judges_nobody_behind_a_fault(run: Run, keep: Keep, played: Record, asked: str) -> None:
    """Whatever the fault is, a commit behind it is neither legal nor illegal."""
    log, place = {
        "event": (played.forged(9, lambda commit: commit["ev"].pop()), "commit 9"),
        "illegal": (played.forged(9, lambda commit: commit["cmd"].update(card=9)), "commit 9"),
        "chain": (
            played.edited(9, lambda commit: commit.update(prev=bytes(32))),
            "commits 8 and 9",
        ),
        "exchanged": (dataclasses.replace(played, match="m2"), "commit 1"),
    }[asked]
    ran = run("explain", keep(log.file()), "--at", 10)
    assert f": stands behind the fault at {place}, and is not judged\n" in ran.out
    assert (ran.status, "legal" in ran.out, "BROKEN" in ran.out) == (1, False, False)
    told = run("explain", keep(log.file()), "--at", 10, "--json").out
    assert (json.loads(told)["legal"], json.loads(told)["judged"]) == (None, [])


def test_says_of_what_if_that_it_stands_behind_a_fault(
    run: Run, keep: Keep, played: Record
) -> None:
    """Another command is judged by the board that there is, and what that is worth is said."""
    path = keep(played.forged(9, lambda commit: commit["ev"].pop()).file())
    said = "what it is judged on stands behind the fault at commit 9"
    resign = ("--seat", 0, "--command", "resign")
    assert said in run("explain", path, "--at", 10, *resign).out
    assert said not in run("explain", path, "--at", 9, *resign).out


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


@pytest.mark.parametrize("command", ["choose card, card 6", "Choose card, card  6", "#6"])
def test_takes_a_command_as_it_is_listed(
    run: Run, keep: Keep, played: Record, command: str
) -> None:
    """In the list's words, or by its line there."""
    args = ("explain", keep(played.file()), "--at", 5, "--seat", "ann", "--command", command)
    asked = run(*args, "--json").json
    assert asked["command"]["type"] == ("place_obstacle" if command == "#6" else "choose_card")
    assert asked["legal"] is (command == "#6")


def test_takes_no_bare_number_for_a_command(run: Run, keep: Keep, played: Record) -> None:
    """A 5 may be a card or a line of the list: it is refused, and the answer says how to ask."""
    ran = run("explain", keep(played.file()), "--at", 9, "--command", "5")
    assert (ran.status, "#5 is line 5 of the list" in ran.err) == (2, True)


# ── What was refused ──────────────────────────────────────────────────────────────────────────────


def refusing(keep: Keep, played: Record, **changed: object) -> Path:
    """A match file with one refused command beside it: a card that was not in the hand."""
    refused = {
        "at": 1_700_000_000_075, "by": "seat:2", "seat": 2, "version": 8,
        "command": {"type": "choose_card", "card": 9}, "ruling": "card-in-hand",
        "detail": "You do not hold it.",
    }  # fmt: skip
    keep(json.dumps({**refused, **changed}).encode(), "m.refusals.jsonl")
    return keep(played.file())


def test_explains_why_a_command_was_refused(run: Run, keep: Keep, played: Record) -> None:
    """What was said at the time, and the ruling that it breaks."""
    ran = run("explain", refusing(keep, played), "--refusal", 1)
    assert ran.status == 0
    assert "commit 9 by seat 2 (Cai), choose card, card 9: would not be legal" in ran.out
    assert "refused at the time by card-in-hand" in ran.out
    assert "BROKEN  card-in-hand" in ran.out
    later = run("explain", refusing(keep, played), "--refusal", 1, "--at", 52).out
    assert ("commit 52 by" in later, "BROKEN  match-over" in later) == (True, True)


def test_says_what_the_record_of_a_refusal_is_worth(run: Run, keep: Keep, played: Record) -> None:
    """When it was, at which version, that nobody signs it, and whether the log says otherwise."""
    out = run("explain", refusing(keep, played), "--refusal", 1).out
    assert "card-in-hand, 2023-11-14T22:13:20.075Z, sent at version 8\n" in out
    assert ("nobody signs this record" in out, "contradicts the log" in out) == (True, False)
    stood = "by its time the log stood at version"
    late = run("explain", refusing(keep, played, at=1_700_000_004_075), "--refusal", 1)
    assert f"{stood} 51, by its own word at 8: commit 9 came 3.9 s before it" in late.out
    early = refusing(keep, played, at=1_700_000_000_035)
    asked = run("explain", early, "--refusal", 1, "--json").json
    assert asked["misfit"] == f"{stood} 4, by its own word at 8: commit 8 came 0.0 s after it"


def test_disputes_a_refusal_of_what_is_legal(run: Run, keep: Keep, played: Record) -> None:
    """A command that was refused and breaks no ruling ends with 1."""
    legal = {"command": {"type": "choose_card", "card": 1}}
    assert run("explain", refusing(keep, played, **legal), "--refusal", 1).status == 1


def test_says_that_a_refusal_is_not_known(run: Run, keep: Keep, played: Record) -> None:
    """None beside the file, fewer than that, a command that was cut: unusable."""
    ran = run("explain", keep(played.file()), "--refusal", 1)
    assert "0 refused commands known (pull saves them beside the log)" in ran.err
    nobody = refusing(keep, played, by="a stranger")
    assert "'a stranger' names nobody" in run("explain", nobody, "--refusal", 1).err
    source = refusing(keep, played, command={"type": "choose_card", "cut": "{"})
    for number, says in ((2, "of 1 refused command known"), (1, "is no command of this game")):
        ran = run("explain", source, "--refusal", number)
        assert (ran.status, says in ran.err) == (2, True)


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
    ("game", "example", "ruling", "told"),
    [
        ("dancing-villager", "all-flat", "all-flat", "All villagers lie flat: another dog joins"),
        ("dragon-dance", "stuck", "stuck", "Nobody can go on: the round ends"),
        ("giganten", "ghosts-fight", "ghost-fights", "ghost"),
        ("giganten", "immobile", "immobile-loss", "can do nothing any more: its side has lost."),
    ],
)
def test_names_what_seldom_happens(
    run: Run, game: str, example: str, ruling: str, told: str
) -> None:
    """The commit in which it does is told in words, and rests on its ruling."""
    rules = catalogue().current(game)
    path = folder(rules) / f"{example}.match"
    log = read_match_file(path.read_bytes()).commits
    at = next(n for n, data in enumerate(log, 1) if ruling in rested(rules, [data]))
    out = run("explain", path, "--at", at).out
    followed, _, below = out.partition("this rests on\n")
    assert told in followed.partition("what followed\n")[2]
    assert f"  {ruling}: {rules.rulings[ruling].text}" in below


@pytest.mark.parametrize(
    "wrong",
    [
        ["--command", "{"],
        ["--command", "#7"],
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


@pytest.mark.parametrize(
    ("typed", "meant"),
    [
        ("place obstcle, space 3", "place obstacle, space 3"),
        ("place obstacle space 9", "place obstacle, space 9"),
        ("Resing", "resign"),
        ('{"type": "resing"}', "resign"),
    ],
)
def test_says_what_a_typo_may_mean(run: Run, keep: Keep, typed: str, meant: str) -> None:
    """The nearest of the legal commands, or of kinds; of what is near nothing all kinds."""
    path = keep(table().record().file())
    ran = run("explain", path, "--at", 2, "--seat", 0, "--command", typed)
    said = f"the command is none of this game; did you mean “{meant}”?"
    assert (ran.status, ran.err) == (2, f"replay: {path}: {said}\n")
    assert "there are place obstacle" in run("explain", path, "--at", 2, "--command", "xyzzy").err


@pytest.mark.parametrize("typed", ["place obstacle", '{"type": "place_obstacle"}'])
def test_names_what_a_command_lacks(run: Run, keep: Keep, typed: str) -> None:
    """A command without its fields is told which it needs, by one that has them."""
    path = keep(table().record().file())
    ran = run("explain", path, "--at", 2, "--seat", 0, "--command", typed)
    said = "place obstacle also needs “space”, as in “place obstacle, space "
    assert (ran.status, said in ran.err) == (2, True)


@pytest.mark.parametrize("text", ["abc", "0", "-1", "1.5", "²", ""])
def test_a_version_that_is_none_is_told_in_plain_words(
    run: Run, keep: Keep, played: Record, text: str
) -> None:
    """Nobody needs to know what an integer range is."""
    ran = run("show", keep(played.file()), "--at", text)
    assert (ran.status, "a version is a whole number from 1 on\n" in ran.err) == (2, True)


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


@pytest.mark.parametrize("game", list(catalogue()), ids=lambda rules: rules.game.id)
def test_commands_in_words_can_be_typed_as_they_are_listed(game: Rules) -> None:
    """Every command of a golden match, members and lists of them too, is read back the same."""
    for path in examples(game)[:2]:
        for data in read_match_file(path.read_bytes()).commits[1:]:
            command = plain(game.read_commit(data).cmd)
            words = spoken(command)
            assert (understood(words), "{" in words) == (command, False)


@pytest.mark.parametrize("flag", [True, False])
def test_yes_and_no_are_words(flag: bool) -> None:  # noqa: FBT001 - a value under test
    """A field of yes or no is told by its name, also among members, and is read back."""
    command = {
        "type": "lay",
        "at": [3, 4],
        "keep_piles": flag,
        "tiles": [{"of": 1, "turned": flag}],
    }
    no = "" if flag else "not "
    assert spoken(command) == f"lay, at 3,4, {no}keep piles, tiles [(of 1; {no}turned)]"
    assert understood(spoken(command), {"keep_piles"}) == command
