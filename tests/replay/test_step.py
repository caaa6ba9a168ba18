"""`replay step`: through a match by typing."""

from __future__ import annotations

import json
import os
import pty
import subprocess
import sys

import pytest

from tests.replay.conftest import Keep, Run
from tests.replay.logs import Record


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


@pytest.mark.skipif(not hasattr(os, "openpty"), reason="there are no terminals to pretend to")
def test_works_in_a_terminal(keep: Keep, played: Record) -> None:
    """On a terminal it prompts, clears the screen for each step, and ends with the input."""
    ours, theirs = pty.openpty()
    command = [sys.executable, "-m", "replay", "step", str(keep(played.file()))]
    with subprocess.Popen(command, stdin=theirs, stdout=theirs, stderr=theirs) as process:
        os.close(theirs)
        os.write(ours, b"\n12\nq\n")
        shown = b""
        try:
            while chunk := os.read(ours, 65536):
                shown += chunk
        except OSError:  # how a terminal whose other end has gone says so
            pass
    os.close(ours)
    assert (process.returncode, b"version 12 of 51" in shown) == (0, True)
    assert b"\x1b[2J" in shown
    assert "›".encode() in shown
