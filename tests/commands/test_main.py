"""`referee` as a process: how it ends where something cannot be had."""

from __future__ import annotations

import os
import socket
import subprocess
import sys
from pathlib import Path

import pytest


def referee(*arguments: object, **environ: str) -> subprocess.CompletedProcess[str]:
    """Run the command to its end."""
    own = {name: text for name, text in os.environ.items() if not name.startswith("REFEREE_")}
    command = [sys.executable, "-m", "referee", *map(str, arguments)]
    return subprocess.run(
        command, env=own | environ, capture_output=True, errors="replace", check=False, timeout=60
    )


@pytest.mark.parametrize("arguments", [("schemas",), ("selfplay", "giro-galoppo", "-n", "1")])
def test_a_folder_that_cannot_be_made_is_said_in_one_line(
    tmp_path: Path, arguments: tuple[str, ...]
) -> None:
    """What the system refuses ends the command with its words, and no traceback."""
    (tmp_path / "file").write_text("no folder")

    ended = referee(*arguments, "-o", tmp_path / "file" / "out")

    assert ended.returncode == 1
    assert ended.stderr.startswith("Error: ")
    assert "Traceback" not in ended.stderr


def test_a_port_that_is_taken_is_named(tmp_path: Path) -> None:
    """With its address; and no store was started for it."""
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        ended = referee("serve", "--port", port, REFEREE_DATA_DIR=str(tmp_path / "data"))

    assert ended.returncode == 1
    assert f"REFEREE_HOST, REFEREE_PORT: cannot listen on 127.0.0.1, port {port}: " in ended.stderr
    assert not (tmp_path / "data" / "redis").exists()


@pytest.mark.parametrize(
    ("name", "value"), [("HOST", 300 * "a"), ("DATA_DIR", "/proc/nowhere"), ("METRICS_PORT", "1")]
)
def test_what_only_the_system_can_judge_is_told_of_the_setting(
    tmp_path: Path, name: str, value: str
) -> None:
    """A host that no name can be, a folder that cannot be made, a port that is taken."""
    told = {"REFEREE_DATA_DIR": str(tmp_path), "REFEREE_PORT": "0", f"REFEREE_{name}": value}
    with socket.create_server(("127.0.0.1", 0)) as taken:
        if name == "METRICS_PORT":
            told["REFEREE_METRICS_PORT"] = str(taken.getsockname()[1])
        ended = referee("serve", **told)

    assert ended.returncode == 1
    assert ended.stderr.startswith("Error: REFEREE_")
    assert f"REFEREE_{name}" in ended.stderr
    assert ended.stderr.count("\n") == 1


@pytest.mark.parametrize("part", ["games", "settings", "--help"])
def test_prints_whatever_the_encoding_of_the_output_lacks(part: str) -> None:
    """Signs that it has no code for are replaced; no traceback, status 0."""
    ended = referee(part, PYTHONIOENCODING="koi8-r")

    assert (ended.returncode, ended.stderr, ended.stdout[1:] != "") == (0, "", True)
