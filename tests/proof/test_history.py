"""The judge of histories finds what is wrong with one."""

from __future__ import annotations

from collections.abc import Callable

import msgspec
import pytest

from referee.core.commit import head_after
from tests.proof.history import History, Plain, Seen, Sent, gaps

FIRST = bytes(32)


def log_of(*commands: str) -> list[bytes]:
    """A log of commands of one seat, whose keys are their places."""
    log, prev = [], FIRST
    for version, command in enumerate(commands, 1):
        plain = {
            "v": version, "at": 1, "by": "seat:0", "key": f"k{version}", "salt": None,
            "cmd": {"type": command}, "ev": [], "prev": prev,
        }  # fmt: skip
        log.append(msgspec.msgpack.encode(plain))
        prev = head_after(prev, log[-1])
    return log


LOG = log_of("create", "a", "b")


def head(version: int) -> str:
    """The head after a commit of the log."""
    prev: bytes = msgspec.msgpack.decode(LOG[version - 1])["prev"]
    return head_after(prev, LOG[version - 1]).hex()


def answer(version: int) -> Plain:
    """What acknowledges a commit."""
    return {"version": version, "head": head(version)}


def view(version: int, begun: float, **other: object) -> Seen:
    """What somebody saw who asked for half a second."""
    plain = {"how": "view", "who": "seat 0", "head": head(version), "body": version, **other}
    return msgspec.convert(
        {"version": version, "begun": begun, "ended": begun + 0.5, **plain}, Seen
    )


def history() -> History:
    """What may have been seen of the log: everything acknowledged, looked at now and then."""
    told = History()
    for version, command in enumerate(("a", "b"), 2):
        name = ("seat:0", f"k{version}")
        told.sent[name] = Sent(
            by=name[0], key=name[1], command={"type": command}, answers=[answer(version)]
        )
    told.seen += [view(1, 0), view(2, 1), view(3, 2), view(1, 3, how="past")]
    return told


def test_takes_a_history_that_the_log_tells() -> None:
    """Nothing is wrong with it."""
    assert history().faults(LOG) == []


def doubled(told: History) -> list[bytes]:
    """A command stands there twice."""
    again = msgspec.msgpack.decode(LOG[2]) | {"v": 4, "prev": bytes.fromhex(head(3))}
    return [*LOG, msgspec.msgpack.encode(again)]


def made_up(told: History) -> list[bytes]:
    """Nobody sent this."""
    del told.sent["seat:0", "k3"]
    return LOG


def refused(told: History) -> list[bytes]:
    """It was refused each time."""
    told.sent["seat:0", "k3"].answers.clear()
    told.sent["seat:0", "k3"].refused = 1
    return LOG


def other_command(told: History) -> list[bytes]:
    """Something else was sent under that key."""
    told.sent["seat:0", "k3"].command = {"type": "c"}
    return LOG


def answered_in_two_ways(told: History) -> list[bytes]:
    """The repeat got another answer."""
    told.sent["seat:0", "k2"].answers.append({**answer(2), "head": head(3)})
    return LOG


def went_back(told: History) -> list[bytes]:
    """Somebody saw version 3, and then somebody version 2."""
    told.seen.append(view(2, 4, who="spectator"))
    return LOG


def changed(told: History) -> list[bytes]:
    """One place was shown in two ways."""
    told.seen.append(view(3, 4, body="else"))
    return LOG


def of_another_log(told: History) -> list[bytes]:
    """A head that is not in the log."""
    told.seen.append(view(3, 4, head="00"))
    return LOG


@pytest.mark.parametrize(
    ("harm", "says"),
    [
        (lambda _: LOG[:2], "not there"),
        (lambda _: [LOG[0], LOG[2]], "says it is 3"),
        (doubled, "2 times"),
        (made_up, "nobody sent"),
        (refused, "was refused"),
        (other_command, "stands in the log as"),
        (answered_in_two_ways, "in two ways"),
        (went_back, "after 3 had been told"),
        (changed, "as 3 and as else"),
        (of_another_log, "the log has"),
    ],
)
def test_finds_what_a_log_cannot_tell(harm: Callable[[History], list[bytes]], says: str) -> None:
    """A commit lost, out of place, doubled, invented, rewritten; a view that went back in time."""
    told = history()
    log = harm(told)

    assert any(says in fault for fault in told.faults(log)), told.faults(log)


def test_finds_gaps_and_repeats_in_a_stream() -> None:
    """Each message is one version on."""
    assert gaps([2, 3, 4]) == []
    assert gaps([2, 4, 4, 3]) == [(2, 4), (4, 4), (4, 3)]
