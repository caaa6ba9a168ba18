"""`replay step` where there is no full screen: through a match by typing."""

from __future__ import annotations

import json
import os
import pty
import subprocess
import sys
from contextlib import suppress

import pytest

from referee.core.table.commands import Pause, Resume
from tests.replay.conftest import Keep, Run
from tests.replay.logs import Record, table


def versions(run: Run, path: object, typed: str, *args: object) -> list[int]:
    """The versions that are shown, in order, when this is typed."""
    ran = run("step", path, "--json", *args, stdin=typed)
    assert ran.status == 0
    return [json.loads(line)["version"] for line in ran.out.splitlines()]


def test_steps_forwards_and_backwards_and_jumps(run: Run, keep: Keep, played: Record) -> None:
    """Enter and n go on, p and b back, a number to its version, f and l to the ends."""
    path = keep(played.file())
    assert versions(run, path, "\nn\np\nb\n12\nl\nf\n") == [1, 2, 3, 2, 1, 12, 51, 1]
    assert versions(run, path, "n\nq\nn\n", "--at", 30) == [30, 31]


def test_stays_where_there_is_nothing_to_go_to(run: Run, keep: Keep, played: Record) -> None:
    """Before the first and after the last commit, and at a wrong word, it answers and stays."""
    path = keep(played.file())
    ran = run("step", path, "--json", stdin="p\n0\n52\n99999999999999\nwhat\nh\n")
    assert [json.loads(line)["version"] for line in ran.out.splitlines()] == [1]
    assert "no full screen" not in ran.err
    for answer in ("before the first commit", "The last commit is 51.", "'what' is none", "Enter"):
        assert answer in ran.err


def test_switches_the_viewer(run: Run, keep: Keep, played: Record) -> None:
    """With v and a name the same version is seen by another."""
    ran = run("step", keep(played.file()), "--json", stdin="9\nv 1\nn\nv spectator\nv seat 7\nv\n")
    seen = [(view["version"], view["viewer"]) for view in map(json.loads, ran.out.splitlines())]
    assert seen == [
        (1, "organizer"),
        (9, "organizer"),
        (9, "seat 1"),
        (10, "seat 1"),
        (10, "spectator"),
    ]
    assert "there is no seat 7" in ran.err
    assert "there is no such seat" in ran.err


def test_draws_the_board_and_tells_the_commit(run: Run, keep: Keep, played: Record) -> None:
    """Without --json each step is the headline, the commit in words, and the board."""
    ran = run("step", keep(played.file()), stdin="2\n")
    assert "version 2 of 51" in ran.out
    assert f"seat 0 (Ann) puts an obstacle on space {played.opened(2)['cmd']['space']}." in ran.out
    assert "gate" in ran.out


def test_steps_over_what_cannot_be_shown(run: Run, keep: Keep, played: Record) -> None:
    """A version that the log does not get to is said to be that, and one goes back from it."""
    ran = run("step", keep(played.put(9, b"junk").file()), stdin="9\np\n")
    assert (ran.status, "version 9 cannot be shown" in ran.out) == (1, True)
    assert "version 8 of 51" in ran.out


def test_ends_as_what_was_looked_at_deserves(run: Run, keep: Keep, played: Record) -> None:
    """Its status is 1 where anything of that rests on a fault, wherever one left."""
    path = keep(played.forged(9, lambda commit: commit["ev"].pop()).file())
    said = "commit 9 in dispute: what rests on it is not judged as true, see verify"
    for typed, seen in (("8\n", False), ("9\n", True), ("l\n2\n", True), ("s\n2\n", True)):
        for as_json in ((), ("--json",)):
            ran = run("step", path, *as_json, stdin=typed)
            assert (ran.status, said in ran.err) == (int(seen), seen), typed


def test_finds_scores_captures_and_rulings(run: Run, keep: Keep) -> None:
    """The next of them and the one before, and it says so where there is none."""
    play = table().play(9)
    play.send("organizer", Pause())
    play.send("organizer", Resume())
    path = keep(play.play().record().file())
    assert versions(run, path, "r\nr\nR\n") == [1, 11, 12, 11]
    first, last = versions(run, path, "s\nS\nc\n")[1:], table().play().match.version + 2
    assert first[0] == last
    ran = run("step", path, stdin="R\n")
    assert "There is no ruling before this." in ran.out


def test_judges_what_is_typed_instead(run: Run, keep: Keep, played: Record) -> None:
    """`if` and a command, in words, by line, as JSON or of another seat; alone it lists them."""
    typed = [
        "if place obstacle, space 5",
        "if",
        "if #1",
        'if {"type": "resign"}',
        "if organizer: pause",
    ]
    ran = run("step", keep(played.file()), stdin="\n".join([*typed, "if cai: resign", "if castle"]))
    for told in (
        "commit 2 by seat 0 (Ann), place obstacle, space 5: would be legal",
        "seat 0 (Ann) may send",
        "    #1  place obstacle, space 1",
        "seat 0 (Ann), resign: would be legal",
        "commit 2 by organizer, pause: would be legal",
        "commit 2 by seat 2 (Cai), resign: would be legal",
        "no command of this game",
    ):
        assert told in ran.out
    judged = run("step", keep(played.file()), "--json", stdin="if #1\n").out.splitlines()[1]
    assert json.loads(judged)["legal"] is True


def test_says_why_there_is_no_full_screen(run: Run, keep: Keep, played: Record) -> None:
    """On a pipe it steps by lines, and says on standard error why and how."""
    ran = run("step", keep(played.file()), stdin="q\n")
    assert ran.err == (
        "replay: no full screen, as standard input is no terminal; h lists what can be typed\n"
    )


@pytest.mark.parametrize(
    ("term", "awaited", "typed", "filled"),
    [("dumb", "›", b"12\nq\n", False), ("xterm-256color", "version 12 of 51", b"q", True)],
)
def test_works_in_a_terminal(
    keep: Keep, played: Record, term: str, awaited: str, typed: bytes, *, filled: bool
) -> None:
    """A dumb one prompts for lines, any other is filled; it leaves with q."""
    ours, theirs = pty.openpty()
    command = [sys.executable, "-m", "replay", "step", str(keep(played.file())), "--at", "12"]
    environment = {**os.environ, "TERM": term}
    with subprocess.Popen(
        command, stdin=theirs, stdout=theirs, stderr=theirs, env=environment
    ) as process:
        os.close(theirs)
        read = b""
        with suppress(OSError):  # how a terminal whose other end has gone says so
            while chunk := os.read(ours, 65536):
                met = awaited.encode() in read
                read += chunk
                if not met and awaited.encode() in read:
                    os.write(ours, typed)
    os.close(ours)
    assert (process.returncode, b"\x1b[?1049h" in read) == (0, filled)
    assert b"version 12 of 51" in read
