"""The audit: a log that was played is proven, and a log that was not has its first fault named."""

from __future__ import annotations

import dataclasses
import tracemalloc
from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from referee.core.commit import FORMAT, Header, first_prev, read_match_file, write_match_file
from referee.core.rules import BadLog, Rules
from referee.core.ruling import Ruling, ruling
from referee.core.table.commands import Pause, Resume
from referee.core.verify import Chain, Verdict, fold_log, verify
from tests.core.forging import PLAYED, Plain, audit, forged, rechained
from tests.core.play import Play
from tests.toy_game import GAME as PEBBLES
from tests.toy_game.types import Guess


def test_a_log_that_was_played_is_proven_to_its_end() -> None:
    """No fault, every head, and the match as it stands."""
    verdict = audit(PLAYED.log)
    assert verdict.dispute is None
    assert verdict.proven == len(PLAYED.log)
    assert verdict.chain.heads == b"".join(decided.match.head for decided in PLAYED.decided)
    assert verdict.match == PLAYED.match


def test_a_log_cut_short_is_proven_as_far_as_it_goes() -> None:
    """A match in play is a log like another."""
    for length in range(len(PLAYED.log) + 1):
        verdict = audit(PLAYED.log[:length])
        assert (verdict.dispute, verdict.proven) == (None, length)


def test_an_empty_log_proves_nothing() -> None:
    """And is no fault."""
    assert audit([]) == Verdict(0, None, Chain("m1", first_prev("m1", "pebbles/1")))


@given(st.integers(0, len(PLAYED.log) - 1), st.integers(0), st.integers(1, 255))
def test_a_flipped_byte_is_found_at_or_before_the_next_commit(
    index: int, at: int, flip: int
) -> None:
    """Whatever byte of whatever commit, but for the last.

    Nothing after the last bears witness to its time or key: its head does, outside the log.
    """
    log = list(PLAYED.log)
    at %= len(log[index])
    log[index] = log[index][:at] + bytes([log[index][at] ^ flip]) + log[index][at + 1 :]
    dispute = audit(log).dispute
    if dispute is None:
        assert index == len(log) - 1
    else:
        assert dispute.version in (index + 1, index + 2)


def test_a_commit_left_out_or_moved_breaks_the_chain() -> None:
    """The first that does not lie on the head before it is named."""
    log = PLAYED.log
    for broken, version in (
        ([*log[:3], *log[4:]], 4),
        ([*log[:3], log[4], log[3], *log[5:]], 4),
        ([*log[:3], log[2], *log[3:]], 4),
        (log[1:], 1),
    ):
        dispute = audit(broken).dispute
        assert dispute is not None
        assert (dispute.kind, dispute.version) == ("chain", version)
        assert dispute.expected != dispute.found


def test_another_matchs_log_does_not_pass_for_this_one() -> None:
    """Its first commit lies on another head; and a new chain does not help."""
    dispute = audit(PLAYED.log, "m2").dispute
    assert dispute is not None
    assert (dispute.kind, dispute.version) == ("chain", 1)
    commits = [msgspec.msgpack.decode(data) for data in PLAYED.log]
    dispute = audit(rechained(commits, "m2"), "m2").dispute
    assert dispute is not None
    assert dispute.kind == "unreadable"
    assert "creates m1" in dispute.message


def test_a_wrong_version_is_named() -> None:
    """Even where the chain was made to fit."""
    dispute = forged(lambda commits: commits[3].update(v=9))
    assert (dispute.kind, dispute.version, dispute.expected, dispute.found) == ("version", 4, 4, 9)


def test_time_that_runs_backwards_is_named() -> None:
    """A commit stamped before the one before it."""
    dispute = forged(lambda commits: commits[5].update(at=commits[4]["at"] - 1))
    assert (dispute.kind, dispute.version) == ("time", 6)


@pytest.mark.parametrize(
    ("version", "change", "ruling"),
    [
        (2, {"cmd": {"type": "hide", "pebbles": 9}}, "in-the-fist"),
        (2, {"by": "seat:7"}, "not-seated"),
        (4, {"by": "seat:1", "cmd": {"type": "guess", "total": 1}}, "wrong-phase"),
        (9, {"by": "seat:2"}, "withdrawn"),
        (3, {"cmd": {"type": "take_back", "to": 2, "reason": "x"}}, "takeback-target"),
    ],
)
def test_a_command_that_was_not_lawful_is_named_with_its_ruling(
    version: int, change: Plain, ruling: str
) -> None:
    """The command itself is shown."""
    dispute = forged(lambda commits: commits[version - 1].update(change))
    assert dispute.ruling is not None
    assert (dispute.kind, dispute.version, dispute.ruling.id) == ("illegal", version, ruling)
    assert dispute.found["type"]


def test_a_command_that_its_sender_may_not_send_is_illegal() -> None:
    """A seat that rules like an arbiter, and the service that plays."""
    as_seat = forged(lambda commits: commits[2].update(by="seat:0"))
    assert (as_seat.kind, as_seat.version, as_seat.ruling) == ("illegal", 3, None)
    as_service = forged(lambda commits: commits[7].update(by="service"))
    assert (as_service.kind, as_service.version, as_service.ruling) == ("illegal", 8, None)


def test_a_take_back_to_what_lies_ahead_is_illegal() -> None:
    """A version that the log has not reached."""
    command = {"type": "take_back", "to": 40, "reason": "x"}
    dispute = forged(lambda commits: commits[2].update(cmd=command))
    assert dispute.ruling is not None
    assert (dispute.kind, dispute.ruling.id) == ("illegal", "takeback-target")


@pytest.mark.parametrize(
    ("version", "index", "change"),
    [
        (1, 1, {"die": 2}),
        (1, 0, {"public": True}),
        (2, 0, {"pebbles": 2}),
        (7, 1, {"seat": 2}),
        (9, 0, {"right": False, "total": 3}),
    ],
    ids=["a die that the seed does not roll", "the setting", "a choice", "a name", "an outcome"],
)
def test_an_event_that_its_command_does_not_yield_is_named(
    version: int, index: int, change: Plain
) -> None:
    """With its place, what was due and what stands there."""
    dispute = forged(lambda commits: commits[version - 1]["ev"][index].update(change))
    assert (dispute.kind, dispute.version, dispute.index) == ("event", version, index)
    assert dispute.expected != dispute.found
    assert all(dispute.found[key] == value for key, value in change.items())


@pytest.mark.parametrize("more", [True, False], ids=["one too many", "one too few"])
def test_an_event_too_many_or_too_few_is_named(more: bool) -> None:  # noqa: FBT001
    """What is missing, or what is not due, is None on the other side."""

    def change(commits: list[Plain]) -> None:
        events = commits[6]["ev"]
        if more:
            events.append(events[0])
        else:
            events.pop()

    dispute = forged(change)
    assert (dispute.kind, dispute.version) == ("event", 7)
    assert (dispute.expected is None, dispute.found is None) == (more, not more)


def test_a_ranking_that_does_not_follow_is_named_as_that() -> None:
    """The last commit's result, changed."""

    def change(commits: list[Plain]) -> None:
        commits[-1]["ev"][1]["winners"] = [1]

    dispute = forged(change)
    assert (dispute.kind, dispute.version, dispute.index) == ("ranking", 9, 1)


def test_an_end_that_is_not_due_or_is_missing_is_a_wrong_ranking() -> None:
    """Whether it was put in or left out."""
    ended = msgspec.msgpack.decode(PLAYED.log[-1])["ev"][1]
    put_in = forged(lambda commits: commits[3]["ev"].append(ended))
    assert (put_in.kind, put_in.version, put_in.expected) == ("ranking", 4, None)
    left_out = forged(lambda commits: commits[-1].update(ev=commits[-1]["ev"][:1]))
    assert (left_out.kind, left_out.version, left_out.found) == ("ranking", 9, None)


def test_a_seed_that_does_not_keep_its_commitment_is_named() -> None:
    """Another seed in the command deals another die and has another commitment."""
    dispute = forged(lambda commits: commits[0]["cmd"].update(seed="11" * 32))
    assert (dispute.kind, dispute.version) == ("event", 1)
    assert dispute.expected["seed_commitment"] != dispute.found["seed_commitment"]


@pytest.mark.parametrize(
    ("version", "change"),
    [
        (2, {"cmd": {"type": "fly"}}),
        (2, {"cmd": {"type": "hide"}}),
        (2, {"cmd": {"type": "hide", "pebbles": "2"}}),
        (2, {"cmd": {"type": "create_match"}}),
        (2, {"ev": [{"type": "flown"}]}),
        (2, {"ev": 3}),
        (2, {"by": "seat:x"}),
        (2, {"by": None}),
        (2, {"witness": "me"}),
        (1, {"cmd": {"type": "resign"}}),
    ],
)
def test_what_is_no_commit_of_this_ruleset_is_unreadable(version: int, change: Plain) -> None:
    """Unknown commands, events and fields are never passed over."""
    dispute = forged(lambda commits: commits[version - 1].update(change))
    assert (dispute.kind, dispute.version) == ("unreadable", version)
    assert dispute.message


def test_a_second_creation_is_unreadable() -> None:
    """A match is created once."""
    dispute = forged(lambda commits: commits[1].update(cmd=commits[0]["cmd"], ev=commits[0]["ev"]))
    assert (dispute.kind, dispute.version) == ("unreadable", 2)


@pytest.mark.parametrize(
    "change",
    [
        {"seats": [{"name": "solo"}]},
        {"entropy": [""]},
        {"options": {"rounds": 99}},
        {"round": 2},
        {"idle_s": 59},
    ],
    ids=["seats", "entropy", "options", "a round of nothing", "idle too soon"],
)
def test_a_match_that_could_not_be_created_is_illegal(change: Plain) -> None:
    """Its first commit is at fault."""
    dispute = forged(lambda commits: commits[0]["cmd"].update(change))
    assert (dispute.kind, dispute.version) == ("illegal", 1)


@given(st.binary(max_size=60))
def test_garbage_in_the_log_is_unreadable(data: bytes) -> None:
    """And what is before it is proven."""
    verdict = audit([*PLAYED.log[:4], data])
    assert verdict.dispute is not None
    assert (verdict.dispute.kind, verdict.dispute.version) == ("unreadable", 5)
    assert (verdict.proven, verdict.match) == (4, PLAYED.at(4))


def test_everything_before_the_fault_is_proven() -> None:
    """The verdict holds the state before it."""
    log = [*PLAYED.log[:5], PLAYED.log[6]]
    verdict = audit(log)
    assert verdict.proven == 5
    assert verdict.match == PLAYED.at(5)
    assert len(verdict.chain) == 5


def test_of_a_long_log_heads_are_kept_and_no_commits() -> None:
    """Of each commit less than its own bytes are in memory when all are judged."""
    play = Play(PEBBLES)
    for _ in range(300):
        play.take("organizer", Pause())
        play.take("organizer", Resume())
    header = Header(FORMAT, "m1", "pebbles", "pebbles/1", play.match.head.hex(), len(play.log))
    file = read_match_file(write_match_file(header, play.log))
    verify(play.rules, "m1", file.commits)
    tracemalloc.start()
    verdict = verify(play.rules, "m1", file.commits)
    kept, _ = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert (verdict.dispute, verdict.proven) == (None, 601)
    assert kept < min(map(len, play.log)) * 601


@pytest.mark.parametrize("version", [63, 64, 65, 66, 128, 129])
@pytest.mark.parametrize("kind", ["version", "time", "illegal", "unreadable", "form", "event"])
def test_a_fault_far_on_in_a_log_is_found_where_it_is(kind: str, version: int) -> None:
    """Commits are read some at a time, and all that stand before the first at fault are proven."""
    play = Play(PEBBLES)
    for _ in range(70):
        play.take("organizer", Pause())
        play.take("organizer", Resume())
    commits = [msgspec.msgpack.decode(data) for data in play.log]
    commits[version - 1].update(
        {
            "version": {"v": version + 1},
            "time": {"at": commits[version - 2]["at"] - 1},
            "illegal": {"by": "seat:0"},
            "unreadable": {"cmd": {"type": "dance"}},
            "form": {"key": ""},
            "event": {"ev": commits[version - 2]["ev"]},
        }[kind]
    )
    verdict = verify(play.rules, "m1", rechained(commits))
    assert verdict.dispute is not None
    assert (verdict.dispute.kind, verdict.dispute.version) == (kind, version)
    assert (verdict.proven, len(verdict.chain)) == (version - 1, len(commits))
    assert verdict.match is not None
    assert verdict.match.version == version - 1
    broken = verify(play.rules, "m1", [*play.log[: version - 1], b"", *play.log[version:]])
    assert (broken.proven, len(broken.chain)) == (version - 1, version - 1)


# ── By another version of the rules ───────────────────────────────────────────────────────────────


def second_version(**changes: Any) -> Rules:
    """The toy game's rules as version 2, but for these fields."""
    return Rules(dataclasses.replace(PEBBLES, version=2, **changes))


def test_rules_that_are_alike_judge_a_log_of_another_version_alike() -> None:
    """The ruleset's name is no difference; without a word of it the whole log is another's."""
    verdict = verify(second_version(), "m1", PLAYED.log, played_under="pebbles/1")
    assert (verdict.dispute, verdict.proven) == (None, len(PLAYED.log))
    other = verify(second_version(), "m1", PLAYED.log).dispute
    assert other is not None
    assert (other.kind, other.version) == ("chain", 1)


def test_a_commit_that_other_rules_judge_otherwise_is_told_beside_the_chain() -> None:
    """The log itself may be in order, or out of it further on."""
    refuses = ruling("not-here")(lambda _state, _by, _command: "Not any more.")
    guess = PEBBLES.commands[1]
    assert guess.command is Guess
    commands = (PEBBLES.commands[0], dataclasses.replace(guess, rulings=(refuses,)))
    rulings = (*PEBBLES.rulings, Ruling("not-here", "Guesses are over.", "house"))
    rules = second_version(commands=commands, rulings=rulings)
    verdict = verify(rules, "m1", PLAYED.log, played_under="pebbles/1")
    assert (verdict.chain.dispute, verdict.proven) == (None, len(PLAYED.log) - 1)
    assert verdict.differs is not None
    assert (verdict.differs.kind, verdict.differs.version) == ("illegal", len(PLAYED.log))


@pytest.mark.parametrize("kind", ["version", "time"])
def test_the_order_of_a_log_is_proven_whoever_judges_it(kind: str) -> None:
    """A gap in the numbers and a stamp that goes back are no matter of rules."""
    commits = [msgspec.msgpack.decode(data) for data in PLAYED.log]
    commits[4].update({"v": 9} if kind == "version" else {"at": commits[3]["at"] - 1})
    verdict = verify(second_version(), "m1", rechained(commits), played_under="pebbles/1")
    assert (verdict.differs, verdict.proven, len(verdict.chain)) == (None, 4, len(commits))
    assert verdict.dispute is not None
    assert (verdict.dispute.kind, verdict.dispute.version) == (kind, 5)


def test_what_the_rules_trip_over_is_in_dispute_at_its_commit() -> None:
    """Whatever they raise, once, and everything before it is proven."""
    seen: list[int] = []

    def trips(_state: Any, _by: Any, command: Any) -> str | None:
        seen.append(1 // (command.pebbles - 3))
        return None

    hide = dataclasses.replace(PEBBLES.commands[0], rulings=(ruling("trips")(trips),))
    rules = Rules(dataclasses.replace(PEBBLES, commands=(hide, PEBBLES.commands[1])))
    version = next(n for n, data in enumerate(PLAYED.log, 1) if b"\xa7pebbles\x03" in data)
    verdict = verify(rules, "m1", PLAYED.log)
    assert verdict.dispute is not None
    assert (verdict.dispute.kind, verdict.dispute.version) == ("unreadable", version)
    assert "ZeroDivisionError" in verdict.dispute.message
    assert (verdict.proven, verdict.match) == (version - 1, PLAYED.at(version - 1))
    assert len(seen) == 2, "those before it, each judged once"


# ── Folding ───────────────────────────────────────────────────────────────────────────────────────


def test_folding_a_log_gives_the_match_without_judging() -> None:
    """In one go, or on top of what was folded before."""
    assert fold_log(PLAYED.rules, PLAYED.log) == PLAYED.match
    assert fold_log(PLAYED.rules, PLAYED.log[3:], PLAYED.at(3)) == PLAYED.match


def test_folding_on_needs_the_state_to_which_the_log_goes_back() -> None:
    """A take-back to before the part that was given."""
    with pytest.raises(BadLog, match="the state after commit 1 is not at hand"):
        fold_log(PLAYED.rules, PLAYED.log[2:], PLAYED.at(2))


def test_folding_a_log_with_a_gap_or_nothing_in_it_is_a_bad_log() -> None:
    """Loud, as everything that reads a log is."""
    for log in ([], PLAYED.log[1:], [*PLAYED.log[:2], *PLAYED.log[3:]], [b"\xc1"]):
        with pytest.raises(BadLog):
            fold_log(PLAYED.rules, log)
