"""The `referee` command: each of its parts is a module of `referee.commands`.

A part holds a click command named `command`; modules whose names begin with `_` are helpers.
"""

from importlib import import_module
from pkgutil import iter_modules
from typing import Any

import click

from referee import commands
from referee.streams import fit_streams


class _Parts(click.Group):
    """Imports a part when it is asked for: a quick command does not wait for a server's parts."""

    def main(self, *args: Any, **extra: Any) -> Any:
        """Run the command with fit streams; click calls it."""
        fit_streams()
        return super().main(*args, **extra)

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002 - click's
        return sorted(
            one.name for one in iter_modules(commands.__path__) if not one.name.startswith("_")
        )

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in self.list_commands(ctx):
            return None
        part: Any = import_module(f"{commands.__name__}.{cmd_name}")
        found: click.Command = part.command
        return found

    def invoke(self, ctx: click.Context) -> object:
        try:
            return super().invoke(ctx)
        except BrokenPipeError:  # click's own matter
            raise
        except OSError as error:
            raise click.ClickException(str(error)) from error


@click.command(cls=_Parts, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(package_name="referee")
def main() -> None:
    """Referee board and card games: serve the API, print tokens, list games, try them out."""


if __name__ == "__main__":
    main()
