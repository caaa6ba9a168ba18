"""The `replay` command."""

import os
import sys
import traceback
from contextlib import suppress
from typing import Final

import click

from referee.streams import fit_streams
from replay.commands.bundle import bundle
from replay.commands.chance import chance
from replay.commands.diff import diff
from replay.commands.explain import explain
from replay.commands.export import export
from replay.commands.join import join
from replay.commands.log import log
from replay.commands.pull import pull
from replay.commands.report import report
from replay.commands.show import show
from replay.commands.standings import standings
from replay.commands.stats import stats
from replay.commands.step import step
from replay.commands.verify import verify
from replay.exits import UNUSABLE
from replay.telling.people import names_people

INTERRUPTED: Final = 130
PIPE_CLOSED: Final = 141


class _Replay(click.Group):
    """The group, ending quietly where whoever read its output has read enough.

    Click's own status for that is 1, which here says that a dispute was found.
    """

    def invoke(self, ctx: click.Context) -> object:
        try:
            answer: object = super().invoke(ctx)
            sys.stdout.flush()
        except BrokenPipeError as error:
            _drop_output()
            raise click.exceptions.Exit(PIPE_CLOSED) from error
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


OF_ONE: Final = (show, log, step, explain, diff, report, export, bundle)
OVER_MANY: Final = (pull, verify, join, stats, standings, chance)

for command in (*OF_ONE, *OVER_MANY):
    replay.add_command(names_people(command))


def main() -> None:
    """Run `replay` with this process's arguments, and end the process."""
    fit_streams()
    sys.exit(_status())


def _status() -> int:
    """The exit status; click's own would be 1, a dispute, for Ctrl-C too."""
    try:
        # What it returns is the status of --help and the like; a command returns nothing.
        status: int | None = replay(standalone_mode=False)
    except click.ClickException as error:
        error.show()
        return error.exit_code
    except (click.Abort, KeyboardInterrupt):
        return INTERRUPTED
    except OSError as error:  # a full disk under the output, say
        click.echo(f"replay: {error}", err=True)
        _drop_output()
        return UNUSABLE
    except Exception:  # noqa: BLE001 - a fault of ours; what Python ends with then means a dispute
        traceback.print_exc()
        return UNUSABLE
    return status or 0


if __name__ == "__main__":
    main()
