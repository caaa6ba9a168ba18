"""Arguments and options that several commands share."""

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any, Final

import click

from replay.sources.keys import read_keys

_DIGITS: Final = 18
"""So many of a number are enough to say that it is too large."""

Decorator = Callable[[Callable[..., Any]], Callable[..., Any]]


class Whole(click.ParamType[int]):
    """A whole number from `least` on, of `what`."""

    name = "number"

    def __init__(self, what: str, least: int) -> None:
        self._what, self._least = what, least

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> int:
        """The number that was given; click calls this."""
        text = str(value).strip()
        if not text.isdecimal() or int(text[:_DIGITS]) < self._least:
            self.fail(f"{self._what} is a whole number from {self._least} on", param, ctx)
        return int(text[:_DIGITS])


one_source: Final = click.argument("source")
many_sources: Final = click.argument("sources", metavar="SOURCE...", nargs=-1, required=True)
as_json: Final = click.option("--json", "as_json", is_flag=True, help="Print JSON, for programs.")
as_viewer: Final = click.option(
    "--viewer",
    default="organizer",
    show_default=True,
    metavar="V",
    help='Who looks on: organizer, spectator or a seat ("seat 0", 0, or its name).',
)
in_jobs: Final = click.option(
    "--jobs",
    type=Whole("a number of processes", 0),
    default=0,
    metavar="N",
    help="Processes to judge in.  [default: one a core]",
)


_SHARD: Final = re.compile(r"([1-9][0-9]{0,5})/([1-9][0-9]{0,5})")


def _shard(
    _context: click.Context, _option: click.Parameter, text: str | None
) -> tuple[int, int] | None:
    if text is None:
        return None
    found = _SHARD.fullmatch(text.strip())
    if found is None or int(found[1]) > int(found[2]):
        raise click.BadParameter("a share is K/N with K from 1 to N: 3/16")
    return int(found[1]), int(found[2])


in_shard: Final = click.option(
    "--shard",
    callback=_shard,
    metavar="K/N",
    help="Take the K-th of N shares of the logs; join makes their JSON reports one.",
)


def _keys(
    _context: click.Context, _option: click.Parameter, texts: tuple[str, ...]
) -> tuple[str, ...] | None:
    return tuple(key for text in texts for key in read_keys(text)) if texts else None


trusted_keys: Final = click.option(
    "--key",
    "keys",
    callback=_keys,
    multiple=True,
    metavar="KEY",
    help="Trust what this public key signed: base64url, a PEM or JWKS file, a service's URL. "
    "May be given again. Without it a service's log is judged by that service's own keys.",
)


def at_version(text: str, *, required: bool = False) -> Decorator:
    """`--at N`, a version from 1, with this help."""
    kind = Whole("a version", 1)
    return click.option("--at", type=kind, metavar="N", required=required, help=text)


def output_file(text: str, *, required: bool = True) -> Decorator:
    """`-o FILE`, with this help; `-` is standard output."""
    kind = click.Path(dir_okay=False, readable=False, allow_dash=True, path_type=Path)
    return click.option("-o", "--output", type=kind, required=required, metavar="FILE", help=text)
