"""Times as whoever reads asks for them: in UTC, or in a zone of the reader's."""

from datetime import UTC, tzinfo
from difflib import get_close_matches
from typing import Any, Final
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError, available_timezones

import click

from referee.report.words import moment

_KEY: Final = "replay.zone"
_LOCAL: Final = "local"


def _read_zone(context: click.Context, _option: click.Parameter, name: str | None) -> None:
    if name is None:
        return
    try:
        context.meta[_KEY] = None if name == _LOCAL else ZoneInfo(name)
    except (ZoneInfoNotFoundError, ValueError, OSError) as error:
        near = get_close_matches(name, available_timezones(), n=1)
        meant = f"; did you mean {near[0]}?" if near else ""
        raise click.BadParameter(f"no zone {name!r} is known here{meant}") from error


in_zone: Final = click.option(
    "--zone",
    callback=_read_zone,
    expose_value=False,
    metavar="ZONE",
    help='Tell times in this zone: Europe/Berlin, or "local" for this machine\'s.  [default: UTC]',
)


def when(at: int) -> str:
    """A time in Unix ms, in the zone that this command was given."""
    context = click.get_current_context(silent=True)
    meta: dict[str, Any] = {} if context is None else context.meta
    zone: tzinfo | None = meta.get(_KEY, UTC)
    return moment(at, zone)
