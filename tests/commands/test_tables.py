"""Tables for people can be read wherever they are printed."""

from __future__ import annotations

import fcntl
import os
import pty
import re
import struct
import subprocess
import sys
import termios

PROGRAM = """
from rich.table import Table
from referee.tables import print_table
table = Table("a long heading", "value", title="[not markup]")
table.add_row("x" * 60, "redis://a.long.address.example:6379/0")
print_table(table)
"""
COMMAND = [sys.executable, "-c", PROGRAM]
NARROW = 40


WORDS = """
from rich.table import Table
from referee.tables import print_table
table = Table("rank", "player", "provisional", "result")
table.add_row("1", "Ann", "2", "won by far, in the end")
print_table(table)
wide = Table(*(f"sonneborn{number}" for number in range(6)))
wide.add_row(*"123456")
print_table(wide)
"""


def on_a_terminal(program: str = PROGRAM) -> list[str]:
    """What a program prints to a terminal of so many columns, without its colours."""
    ours, theirs = pty.openpty()
    fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 24, NARROW, 0, 0))
    env = {name: value for name, value in os.environ.items() if name != "COLUMNS"}
    command = [*COMMAND[:-1], program]
    subprocess.run(command, check=True, stdout=theirs, env=env | {"TERM": "xterm"})
    os.close(theirs)
    printed = b""
    try:
        while more := os.read(ours, 65536):
            printed += more
    except OSError:  # how Linux tells that the other end is closed
        pass
    os.close(ours)
    return re.sub(r"\x1b\[[0-9;]*m", "", printed.decode()).splitlines()


def test_a_table_in_a_pipe_keeps_every_row_on_one_line() -> None:
    """However narrow the terminal is from which it comes, and without blanks at the end."""
    env = {**os.environ, "COLUMNS": str(NARROW)}
    done = subprocess.run(COMMAND, check=True, capture_output=True, text=True, env=env)
    lines = done.stdout.splitlines()
    assert [line.split() for line in lines if line and "─" not in line] == [
        ["[not", "markup]"],
        ["a", "long", "heading", "value"],
        ["x" * 60, "redis://a.long.address.example:6379/0"],
    ]
    assert [line for line in lines if line != line.rstrip()] == []


def test_a_table_on_a_terminal_fits_and_cuts_nothing_off() -> None:
    """What is too wide for its column goes on below."""
    lines = on_a_terminal()
    assert max(map(len, lines)) <= NARROW
    rows = [line.split() for line in lines if "xxx" in line]
    assert "".join(row[0] for row in rows) == "x" * 60
    assert "".join(row[1] for row in rows if row[1:]) == "redis://a.long.address.example:6379/0"


def test_a_narrow_terminal_breaks_no_word() -> None:
    """Columns come closer, sentences go on below, and rows of too many columns become lists."""
    lines = [line.split() for line in on_a_terminal(WORDS) if line and "─" not in line]
    assert lines[:3] == [
        ["rank", "player", "provisional", "result"],
        ["1", "Ann", "2", "won", "by", "far,", "in"],
        ["the", "end"],
    ]
    told = " ".join(word for line in lines[3:] for word in line)
    assert told == ", ".join(f"sonneborn{number} {number + 1}" for number in range(6))
