"""`replay verify`: what it proves, and every way of tampering that it finds."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import msgspec
import pytest

from referee.catalogue import catalogue
from referee.core.commit import first_prev, write_commits
from referee.core.game import Command
from referee.core.match import Entropy
from referee.core.table.commands import AddEntropy, Deal, ReissueToken
from referee.selfplay import BEGINNING, Setup, Trial, chance_of
from tests.replay.conftest import Finds, Keep, Run
from tests.replay.logs import Record, table


def test_proves_a_log_that_the_rules_yield(run: Run, keep: Keep, played: Record) -> None:
    """A true log that nobody signed is told as that, every commit proven, and what it proves."""
    ran = run("verify", keep(played.file()))
    assert ran.status == 0
    count = len(played.commits)
    assert f"m1 · giro-galoppo/1 · {count} commits · finished · head {played.head[:16]}" in ran.out
    assert ran.out.startswith("not signed  ")
    assert (
        "not signed: every commit follows from the rules and from the seed, but nobody" in ran.out
    )


def test_says_who_added_entropy_and_when(run: Run, keep: Keep) -> None:
    """A line for people, a row a seat as JSON; nothing of a match that was dealt without any."""
    path = keep(b"")

    def judged(*moves: Command, entropy: Entropy | None) -> tuple[str, list[dict[str, Any]]]:
        setup = Setup(seats=2, seed=bytes(32), entropy=entropy)
        trial = Trial(catalogue().current("dragon-dance"), setup, chance_of("entropy"))
        for command in moves:
            sender = (
                trial.organizer() if isinstance(command, (Deal, ReissueToken)) else trial.by_seat(0)
            )
            trial.take(sender, command)
        commits = tuple(step.decided.data for step in trial.steps)
        path.write_bytes(Record("trial", "dragon-dance/1", commits).file())
        return run("verify", path).out, run("verify", path, "--json").json["logs"][0]["entropy"]

    add, when = AddEntropy("0a" * 16), "2025-06-15T15:06:40.000Z"
    zero, one = "seat 0 (player 0)", "seat 1 (player 1)"
    nobody: dict[str, Any] = {"by": None, "version": None, "at": None, "reissued": []}
    for moves in ((add,), (add, Deal("the round begins"))):
        said, rows = judged(*moves, entropy="seats")
        assert f"entropy: {zero} in commit 2, {when}; {one} none\n" in said
        assert "not who held that token" in said
        sent = {"seat": 0, "by": "seat:0", "version": 2, "at": BEGINNING, "reissued": []}
        assert rows == [sent, {"seat": 1, **nobody}]
    said, rows = judged(ReissueToken(0), ReissueToken(1), add, entropy="seats")
    assert f"{zero} in commit 4, {when}, after a new token for it in commit 2; {one} none" in said
    assert rows[0]["reissued"] == [2]
    said, rows = judged(entropy=("", "0a"))
    assert f"entropy: {zero} none; {one} by organizer in commit 1, {when}\n" in said
    assert [row["by"] for row in rows] == [None, "organizer"]
    assert "token" not in said
    there = run("verify", path, "--zone", "Asia/Tokyo").out
    assert "by organizer in commit 1, 2025-06-16T00:06:40.000+09:00" in there
    said, rows = judged(entropy=None)
    assert ("entropy:" in said, rows) == (False, [])


def test_prints_what_it_proved_as_json(run: Run, keep: Keep, played: Record) -> None:
    """The JSON form holds the match, the counts, the full head, the result and no dispute."""
    path = keep(played.file())
    ran = run("verify", path, "--json")
    log = ran.json["logs"][0]
    assert ran.json["summary"] == {
        "signed": 0,
        "not signed": 1,
        "in dispute": 0,
        "unusable": 0,
    }
    assert (log["source"], log["match"], log["game"]) == (str(path), "m1", "giro-galoppo")
    assert log["commits"] == log["proven"] == len(played.commits)
    assert (log["head"], log["disputes"], log["status"]) == (played.head, [], "finished")
    assert log["result"]["reason"] == "played-out"


def test_proves_a_match_that_is_still_being_played(run: Run, keep: Keep) -> None:
    """A log need not have come to its end."""
    ran = run("verify", keep(table().play(5).record().file()))
    assert (ran.status, "active" in ran.out) == (0, True)


# ── Tampering with commits ────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize("at", [1, 7, -1])
def test_finds_a_flipped_byte(dispute: Finds, played: Record, at: int) -> None:
    """Whichever byte of a commit is flipped, that commit or the next is at fault, none before."""
    version = at if at > 0 else len(played.commits)
    data = played.commits[version - 1]
    for place in range(0, len(data), 7):
        flipped = bytes([*data[:place], data[place] ^ 0x01, *data[place + 1 :]])
        found = dispute(played.put(version, flipped).file(head=played.head))
        assert found.version in (version, version + 1, None)


def test_finds_a_flipped_byte_in_the_last_commit_by_the_head(
    dispute: Finds, played: Record
) -> None:
    """A change that no later commit lies on, and that the rules allow, is told by the head."""
    forged = played.edited(len(played.commits), lambda commit: commit.update(at=commit["at"] + 1))
    found = dispute(forged.file(head=played.head))
    assert (found.kind, found.expected, found.found) == ("head", played.head, forged.head)


def test_finds_a_commit_that_was_dropped(dispute: Finds, played: Record) -> None:
    """The commit after a gap does not lie on the head before it."""
    found = dispute(played.having(played.commits[:10] + played.commits[11:]).file())
    assert (found.kind, found.version) == ("chain", 11)


def test_names_both_commits_of_a_broken_link(run: Run, keep: Keep, played: Record) -> None:
    """A stamp changed in a commit breaks the link behind it: that commit is named with the next."""
    forged = played.edited(10, lambda commit: commit.update(at=commit["at"] + 1))
    ran = run("verify", keep(forged.file(head=played.head)))
    assert "Commits 10 and 11: commit 11 does not lie on the head after commit 10" in ran.out


def test_finds_a_gap_in_the_versions_of_a_remade_chain(dispute: Finds, played: Record) -> None:
    """With all heads made to fit, a gap still shows in the commits' own numbers."""
    gap = played.having(played.commits[:10] + played.commits[11:]).chained()
    found = dispute(gap.file())
    assert (found.kind, found.version, found.expected, found.found) == ("version", 11, 11, 12)


def test_finds_commits_that_are_missing_at_the_end(dispute: Finds, played: Record) -> None:
    """A log cut between two commits holds fewer than its header counts."""
    short = played.having(played.commits[:-5])
    found = dispute(short.file(count=len(played.commits), head=played.head))
    counts = (len(played.commits), len(short.commits))
    assert (found.kind, found.version, found.expected, found.found) == ("count", None, *counts)


def test_finds_that_every_commit_is_missing(dispute: Finds, played: Record) -> None:
    """A header alone that counts commits is in dispute."""
    empty = played.having([])
    assert dispute(empty.file(count=3)).kind == "count"


def test_finds_two_commits_that_were_swapped(dispute: Finds, played: Record) -> None:
    """The first of two swapped commits does not lie on the head before it."""
    a, b = played.commits[9:11]
    found = dispute(played.having((*played.commits[:9], b, a, *played.commits[11:])).file())
    assert (found.kind, found.version) == ("chain", 10)


def test_finds_a_commit_of_another_match(dispute: Finds, played: Record) -> None:
    """No commit fits another match: its chain begins with that match's name."""
    other = table("m2").play().record()
    found = dispute(played.put(10, other.commits[9]).file())
    assert (found.kind, found.version) == ("chain", 10)
    found = dispute(played.put(1, other.commits[0]).file())
    expected = first_prev("m1", "giro-galoppo/1").hex()
    assert (found.kind, found.version, found.expected) == ("chain", 1, expected)


def test_finds_another_matchs_creation_under_a_remade_chain(dispute: Finds, played: Record) -> None:
    """A first commit that creates another match than the header names is at fault."""
    other = table("m2").play().record()
    assert dispute(Record("m1", played.ruleset, other.commits).chained().file()).version == 1


def test_finds_a_creation_of_another_game_under_a_remade_chain(
    dispute: Finds, played: Record
) -> None:
    """Commit 1 says itself of which game it is: no other than its ruleset's."""

    def of_another(commit: dict[str, Any]) -> None:
        for part in (commit["cmd"], commit["ev"][0]):
            assert part["game"] == "giro-galoppo"
            part["game"] = "dragon-dance"

    found = dispute(played.forged(1, of_another).file())
    assert found.version == 1
    assert "creates m1 of dragon-dance, giro-galoppo/1" in found.message


def test_finds_a_stamp_that_goes_back(dispute: Finds, played: Record) -> None:
    """No commit may be stamped before the one before it."""
    found = dispute(played.forged(10, lambda commit: commit.update(at=5)).file())
    assert (found.kind, found.version, found.found) == ("time", 10, 5)


def test_finds_an_illegal_command_under_a_remade_chain(dispute: Finds, played: Record) -> None:
    """A command that breaks a ruling is found however well the chain was made to fit again.

    The answer names the ruling with its text.
    """
    found = dispute(played.forged(2, lambda commit: commit["cmd"].update(space=0)).file())
    assert (found.kind, found.version) == ("illegal", 2)
    assert found.found == {"type": "place_obstacle", "space": 0}
    assert found.ruling is not None
    assert (found.ruling.id, found.ruling.origin) == ("obstacle-sand", "Preparations 4")


def test_finds_a_command_out_of_turn(dispute: Finds, played: Record) -> None:
    """A command of a seat that owes none breaks a ruling of the table."""
    found = dispute(played.forged(2, lambda commit: commit.update(by="seat:2")).file())
    assert found.ruling is not None
    assert (found.kind, found.version, found.ruling.id) == ("illegal", 2, "out-of-turn")


def test_finds_a_command_that_its_sender_may_not_send(dispute: Finds, played: Record) -> None:
    """A seat that voids the match is at fault, though no ruling says so."""

    def void(commit: dict[str, Any]) -> None:
        commit["cmd"] = {"type": "void", "reason": "because"}
        commit["ev"] = [{"type": "voided", "reason": "because"}]

    found = dispute(played.forged(3, void).file())
    assert (found.kind, found.version, found.ruling) == ("illegal", 3, None)


def test_finds_an_event_that_its_command_does_not_yield(dispute: Finds, played: Record) -> None:
    """The event that is due stands beside the one that is there."""
    found = dispute(played.forged(2, lambda commit: commit["ev"][0].update(space=3)).file())
    assert (found.kind, found.version, found.index) == ("event", 2, 0)
    assert (found.expected["space"], found.found["space"]) == (played.opened(2)["cmd"]["space"], 3)


def test_finds_an_event_too_many_and_one_too_few(dispute: Finds, played: Record) -> None:
    """An event that was added, or taken away, is found at its place."""
    again = {"type": "obstacle_placed", "seat": 0, "space": 3}
    found = dispute(played.forged(2, lambda commit: commit["ev"].append(again)).file())
    assert (found.index, found.expected, found.found) == (1, None, again)
    found = dispute(played.forged(2, lambda commit: commit["ev"].clear()).file())
    assert (found.index, found.found) == (0, None)


def test_finds_another_outcome_of_chance(dispute: Finds) -> None:
    """What was dealt is recomputed from the seed: two cards that changed hands are found."""

    def swap(commit: dict[str, Any]) -> None:
        hands = next(event for event in commit["ev"] if event["type"] == "dealt")["hands"]
        hands[0][0], hands[1][0] = hands[1][0], hands[0][0]

    dealt = table(rules=catalogue().current("dragon-dance")).record()
    found = dispute(dealt.forged(1, swap).file())
    assert (found.kind, found.version, found.index) == ("event", 1, 1)
    assert found.expected["hands"][0][0] == found.found["hands"][1][0]


def test_finds_that_the_seed_was_exchanged(dispute: Finds, played: Record) -> None:
    """A creation with another seed does not yield the commitment that stands beside it."""
    reseeded = played.forged(1, lambda commit: commit["cmd"].update(seed="ff" * 32))
    found = dispute(reseeded.file())
    assert (found.kind, found.version, found.index) == ("event", 1, 0)
    assert found.expected["seed_commitment"] != found.found["seed_commitment"]


def test_finds_a_wrong_ranking_under_a_remade_chain(dispute: Finds, played: Record) -> None:
    """A result that does not follow is told from other events."""

    def crown_another(commit: dict[str, Any]) -> None:
        ended = next(event for event in commit["ev"] if event["type"] == "match_ended")
        ended["winners"] = [(ended["winners"][0] + 1) % 3]

    found = dispute(played.forged(len(played.commits), crown_another).file())
    assert (found.kind, found.version) == ("ranking", len(played.commits))
    assert found.expected["winners"] != found.found["winners"]


def test_finds_a_revealed_seed_that_is_not_the_one(dispute: Finds, played: Record) -> None:
    """The seed that is revealed at the end must be the one that was committed to."""

    def reveal_another(commit: dict[str, Any]) -> None:
        commit["ev"][-1]["seed"] = "00" * 32

    assert dispute(played.forged(len(played.commits), reveal_another).file()).kind == "event"


def test_says_where_the_first_fault_is_in_words(run: Run, keep: Keep, played: Record) -> None:
    """For people: the commit, what was expected, what stands there, the ruling and its text."""
    forged = played.forged(2, lambda commit: commit["cmd"].update(space=0))
    ran = run("verify", keep(forged.file()))
    assert ran.status == 1
    assert "1 of" in ran.out
    assert (
        "Commit 2, by seat 0 (Ann): “place obstacle, space 0”. The course has spaces 1 to 40, and "
        "0 is not one of them (obstacle-sand; Preparations 4).\n" in ran.out
    )
    assert "obstacle-sand: An obstacle goes only on a sand space" in ran.out
    assert "{" not in ran.out


def test_tells_what_no_sentence_does_in_words_too(run: Run, keep: Keep, played: Record) -> None:
    """Where both events are told alike: the field at fault, in no path and no JSON."""

    def change(commit: dict[str, Any]) -> None:
        commit["ev"][0] |= {"public": True, "options": {**commit["ev"][0]["options"], "length": 44}}

    out = run("verify", keep(played.forged(1, change).file())).out
    assert "length of options is 44 instead of 40, public is yes instead of no" in out


def test_tells_a_false_event_in_the_words_of_the_game(run: Run, keep: Keep, played: Record) -> None:
    """What the log says, what the rules say, and the ruling that it rests on."""
    forged = played.forged(2, lambda commit: commit["ev"][0].update(space=3))
    space = played.opened(2)["cmd"]["space"]
    out = run("verify", keep(forged.file())).out
    assert "the log says “seat 0 (Ann) puts an obstacle on space 3”" in out
    assert f"the rules say “seat 0 (Ann) puts an obstacle on space {space}” (obstacle-" in out


def test_says_which_bytes_cannot_be_read(run: Run, keep: Keep, played: Record) -> None:
    """Damaged bytes are named by their place in the file."""
    data = played.put(36, b"\xc1" * len(played.commits[35])).file()
    out = run("verify", keep(data)).out
    found = re.search(r"Commit 36 \(bytes ([\d,]+)–([\d,]+)\) cannot be read\.", out)
    assert found
    first, last = (int(number.replace(",", "")) for number in found.groups())
    assert data[first : last + 1].endswith(b"\xc1" * len(played.commits[35]))
    assert last - first + 1 == len(msgspec.msgpack.encode(played.commits[35]))


# ── The header ────────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize(
    ("lie", "kind"),
    [
        ({"head": "00" * 32}, "head"),
        ({"head": "nonsense"}, "head"),
        ({"count": 7}, "count"),
        ({"count": -1}, "count"),
        ({"game": "giganten"}, "header"),
    ],
)
def test_finds_a_lie_in_the_header(
    dispute: Finds, played: Record, lie: dict[str, Any], kind: str
) -> None:
    """The header's head, count and game are checked against the commits."""
    found = dispute(played.file(**lie))
    assert (found.kind, found.version) == (kind, None)


def packed(*fields: tuple[str, Any]) -> bytes:
    """A map of these fields as they stand here, one of them twice if need be."""
    values = (msgspec.msgpack.encode(value) for field in fields for value in field)
    return bytes([0x80 + len(fields)]) + b"".join(values)


@pytest.mark.parametrize(
    "written",
    [
        lambda fields: packed(*fields, ("remark", "none")),
        lambda fields: packed(("head", "00" * 32), *fields),
        lambda fields: packed(*fields, fields[1]),
        lambda fields: packed(*reversed(fields)),
        lambda fields: packed(*fields).replace(b"\xa5count", b"\xd9\x05count"),
    ],
    ids=["unknown", "doubled", "repeated", "reordered", "longer"],
)
def test_finds_a_header_that_is_written_in_another_way(
    dispute: Finds, played: Record, written: Callable[[list[tuple[str, Any]]], bytes]
) -> None:
    """It reads like a true one, and another reader may take another of two fields: kind `form`."""
    fields = list(msgspec.structs.asdict(played.header()).items())[:6]
    commits = write_commits(played.commits)
    assert packed(*fields) + commits == played.file()
    found = dispute(written(fields) + commits)
    assert (found.kind, found.version) == ("form", None)


@pytest.mark.parametrize(
    ("lie", "said"),
    [
        ({"head": "00" * 32}, "The log does not end at the head that its header names."),
        ({"count": 9}, "The header counts 9 commits, and 51 follow."),
        (
            {"game": "giganten"},
            "The header's game is not its ruleset's: giganten instead of giro-galoppo.",
        ),
    ],
)
def test_says_once_what_is_wrong_with_a_header(
    run: Run, keep: Keep, played: Record, lie: dict[str, Any], said: str
) -> None:
    """The sentence says itself that it is of the header."""
    lines = run("verify", keep(played.file(**lie))).out.splitlines()
    assert lines[1].strip() == said


def test_finds_a_header_that_names_another_match(run: Run, keep: Keep, played: Record) -> None:
    """A log under another match's name has the wrong first head, and both names are told."""
    ran = run("verify", keep(played.file(match="m2")), "--json")
    kinds = [
        (dispute["kind"], dispute.get("expected")) for dispute in ran.json["logs"][0]["disputes"]
    ]
    assert kinds == [("chain", first_prev("m2", "giro-galoppo/1").hex()), ("header", "m1")]


def test_finds_that_upper_case_is_no_head(dispute: Finds, played: Record) -> None:
    """Heads are lower-case hex everywhere."""
    assert dispute(played.file(head=played.head.upper())).kind == "head"


# ── Several sources ───────────────────────────────────────────────────────────────────────────────


def test_says_a_line_for_each_of_several_and_sums_them_up(
    run: Run, keep: Keep, played: Record
) -> None:
    """One line a log in the order given, then the counts; a dispute outweighs what is unusable."""
    fine = keep(played.file(), "a.match")
    bad = keep(played.file(head="00" * 32), "b.match")
    junk = keep(b"junk", "c.match")
    ran = run("verify", junk, fine, bad, fine.parent / "gone.match", "--all")
    starts = [line[:10].strip() for line in ran.out.splitlines() if line[0] != " "]
    assert starts[:4] == ["unusable", "not signed", "in dispute", "unusable"]
    assert "4 logs: 0 signed, 1 not signed, 1 in dispute, 2 unusable\n" in ran.out
    assert ran.status == 1
    assert run("verify", junk, fine).status == 2


def test_judges_in_several_processes_in_the_order_given(run: Run, keep: Keep) -> None:
    """Processes of their own answer the same, in the same order, of what cannot be used too."""
    records = [table(f"m{seed}", seed=seed).play(8).record() for seed in range(6)]
    bad = records[3].forged(2, lambda commit: commit["cmd"].update(space=0))
    records[3] = bad
    paths = [keep(record.file(), f"{number}.match") for number, record in enumerate(records)]
    whole = records[0].file()
    paths += [keep(whole[:-9], "cut.match"), keep(b"junk", "junk.match")]
    paths += [keep(records[1].put(1, b"junk").file(), "unread.match"), paths[0].parent / "gone"]
    alone = run("verify", *paths, "--json")
    assert alone.status == 1
    assert run("verify", *paths, "--json", "--jobs", 2) == alone


def test_needs_rules_that_are_known_here(run: Run, keep: Keep, played: Record) -> None:
    """A log of an unknown ruleset cannot be judged; the known ones are named."""
    ran = run("verify", keep(played.file(ruleset="giro-galoppo/99")))
    assert ran.status == 2
    assert "the ruleset giro-galoppo/99 is not known here" in ran.out
    assert "giro-galoppo/1" in ran.out


def test_a_log_under_anothers_name_was_exchanged(run: Run, keep: Keep, played: Record) -> None:
    """Not that a commit lies on no head: nobody who reads it knows what that is."""
    out = run("verify", keep(Record("m2", played.ruleset, played.commits).file())).out
    begins = "does not begin as a log of match m2 begins: its beginning was exchanged"
    assert f"  The log {begins}.\n" in out
