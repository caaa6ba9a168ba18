"""The audit: a commit is written in one way, and what is beside its facts is what it can be."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import msgpack  # type: ignore[import-untyped]
import msgspec
import pytest

from referee.core.commit import LATEST, first_prev, head_after
from referee.core.verify import reason
from tests.core.forging import PLAYED, Plain, audit, forged, rechained


def rewritten(version: int, change: Callable[[bytes], bytes]) -> list[bytes]:
    """The played log with one commit's bytes changed, and a new chain over all after it."""
    head, log = first_prev("m1", "pebbles/1"), []
    for number, data in enumerate(PLAYED.log, 1):
        commit = msgspec.msgpack.encode(msgspec.msgpack.decode(data) | {"prev": head})
        log.append(change(commit) if number == version else commit)
        head = head_after(head, log[-1])
    return log


def test_a_log_packed_anew_is_the_same() -> None:
    """The forger of these tests changes nothing by itself."""
    assert rewritten(1, lambda data: data) == PLAYED.log


def _values(data: bytes) -> list[tuple[int, int]]:
    """Where each value of a packed commit begins and ends, inner ones included."""
    spans: list[tuple[int, int]] = []

    def walk(at: int) -> int:
        reader = msgpack.Unpacker(max_buffer_size=0)
        reader.feed(data[at:])
        kind = data[at]
        if 0x80 <= kind < 0xA0:
            reader.read_map_header() if kind < 0x90 else reader.read_array_header()
            end = at + int(reader.tell())
            for _ in range((kind & 15) * (2 if kind < 0x90 else 1)):
                end = walk(end)
        else:
            reader.skip()
            end = at + int(reader.tell())
        spans.append((at, end))
        return end

    walk(0)
    return spans


def _longer(value: bytes) -> list[bytes]:
    """The same value in every longer form that MessagePack has for it."""
    kind, sizes = value[0], tuple[tuple[int, int], ...]()
    if kind < 0x80:
        sizes = ((0xCC, 1), (0xCD, 2), (0xCE, 4), (0xCF, 8), (0xD0, 1), (0xD3, 8))
        return [bytes([code]) + kind.to_bytes(size, "big") for code, size in sizes]
    if 0xA0 <= kind < 0xC0:
        sizes = ((0xD9, 1), (0xDA, 2), (0xDB, 4))
        return [
            bytes([code]) + (kind & 31).to_bytes(size, "big") + value[1:] for code, size in sizes
        ]
    if 0x80 <= kind < 0xA0:
        two, four = (0xDE, 0xDF) if kind < 0x90 else (0xDC, 0xDD)
        sizes = ((two, 2), (four, 4))
        return [
            bytes([code]) + (kind & 15).to_bytes(size, "big") + value[1:] for code, size in sizes
        ]
    if kind == 0xC4:
        sizes = ((0xC5, 2), (0xC6, 4))
        return [bytes([code]) + value[1].to_bytes(size, "big") + value[2:] for code, size in sizes]
    return []


@pytest.mark.parametrize("version", range(1, len(PLAYED.log) + 1))
def test_no_commit_that_reads_alike_in_other_bytes_is_proven(version: int) -> None:
    """Every value of it in every longer form of MessagePack: none is called fine."""
    plain = PLAYED.log[version - 1]
    tried = 0
    for start, end in _values(plain):
        for longer in _longer(plain[start:end]):
            data = plain[:start] + longer + plain[end:]
            assert msgspec.msgpack.decode(data) == msgspec.msgpack.decode(plain)
            verdict = audit(rewritten(version, lambda _, data=data: data))  # type: ignore[misc]
            assert verdict.dispute is not None, (start, longer)
            assert verdict.dispute.version == version
            assert (verdict.dispute.kind, verdict.proven) == ("form", version - 1)
            tried += 1
    assert tried > 20


def reordered(plain: Plain) -> bytes:
    """Its fields in another order."""
    return msgspec.msgpack.encode(dict(reversed(plain.items())))


def doubled(field: str, twin: Any) -> Callable[[Plain], bytes]:
    """One field twice: the last, which readers take, is the true one."""

    def change(plain: Plain) -> bytes:
        packed = msgspec.msgpack.encode(plain)
        first = msgspec.msgpack.encode(field) + msgspec.msgpack.encode(twin)
        return bytes([packed[0] + 1]) + first + packed[1:]

    return change


@pytest.mark.parametrize(
    "change",
    [
        reordered,
        doubled("cmd", {"type": "hide", "pebbles": 3}),
        doubled("key", "other"),
        doubled("at", 7),
        lambda plain: msgspec.msgpack.encode(plain | {"cmd": dict(reversed(plain["cmd"].items()))}),
        lambda plain: msgspec.msgpack.encode(
            plain | {"ev": [dict(reversed(event.items())) for event in plain["ev"]]}
        ),
        lambda plain: msgspec.msgpack.encode(plain | {"more": 1}),
    ],
    ids=["order", "cmd twice", "key twice", "at twice", "command's order", "events' order", "more"],
)
def test_a_commit_is_written_in_one_way(change: Callable[[Plain], bytes]) -> None:
    """Fields twice, in another order, or more of them: in dispute, though readers take it."""
    log = rewritten(2, lambda data: change(msgspec.msgpack.decode(data)))
    dispute = audit(log).dispute
    assert dispute is not None
    assert (dispute.kind, dispute.version) in {("form", 2), ("unreadable", 2)}


@pytest.mark.parametrize(
    ("version", "changes"),
    [
        (2, {"salt": None}),
        (2, {"salt": b""}),
        (2, {"salt": bytes(11)}),
        (2, {"salt": bytes(13)}),
        (3, {"salt": bytes(12)}),
        (2, {"key": ""}),
        (2, {"key": "x" * 65}),
        (2, {"key": "a b"}),
        (2, {"key": "a\n"}),
        (2, {"key": "\x1b[2J"}),
        (2, {"key": "ключ"}),
        (1, {"at": -1}),
        (1, {"at": 2**53 + 1}),
    ],
)
def test_salts_keys_and_times_are_what_they_can_be(version: int, changes: Plain) -> None:
    """A salt where something can be hidden and nowhere else, a key that could be sent, a time."""

    def change(commits: list[Plain]) -> None:
        commits[version - 1].update(changes)

    dispute = forged(change)
    assert (dispute.kind, dispute.version) == ("form", version)


@pytest.mark.parametrize("at", [0, LATEST])
def test_the_first_and_the_last_stamp_are_times(at: int) -> None:
    """At the bounds, both included."""
    first = msgspec.msgpack.decode(PLAYED.log[0]) | {"at": at}
    assert audit(rechained([first])).dispute is None


@pytest.mark.parametrize(
    ("error", "said"),
    [
        (ValueError("no such thing"), "no such thing"),
        (ValueError(), "ValueError"),
        (KeyError("a"), "KeyError: 'a'"),
        (RecursionError(), "RecursionError"),
    ],
)
def test_an_exception_is_said_in_one_line(error: Exception, said: str) -> None:
    """By its type where its text alone says nothing."""
    assert reason(error) == said


def test_a_salt_enters_nothing_but_the_head() -> None:
    """Another one is another head, and the same match, drawn alike."""

    def change(commits: list[Plain]) -> None:
        commits[1]["salt"] = bytes(12)

    commits = [msgspec.msgpack.decode(data) for data in PLAYED.log]
    change(commits)
    verdict = audit(rechained(commits))
    assert verdict.dispute is None
    assert verdict.match is not None
    assert verdict.match.head != PLAYED.match.head
    assert verdict.match.state == PLAYED.match.state
