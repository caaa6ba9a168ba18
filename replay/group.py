"""The group of all commands of `replay`, and the status that each ends with."""

import os
import sys
import traceback
from contextlib import suppress
from difflib import get_close_matches
from importlib import import_module
from typing import Any, Final

import click

from referee.streams import fit_streams
from replay.exits import INTERRUPTED, JUDGED, PIPE_CLOSED, UNUSABLE, Interrupted
from replay.telling.people import names_people

SUMMARIES: Final = {
    "bundle": "Write one file to show that the referee is wrong.",
    "chance": "Say whether chance is fair, over many matches.",
    "diff": "Say at which commit two logs part, and how.",
    "explain": "Say why a commit was legal, or a command refused.",
    "export": "Print a log as JSON, for other programs.",
    "join": "Make one report of those that verify --shard printed.",
    "log": "Print a line a commit: when, who, and what happened.",
    "pull": "Write a log to a match file, and what was refused.",
    "report": "Write one page for people, the board at every step.",
    "show": "Print the board and hands as a viewer saw them.",
    "standings": "Print a tournament's standings, crosstable and rounds.",
    "stats": "Print figures over many matches: length, time, results.",
    "step": "Step through a match on the terminal.",
    "verify": "Judge logs anew: signed, not signed or in dispute?",
}
"""Each command in a line that fits a terminal; its module is imported when it is asked for."""


class _Replay(click.Group):
    """The group, ending quietly where whoever read its output has read enough.

    Click's own status for that is 1, which here says that a dispute was found.
    """

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002 - click's
        return sorted(SUMMARIES)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in SUMMARIES:
            near = get_close_matches(cmd_name, SUMMARIES, n=1)
            return ctx.fail(f"there is no {cmd_name}; did you mean {near[0]}?") if near else None
        if cmd_name not in self.commands:
            part: Any = import_module(f"replay.commands.{cmd_name}")
            self.add_command(names_people(getattr(part, cmd_name)))
        return self.commands[cmd_name]

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:  # noqa: ARG002
        with formatter.section("Commands"):
            formatter.write_dl(sorted(SUMMARIES.items()))

    def invoke(self, ctx: click.Context) -> object:
        try:
            answer: object = super().invoke(ctx)
            sys.stdout.flush()
        except BrokenPipeError as error:
            _drop_output()
            raise click.exceptions.Exit(PIPE_CLOSED) from error
        except KeyboardInterrupt as error:  # click would begin its answer with an empty line
            raise Interrupted(f"stopped{ctx.meta.get(JUDGED, '')}") from error
        return answer


def _drop_output() -> None:
    """Let what is still in the buffer go nowhere: Python would try it again at exit, and end so."""
    with suppress(OSError):
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


@click.group(cls=_Replay, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(package_name="referee", prog_name="replay")
def replay() -> None:
    """Audit and replay matches.

    A SOURCE is a match file, a folder (every *.match file in it and below), a match at a
    service, http(s)://host/v1/matches/ID with the token in REFEREE_TOKEN, all of a list there,
    http(s)://host/v1/matches?tournament=NAME, a match in a store, redis://host/db#ID (also
    rediss, unix, redis+sentinel, redis+cluster), or an archive, s3://bucket/prefix (also gs, az).

    Ends with 0 where all is fine, 1 where a dispute was found, 2 where input or usage was wrong.
    Nothing is ever written to a source.
    """


def status() -> int:
    """Run the command of this process's arguments, and say what the process is to end with.

    Click's own status would be 1, a dispute, for Ctrl-C too.
    """
    fit_streams()
    try:
        # What it returns is the status of --help and the like; a command returns nothing.
        ended: int | None = replay(standalone_mode=False)
    except click.ClickException as error:
        error.show()
        return error.exit_code
    except click.Abort:  # Ctrl-C while click itself was at work
        return INTERRUPTED
    except OSError as error:  # a full disk under the output, say
        click.echo(f"replay: {error.strerror or error}", err=True)
        _drop_output()
        return UNUSABLE
    except Exception:  # noqa: BLE001 - a fault of ours; what Python ends with then means a dispute
        traceback.print_exc()
        return UNUSABLE
    return ended or 0
