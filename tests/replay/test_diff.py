"""`replay diff`: where two logs part."""

from __future__ import annotations

import re
from typing import Any

import msgspec
import pytest

from referee.catalogue import catalogue
from referee.core.commit import read_match_file
from referee.core.rules import Rules
from referee.core.table.commands import Resign, TakeBack
from referee.core.verify import fold_log
from tests.conformance.golden import examples
from tests.replay.conftest import Keep, Run
from tests.replay.logs import Record, Table, table


def test_a_log_does_not_part_from_itself_or_its_beginning(
    run: Run, keep: Keep, played: Record
) -> None:
    """Equal logs are equal; a beginning is told with how far the other goes on."""
    whole = keep(played.signed(), "a.match")
    begun = keep(played.having(played.commits[:20]).file(), "b.match")
    assert run("diff", whole, whole).out == f"the same for {len(played.commits)} commits\n"
    ran = run("diff", whole, begun)
    assert (ran.status, ran.out) == (0, "the same for 20 commits; A goes on to commit 51\n")
    assert run("diff", begun, whole, "--json").json["version"] is None


def test_finds_the_commit_where_two_logs_of_a_match_part(
    run: Run, keep: Keep, played: Record
) -> None:
    """The first differing commit, what differs in it, and what differs in the match after it."""
    game = table()
    game.play(4)
    game.pick.seed(99)
    other = game.play().record()
    a, b = keep(played.file(), "a.match"), keep(other.file(), "b.match")
    ran = run("diff", a, b, "--json")
    version = next(
        n for n, (x, y) in enumerate(zip(played.commits, other.commits, strict=False), 1) if x != y
    )
    parted = ran.json
    assert (ran.status, parted["version"], parted["problem"]) == (1, version, None)
    paths = [difference["path"] for difference in parted["commit"]]
    assert any(path.startswith("cmd.") or path == "by" for path in paths)
    assert not {"prev", "head"} & set(paths)
    assert parted["state"]
    lines = run("diff", a, b).out.splitlines()
    assert lines[0] == f"they part at commit {version}"
    sent = played.opened(version)["cmd"]["space"]
    assert lines[1].startswith("  A  2023-11-14T22:13:20")
    assert lines[1].endswith(f": seat 1 (Bob) puts an obstacle on space {sent}.")
    assert lines[2].startswith("  B  ")
    assert lines[3] == "the match after it (≠ is at what differs)"
    ours, theirs = (lines.index(letter) for letter in "AB")
    shown = run("show", a, "--at", version).out.splitlines()[2:]
    assert [line.removeprefix("  ≠ ").strip() for line in lines[ours + 3 : theirs - 1]] == [
        line.strip() for line in shown
    ]
    assert any("▟▙" in line for line in lines[ours:theirs] if line.startswith("  ≠ "))


@pytest.mark.parametrize("game", list(catalogue()), ids=lambda rules: rules.game.id)
def test_says_it_to_people_who_read_no_json(run: Run, keep: Keep, game: Rules) -> None:
    """In every game: a seat has resigned in one of two logs; no field, list or object is told."""
    data = examples(game)[0].read_bytes()
    log = read_match_file(data)
    half = len(log.commits) // 2
    forked = Table(game, fold_log(game, log.commits[:half]), list(log.commits[:half]))
    forked.now = forked.match.at
    forked.send(0, Resign())
    ran = run("diff", keep(data, "a.match"), keep(forked.record().file(), "b.match"))
    assert (ran.status, ran.out.splitlines()[0]) == (1, f"they part at commit {half + 1}")
    assert "≠" in ran.out
    told = re.sub(r"_o/|\\o_", "", ran.out)  # a villager that leans
    assert not re.findall(r"""[a-z]+\[[0-9]|[a-z]+\.[a-z]+|[a-z]_[a-z]|[{}"]""", told)


def test_compares_two_matches_by_their_play(run: Run, keep: Keep, played: Record) -> None:
    """The same play under another id and at other times is the same play."""
    again = table("m2")
    again.now += 5000
    path = keep(again.play().record().file(), "b.match")
    assert run("diff", keep(played.file()), path).status == 0
    other = table("m3", seed=2, calls=1, options={"length": 44}).play().record()
    files = keep(played.file()), keep(other.file(), "c.match")
    parted = run("diff", *files, "--json").json
    assert parted["version"] == 1
    assert {difference["path"] for difference in parted["commit"]} >= {
        "cmd.seed",
        "ev[0].seed_commitment",
    }
    assert run("diff", *files).out.splitlines() == [
        "A is match m1 (giro-galoppo/1), B is match m3 (giro-galoppo/1)",
        "they are two different matches from their creation on",
        "  what differs: the options (length), the calls and the seed",
    ]


def test_takes_two_matches_for_the_same_play_whatever_their_salts_are(
    run: Run, keep: Keep, played: Record
) -> None:
    """Salts are random bytes: no two matches that were played have the same."""
    again = table("m2").play().record()
    salted = again.edited(1, lambda commit: commit.update(salt=b"another salt"))
    ran = run("diff", keep(played.file()), keep(salted.file(), "b.match"))
    assert "the same for 51 commits" in ran.out


def test_compares_nothing_of_two_games(run: Run, keep: Keep, played: Record) -> None:
    """That they are different is all there is to say, and it is said."""
    other = table("d1", rules=catalogue().current("dragon-dance")).record()
    ran = run("diff", keep(played.file()), keep(other.file(), "d.match"))
    assert (ran.status, ran.out.splitlines()) == (
        1,
        [
            "A is match m1 (giro-galoppo/1), B is match d1 (dragon-dance/1)",
            "they are played by different rules: there is nothing to compare",
        ],
    )


def test_says_that_a_match_was_created_anew(run: Run, keep: Keep, played: Record) -> None:
    """A log that was exchanged for another of the same name, from its seed on."""
    other = keep(table(seed=7).play(3).record().file(), "b.match")
    assert run("diff", keep(played.file()), other).out.splitlines() == [
        "both are called m1, and are different matches from their creation on",
        "  what differs: the seed",
    ]


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"key": "mine"}, "the sender's own mark on it"),
        ({"salt": b"another salt"}, "the salt"),
        ({"cmd": {"type": "resign"}}, "what was sent (kind) and what was sent (space)"),
    ],
)
def test_names_what_sentences_do_not_tell(
    run: Run, keep: Keep, played: Record, change: dict[str, Any], said: str
) -> None:
    """A part of the commit by what it is, where both commits are told alike."""
    other = played.forged(5, lambda commit: commit.update(change))
    lines = run("diff", keep(played.file()), keep(other.file(), "b.match")).out.splitlines()
    assert lines[3:5] == ["which say the same in words", f"  what differs: {said}"]
    assert lines[-1] == "the match after it is the same in its pictures"


def test_names_what_pictures_do_not_show(run: Run, keep: Keep) -> None:
    """A pile in another order is no other picture, and another match all the same."""
    game = table("d1", rules=catalogue().current("dragon-dance")).play(30)
    game.send("organizer", TakeBack(to=2, reason="played out of turn"))
    log = game.record()

    def turn(commit: dict[str, Any]) -> None:
        commit["ev"][1]["pile"].reverse()

    other = log.forged(len(log.commits), turn)
    ran = run("diff", keep(log.file()), keep(other.file(), "b.match"))
    assert ran.out.splitlines()[3:] == [
        "which say the same in words",
        "  what differs: what came of it (pile)",
        "the match after it is the same in its pictures; what they do not show is not: pile",
    ]


def test_tells_commits_that_say_the_same_in_other_bytes(
    run: Run, keep: Keep, played: Record
) -> None:
    """Another encoding of the same commit parts the logs, though nothing else does."""
    commit = played.opened(2)
    turned = dict(reversed(commit.items()))
    other = played.put(2, msgspec.msgpack.encode(turned)).chained()
    ran = run("diff", keep(played.file(), "a.match"), keep(other.file(), "b.match"))
    assert (ran.status, "the same in other bytes" in ran.out) == (1, True)
    assert "the same in its pictures" in ran.out


def test_says_that_a_log_cannot_be_followed_to_there(run: Run, keep: Keep, played: Record) -> None:
    """The commits are compared even where one of them is junk; the match there is not."""
    ran = run("diff", keep(played.file()), keep(played.put(9, b"junk").file(), "b.match"))
    assert (ran.status, "they part at commit 9" in ran.out) == (1, True)
    assert "the match there: " in ran.out
    assert "b.match" in ran.out
