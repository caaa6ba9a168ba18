"""Where the commands write to: files, what is there and no file, and standard streams."""

from __future__ import annotations

import os
import socket
import subprocess
from pathlib import Path

import pytest

from tests.replay.conftest import Keep, Run
from tests.replay.logs import Record
from tests.replay.test_main import process

WRITING = [("pull",), ("export",), ("report",), ("bundle", "--at", "3")]


def through_a_pipe(path: Path, *args: object) -> bytes:
    """What comes out of a named pipe that a command writes to."""
    os.mkfifo(path)
    with subprocess.Popen(process(*args, "-o", path), stderr=subprocess.PIPE) as run:
        got = path.read_bytes()
    assert run.returncode == 0
    return got


def test_writes_to_a_device_and_leaves_it_there(run: Run, keep: Keep, played: Record) -> None:
    """`-o /dev/null` writes to the device: nothing is put in its place."""
    source = keep(played.file())
    for command in WRITING:
        assert run(*command, source, "-o", "/dev/null").status == 0
    assert Path("/dev/null").is_char_device()


def test_writes_to_a_pipe_that_is_there(keep: Keep, played: Record, tmp_path: Path) -> None:
    """A named pipe is written to, and is still one."""
    pipe = tmp_path / "pipe"
    assert through_a_pipe(pipe, "pull", keep(played.signed())) == played.signed()
    assert pipe.is_fifo()


def test_leaves_a_socket_that_is_there(
    run: Run, keep: Keep, played: Record, tmp_path: Path
) -> None:
    """Nothing can be written to it: that is said, and no file takes its place."""
    source, path = keep(played.file()), tmp_path / "socket"
    with socket.socket(socket.AF_UNIX) as listening:
        listening.bind(str(path))
        for command in WRITING:
            ran = run(*command, source, "-o", path)
            assert (ran.status, ran.out, ran.err.count("\n")) == (2, "", 1)
        assert path.is_socket()


@pytest.mark.parametrize("output", ["-", "/dev/stdout", "/dev/fd/1"])
def test_writes_to_standard_output(keep: Keep, played: Record, tmp_path: Path, output: str) -> None:
    """`-` and the devices of that name are standard output; what is said is on standard error."""
    command = process("pull", keep(played.file()), "-o", output)
    ran = subprocess.run(command, capture_output=True, check=True, cwd=tmp_path)
    assert ran.stdout == played.file()
    assert ran.stderr == b"m1: 51 commits written to standard output\n"
    assert [path.name for path in tmp_path.iterdir()] == ["m.match"]


def test_calls_standard_output_by_its_name(keep: Keep, played: Record) -> None:
    """A page or a bundle that went there is not said to be in a file called `-`."""
    for command in WRITING:
        ran = subprocess.run(
            process(*command, keep(played.file()), "-o", "-"), capture_output=True, check=True
        )
        assert ran.stderr == b"" or ran.stderr.endswith(b" standard output\n")


def test_writes_behind_what_a_descriptor_holds(keep: Keep, played: Record, tmp_path: Path) -> None:
    """`/dev/fd/N` is the open file itself: what was written to it before stays."""
    source, target = keep(played.file()), tmp_path / "out"
    with target.open("wb", buffering=0) as out:
        out.write(b"before\n")
        number = out.fileno()
        command = process("export", source, "-o", f"/dev/fd/{number}")
        subprocess.run(command, check=True, pass_fds=[number])
    assert target.read_bytes().startswith(b'before\n{"format"')


def test_keeps_the_mode_of_a_file_that_is_there(run: Run, keep: Keep, played: Record) -> None:
    """Who may read the old file may read the new one, and nobody else."""
    source, target = keep(played.file()), keep(b"", "out.jsonl")
    target.chmod(0o604)
    assert run("export", source, "-o", target).status == 0
    assert (target.stat().st_mode & 0o777, target.read_bytes()[:9]) == (0o604, b'{"format"')


def test_a_closed_standard_input_has_nothing_in_it(keep: Keep, played: Record) -> None:
    """Stepping through a match ends where nobody types."""
    shell = ["bash", "-c", '"$@" <&-', "bash", *process("step", keep(played.file()))]
    ran = subprocess.run(shell, capture_output=True, check=False)
    assert (ran.returncode, ran.stderr.count(b"\n")) == (0, 1)
    assert b"standard input is no terminal" in ran.stderr


def test_says_so_where_standard_output_is_closed(keep: Keep, played: Record) -> None:
    """Nowhere to print to is wrong usage, in a word; nobody to complain to is no trouble."""
    source = keep(played.file())
    for closed, status, says in ((">&-", 2, b"standard output is closed"), ("2>&-", 0, b"")):
        shell = ["bash", "-c", f'"$@" {closed}', "bash", *process("log", source)]
        ran = subprocess.run(shell, capture_output=True, check=False)
        assert (ran.returncode, says in ran.stderr) == (status, True)
        assert b"Traceback" not in ran.stderr
