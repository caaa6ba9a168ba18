"""Files that somebody made up: whatever stands in them, an answer and never a traceback."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any, Final

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from referee.core.commit import FORMAT, Header, write_match_file
from tests.replay.conftest import Keep, Run
from tests.replay.logs import Record, table

SHORT: Final = table().play(8).record()
COMMANDS: Final = (
    ["verify"], ["log"], ["show"], ["export"], ["verify", "--as", "giro-galoppo/1"],
)  # fmt: skip
UNUSABLE: Final = [2] * len(COMMANDS)
LIBRARY: Final = re.compile(r"Expected `|got `|at `\$|codec|missing required")
pack = msgspec.msgpack.encode


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A file to write to again and again."""
    return tmp_path_factory.mktemp("hostile") / "h.match"


def survives(run: Run, place: Path, data: bytes) -> list[int]:
    """Runs every command on these bytes; each must end with 0, 1 or 2 and say why."""
    place.write_bytes(data)
    statuses = []
    for command in COMMANDS:
        ran = run(*command, place)
        assert ran.status in (0, 1, 2)
        assert ran.out or ran.err
        statuses.append(ran.status)
    return statuses


# Values that a forger may put anywhere: of every kind of MessagePack, in odd sizes.
ODD: Final = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(2**63), 2**64 - 1)
    | st.floats()
    | st.text(max_size=8)
    | st.binary(max_size=40)
    | st.sampled_from(["seat:0", "seat:99", "seat:" + "9" * 5000, "organizer", 2**53, -1, []]),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(st.text(max_size=5) | st.integers(-9, 9), inner)
    ),
    max_leaves=4,
)


@given(data=st.binary(max_size=200))
@settings(max_examples=60)
def test_garbage_is_unusable(run: Run, place: Path, data: bytes) -> None:
    """Random bytes are no match file."""
    assert survives(run, place, data) == UNUSABLE


def test_a_file_cut_anywhere_is_unusable_or_in_dispute(run: Run, place: Path) -> None:
    """Cut within its header or a commit a file is unusable; between two it lacks commits."""
    record = table().play(3).record()
    whole = record.file()
    framed = [len(pack(data)) for data in record.commits]
    starts = {len(whole) - sum(framed[version:]) for version in range(len(framed))}
    for end in range(len(whole)):
        place.write_bytes(whole[:end])
        assert run("verify", place).status == (1 if end in starts else 2)


def test_no_word_of_a_library_is_said_of_damaged_files(run: Run, place: Path) -> None:
    """Bytes that cannot be read are told by their place; what a reader of them says is for none."""
    whole, second = SHORT.file(), SHORT.commits[1]
    where = whole.index(second)
    seven = b"\x07"
    damaged = [seven, whole[:9], whole[: where + 9], whole.replace(b"ruleset", b"rule\xc3set", 1)]
    damaged += [SHORT.put(2, data).file() for data in (seven, b"\x81\xa1v\xa1x", b"\xc1" * 300)]
    damaged += [SHORT.forged(2, lambda commit: commit["cmd"].update(space="x")).file()]
    page = place.with_name("page.html")
    explained = ["explain", place, "--at", 2]
    commands = [[*command, place] for command in COMMANDS] + [
        ["report", place, "-o", page],
        explained,
    ]
    for data in damaged:
        place.write_bytes(data)
        page.unlink(missing_ok=True)
        for command in commands:
            ran = run(*command)
            shown = page.read_text("utf-8").partition("<script")[0] if page.exists() else ""
            said = ran.out + ran.err + shown
            assert not LIBRARY.search(said), (command, LIBRARY.search(said), data)
    for command in (["log", place], ["show", place], explained):
        place.write_bytes(SHORT.put(2, seven).file())
        place_of_2 = f"(bytes {where - 2:,}–{where:,})"
        assert f"commit 2 {place_of_2} cannot be read" in run(*command).err


def _framed() -> list[bytes]:
    return [pack(data) for data in SHORT.commits]


@given(at=st.integers(0, len(SHORT.file()) - 1), flip=st.integers(1, 255))
@settings(max_examples=120)
def test_a_byte_changed_anywhere_is_noticed(run: Run, place: Path, at: int, flip: int) -> None:
    """No byte of a match file can be changed without a dispute or an unusable file.

    (Save where a header's text is spelled otherwise and means the same; its bytes prove nothing.)
    """
    data = bytearray(SHORT.file())
    data[at] ^= flip
    assert survives(run, place, bytes(data))[0] in (1, 2)


@given(
    at=st.integers(0, len(SHORT.file())), junk=st.binary(min_size=1, max_size=12), cut=st.booleans()
)
@settings(max_examples=60)
def test_bytes_put_in_anywhere_are_noticed(
    run: Run, place: Path, at: int, junk: bytes, *, cut: bool
) -> None:
    """Bytes put into a match file, or put in place of others, never pass for a true log."""
    data = SHORT.file()
    changed = data[:at] + junk + data[at + (len(junk) if cut else 0) :]
    if changed != data:
        assert survives(run, place, changed)[0] in (1, 2)


@given(field=st.sampled_from(Header.__struct_fields__), value=ODD)
@settings(max_examples=100)
def test_odd_values_in_a_header_are_survived(run: Run, place: Path, field: str, value: Any) -> None:
    """A header's fields may be of any type."""
    header = {**msgspec.to_builtins(SHORT.header()), field: value}
    survives(run, place, pack(header) + b"".join(_framed()))


@given(
    version=st.integers(1, 9),
    field=st.sampled_from(["v", "at", "by", "key", "cmd", "ev", "prev"]),
    value=ODD,
)
@settings(max_examples=150)
def test_odd_values_in_a_commit_are_survived(
    run: Run, place: Path, version: int, field: str, value: Any
) -> None:
    """A commit's fields may be of any type, with the chain made to fit."""
    forged = SHORT.edited(version, lambda commit: commit.update({field: value}))
    survives(run, place, forged.chained().file())


@given(version=st.integers(1, 9), value=ODD, data=st.data())
@settings(max_examples=150)
def test_odd_values_in_commands_and_events_are_survived(
    run: Run, place: Path, version: int, value: Any, data: st.DataObject
) -> None:
    """Any field of a command or an event may hold anything, with the chain made to fit."""

    def change(commit: dict[str, Any]) -> None:
        part = data.draw(st.sampled_from([commit["cmd"], *commit["ev"]]))
        part[data.draw(st.sampled_from([*part, "type", "new"]))] = value

    survives(run, place, SHORT.forged(version, change).file())


@given(value=ODD, data=st.data())
@settings(max_examples=100)
def test_odd_settings_of_a_match_are_survived(
    run: Run, place: Path, value: Any, data: st.DataObject
) -> None:
    """The creation and its event may agree on anything, seats and options included."""

    def change(commit: dict[str, Any]) -> None:
        field = data.draw(st.sampled_from([*commit["cmd"], "length", "ties", "river"]))
        for part in (commit["cmd"], commit["ev"][0]):
            (part["options"] if field in part["options"] else part)[field] = value

    survives(run, place, SHORT.forged(1, change).file())


def _nested(depth: int) -> bytes:
    return b"\x91" * depth + b"\xc0"


def _commit_with(cmd: bytes, ev: bytes) -> bytes:
    opened = {"v": 1, "at": 1, "by": "organizer", "key": None}
    fields = b"".join(pack(key) + pack(value) for key, value in opened.items())
    prev = pack("prev") + pack(bytes.fromhex(SHORT.having([]).head))
    return b"\x87" + fields + pack("cmd") + cmd + pack("ev") + ev + prev


@pytest.mark.parametrize("depth", [500, 5_000, 100_000])
def test_nesting_without_end_is_survived(run: Run, place: Path, depth: int) -> None:
    """Nesting deeper than the stack, wherever it stands, is a dispute."""
    for data in (
        _nested(depth),
        _commit_with(_nested(depth), b"\x90"),
        _commit_with(pack(SHORT.opened(1)["cmd"]), _nested(depth)),
        _commit_with(pack({"type": "resign", "x": 1}).replace(b"\x01", _nested(depth)), b"\x90"),
    ):
        forged = SHORT.having([data, *SHORT.commits[1:]])
        assert survives(run, place, forged.file())[0] == 1


@pytest.mark.parametrize("size", [b"\xc6\xff\xff\xff\xff", b"\xc5\xff\xff", b"\xc4\xff", b"\xc6"])
def test_lengths_that_are_not_there_are_unusable(run: Run, place: Path, size: bytes) -> None:
    """A commit that declares more bytes than follow is a file that was cut off."""
    assert survives(run, place, pack(SHORT.header()) + size) == UNUSABLE
    text = b"\x81\xa6format\xdb\xff\xff\xff\xff"
    assert survives(run, place, text) == UNUSABLE
    many = b"\xdf\xff\xff\xff\xff"
    assert survives(run, place, many) == UNUSABLE


@pytest.mark.parametrize(
    "cmd", [b"\xdd\xff\xff\xff\xff", b"\xdf\xff\xff\xff\xff", b"\xdb\xff\xff\xff\xff", b"\xc1", b""]
)
def test_lengths_within_a_commit_are_disputed(run: Run, place: Path, cmd: bytes) -> None:
    """Lists, maps and texts that declare more than is there make a commit that is none."""
    forged = SHORT.having([_commit_with(cmd, b"\x90"), *SHORT.commits[1:]])
    assert survives(run, place, forged.file())[0] == 1


def test_text_that_is_no_text_is_survived(run: Run, place: Path) -> None:
    """Bytes that are no UTF-8, in the header or in a commit, get an answer."""
    assert (
        survives(run, place, SHORT.file().replace(b"referee-match/1", b"referee-match/\xff"))[0]
        == 2
    )
    assert survives(run, place, SHORT.file().replace(b"\xa2m1", b"\xa2m\xff"))[0] == 2
    forged = SHORT.put(2, SHORT.commits[1].replace(b"seat:0", b"seat:\xff"))
    assert survives(run, place, forged.file())[0] == 1


def test_an_empty_file_and_one_without_commits_are_unusable(run: Run, place: Path) -> None:
    """Nothing to audit is not a log that holds."""
    assert survives(run, place, b"") == UNUSABLE
    assert survives(run, place, SHORT.having([]).file()) == UNUSABLE


def test_a_file_of_another_format_is_unusable(run: Run, keep: Keep, played: Record) -> None:
    """A format that is not known is not guessed at."""
    ran = run("verify", keep(played.file(format="referee-match/2")))
    assert (ran.status, "referee-match/2" in ran.out) == (2, True)
    assert FORMAT in ran.out


def test_events_that_no_rules_yield_are_no_traceback(run: Run, place: Path) -> None:
    """Folding and telling trust a log; what they trip over is the log's dispute."""
    far = SHORT.forged(2, lambda commit: commit["ev"][0].update(seat=99))
    assert survives(run, place, far.file())[:3] == [1, 1, 1]
    left = {"type": "withdrawn", "seat": 99, "why": "resigned", "reason": None}
    gone = SHORT.forged(2, lambda commit: commit["ev"].append(left))
    assert survives(run, place, gone.file())[:3] == [1, 1, 1]
    back = {"type": "taken_back", "to": 500, "reason": None}
    assert survives(run, place, SHORT.forged(2, lambda c: c["ev"].append(back)).file())[0] == 1


def test_a_file_of_a_million_empty_commits_is_answered_soon(run: Run, place: Path) -> None:
    """Many tiny commits cost no more than reading them."""
    data = write_match_file(SHORT.header(count=10**6), [])
    place.write_bytes(data + b"\xc4\x00" * 10**6)
    assert run("verify", place).status == 1


def test_no_options_out_of_bounds_are_drawn(run: Run, place: Path) -> None:
    """A course of 10^15 spaces would keep whoever looks at it busy for ever."""

    def change(commit: dict[str, Any]) -> None:
        for part in (commit["cmd"], commit["ev"][0]):
            part["options"]["length"] = 10**15

    place.write_bytes(SHORT.forged(1, change).file())
    ran = run("show", place)
    assert (ran.status, "options.length must be 20 to 80" in ran.err) == (1, True)
