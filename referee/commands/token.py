"""`referee token`: a token for somebody."""

import os
from typing import Any

import click

from referee.commands._secret import will_make_secret, with_secret
from referee.core.patterns import ORGANIZER_NAME
from referee.settings import Settings, SettingsError


@click.group("token")
def command() -> None:
    """Print a token, signed with REFEREE_SECRET or the secret kept in the data folder."""


def _checked(_context: click.Context, _option: click.Parameter, name: str | None) -> str | None:
    if name is not None and not ORGANIZER_NAME.fullmatch(name):
        raise click.BadParameter("must be 1 to 40 of A-Za-z0-9._-")
    return name


_ttl = click.option(
    "--ttl", type=click.IntRange(1, 10**9), help="Seconds that the token is good for."
)
_match = click.option("--match", required=True, help="The match's id.")


@command.command("organizer")
@click.option("--name", callback=_checked, help="Who it is for, as logs will say: A-Za-z0-9._-")
@_ttl
def organizer(name: str | None, ttl: int | None) -> None:
    """Print an organizer's token: for all matches, 30 days unless said otherwise."""
    _print(ttl, "organizer", None, None, 0, name)


@command.command("seat")
@_match
@click.option("--seat", required=True, type=click.IntRange(0, 999), help="The seat's number.")
@click.option(
    "--gen",
    type=click.IntRange(0),
    default=0,
    show_default=True,
    help="How often the seat's token was reissued.",
)
@_ttl
def seat(match: str, seat: int, gen: int, ttl: int | None) -> None:
    """Print a token of a match's seat: 400 days unless said otherwise."""
    _print(ttl, "seat", match, seat, gen)


@command.command("spectator")
@_match
@_ttl
def spectator(match: str, ttl: int | None) -> None:
    """Print a token to watch a match: 400 days unless said otherwise."""
    _print(ttl, "spectator", match)


def _print(ttl: int | None, *bearer: Any) -> None:
    from referee.http.tokens import Tokens  # noqa: PLC0415 - heavy, and not for `--help`
    from referee.service import Bearer  # noqa: PLC0415

    environ = dict(os.environ)
    try:
        settings = Settings.from_environment(environ)
        if settings.redis_url is not None:
            settings.check_serve()
        if will_make_secret(settings):
            said = f"no secret was set or kept: a new one is made in {settings.data_dir}"
            click.echo(said, err=True)
        secrets = Settings.from_environment(with_secret(settings, environ)).secrets
    except (SettingsError, OSError) as error:
        raise click.ClickException(str(error)) from error
    click.echo(Tokens(secrets).issue(Bearer(*bearer), ttl))
