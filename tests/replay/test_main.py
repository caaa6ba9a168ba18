"""The command itself: as a process, with its help, its statuses and its closed pipes."""

from __future__ import annotations

import os
import pty
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from tests.replay.conftest import Keep, Ran, Run
from tests.replay.logs import Record

COMMANDS = {
    *("pull", "verify", "show", "log", "step", "explain"),
    *("diff", "report", "stats", "standings", "export", "join", "chance", "bundle"),
}


def process(*args: object) -> list[str]:
    """The command line of `replay` as a process of its own."""
    return [sys.executable, "-m", "replay", *map(str, args)]


def test_ends_with_the_status_of_its_command(keep: Keep, played: Record, tmp_path: Path) -> None:
    """0, 1 and 2 are what the process ends with; what went wrong is on standard error."""
    fine, bad = keep(played.file(), "a.match"), keep(played.file(count=1), "b.match")
    for args, status in ((("verify", fine), 0), (("verify", bad), 1), (("log", tmp_path), 2)):
        ran = subprocess.run(process(*args), capture_output=True, text=True, check=False)
        assert (ran.returncode, "Traceback" in ran.stderr) == (status, False)


def test_ends_quietly_when_nobody_reads_on(keep: Keep, played: Record) -> None:
    """A reader that has seen enough, as head does, is no dispute and no traceback."""
    args = process("export", keep(played.file()), "--raw")
    script = 'set -o pipefail; "$@" | head -c 10 >/dev/null; exit "${PIPESTATUS[0]}"'
    shell = ["bash", "-c", script, "bash", *args]
    ran = subprocess.run(shell, capture_output=True, text=True, check=False)
    assert (ran.returncode, ran.stderr) in ((141, ""), (0, ""))


def test_output_that_cannot_be_written_is_no_dispute(keep: Keep, played: Record) -> None:
    """A full disk ends the command with 2, and a line that says so."""
    with Path("/dev/full").open("wb") as full:
        ran = subprocess.run(
            process("log", keep(played.file())), stdout=full, stderr=subprocess.PIPE, check=False
        )
    assert ran.returncode == 2
    assert ran.stderr == b"replay: No space left on device\n"
    assert b"Traceback" not in ran.stderr


def test_prints_what_it_can_where_the_terminal_takes_little(keep: Keep, played: Record) -> None:
    """Where the output takes ASCII alone, signs are replaced and nothing breaks."""
    ran = subprocess.run(
        process("show", keep(played.file())),
        capture_output=True,
        check=False,
        env={"PYTHONIOENCODING": "ascii", "PYTHONPATH": str(Path.cwd())},
    )
    assert (ran.returncode, b"gate" in ran.stdout) == (0, True)


def test_imports_nothing_of_the_service() -> None:
    """The audit command stands beside the service, and loads a command when it is asked for."""
    script = (
        "import sys, replay.group\n"
        "print([name for name in sys.modules if name.startswith(('referee.http', 'litestar',"
        " 'referee.service', 'uvicorn', 'replay.commands', 'referee.games'))])"
    )
    ran = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert ran.stdout.strip() == "[]"


def test_every_command_has_help(run: Run) -> None:
    """Help says what a source is and what the statuses are, and describes every command."""
    ran = run("--help")
    assert ran.status == 0
    assert "REFEREE_TOKEN" in ran.out
    assert "1 where a dispute was found" in ran.out.replace("\n  ", " ")
    commands = [line.split()[0] for line in ran.out.partition("Commands:")[2].splitlines() if line]
    assert set(commands) == COMMANDS
    for command in commands:
        assert run(command, "--help").status == 0


@pytest.mark.parametrize("args", [[], ["nonsense"], ["verify"], ["show", "--nope"], ["pull", "x"]])
def test_wrong_usage_ends_with_two(run: Run, args: list[str]) -> None:
    """Click's usage errors have the status of wrong usage."""
    assert run(*args).status == 2


def test_says_which_command_a_typo_may_mean(run: Run) -> None:
    """As for options; of what is near nothing, that there is no such command."""
    assert "there is no verfy; did you mean verify?" in run("verfy", "x").err
    assert "No such command 'xyzzy'" in run("xyzzy").err


def test_draws_a_bar_where_somebody_watches(keep: Keep, played: Record, tmp_path: Path) -> None:
    """On a terminal's standard error many files have a bar; standard output holds no sign of it."""
    for number in range(3):
        keep(played.file(), f"many/{number}.match")
    ours, theirs = pty.openpty()
    command, env = process("verify", tmp_path / "many"), {**os.environ, "TERM": "xterm"}
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=theirs, env=env) as run:
        os.close(theirs)
        out, _ = run.communicate(timeout=60)
    drawn = os.read(ours, 65536)
    os.close(ours)
    assert (run.returncode, b"3/3" in drawn) == (0, True)
    assert "3 logs: 0 signed, 3 not signed, 0 in dispute, 0 unusable\n" in out.decode()
    assert b"\x1b" not in out


AT_AN_IMPORT = """
import os, signal, sys

class At:
    def find_spec(self, name, path=None, target=None):
        if name == {module!r} and ("--multiprocessing-fork" in sys.orig_argv) == {worker}:
            {does}

sys.meta_path.insert(0, At())
"""
"""A `sitecustomize` that does something when a process of the command imports a module."""
CTRL_C = "os.killpg(0, signal.SIGINT)"
KILL = "os.kill(os.getpid(), signal.SIGKILL)"


def verify_two(keep: Keep, played: Record, does: str, module: str, *, worker: bool) -> Ran:
    """Run verify in two processes, doing this when one imports the module."""
    code = AT_AN_IMPORT.format(module=module, worker=worker, does=does)
    site = keep(code.encode(), "site/sitecustomize.py").parent
    files = [keep(played.file(), name) for name in ("a.match", "b.match")]
    ran = subprocess.run(
        process("verify", *files, "--jobs", 2),
        capture_output=True,
        text=True,
        check=False,
        start_new_session=True,
        env={**os.environ, "PYTHONPATH": os.pathsep.join([str(site), str(Path.cwd())])},
    )
    return Ran(ran.returncode, ran.stdout, ran.stderr)


@pytest.mark.parametrize(
    ("module", "worker", "said"),
    [
        ("replay.group", False, "stopped"),
        ("replay.commands.verify", False, "stopped"),
        ("replay.judging.examine", True, "stopped after 0 of 2 logs"),
        ("referee.games.giro_galoppo", True, "stopped after 0 of 2 logs"),
    ],
)
def test_ctrl_c_is_one_line_at_whatever_moment(
    keep: Keep, played: Record, module: str, *, worker: bool, said: str
) -> None:
    """While it loads, while its processes do, and while they judge: a line, 130, no traceback."""
    ran = verify_two(keep, played, CTRL_C, module, worker=worker)
    assert ran == (130, "", f"replay: {said}\n")


def test_says_that_a_process_was_ended_from_outside(keep: Keep, played: Record) -> None:
    """As the system does where memory is short: no dispute, and nothing waits for it for ever."""
    ran = verify_two(keep, played, KILL, "replay.judging.examine", worker=True)
    assert ran == (2, "", "replay: a process that judged was ended from outside\n")


def test_what_was_found_before_ctrl_c_stays(keep: Keep, played: Record, tmp_path: Path) -> None:
    """The dispute that was found stands there, and how many logs were judged."""
    bad, pipe = keep(played.file(count=1)), tmp_path / "never.match"
    os.mkfifo(pipe)
    command = process("verify", bad, pipe)
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as run:
        assert run.stdout is not None
        found = run.stdout.readline()
        with pipe.open("wb"):  # which waits until somebody opens it for reading
            run.send_signal(signal.SIGINT)
        # Now the read ends: had it begun a moment after the signal, nothing would interrupt it.
        _, said = run.communicate(timeout=60)
    assert found.startswith(b"in dispute")
    assert (run.returncode, said) == (130, b"replay: stopped after 1 of 2 logs\n")
