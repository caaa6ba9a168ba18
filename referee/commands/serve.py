"""`referee serve`: the service over HTTP, with a store of its own where none is named."""

import asyncio
import contextlib
import os
import signal
import socket
import sys
from collections.abc import Callable
from functools import partial
from typing import Any, Final, NoReturn

import click

from referee.commands._archive import archive_of
from referee.commands._secret import with_secret
from referee.commands._store import store_of
from referee.settings import Settings, SettingsError, unknown_names
from referee.store import StoreError, examined

_SECRETS: Final = {"REFEREE_SECRET", "REFEREE_SECRET_FILE"}


@click.command("serve")
@click.option("--host", help="Address to listen on (REFEREE_HOST).")
@click.option("--port", help="Port to listen on; 0 takes a free one (REFEREE_PORT).")
@click.option("--workers", help="Processes that serve (REFEREE_WORKERS).")
def command(host: str | None, port: str | None, workers: str | None) -> None:
    """Serve the API; settings come from the environment (see `referee settings`)."""
    given = {"REFEREE_HOST": host, "REFEREE_PORT": port, "REFEREE_WORKERS": workers}
    environ = {**os.environ, **{name: text for name, text in given.items() if text is not None}}
    try:
        environ, settings = _settled(environ)
        sys.exit(_serve(environ, settings))
    except (SettingsError, StoreError, OSError) as error:
        raise click.ClickException(str(error)) from error


def _settled(environ: dict[str, str]) -> tuple[dict[str, str], Settings]:
    """The settings, with a secret; and the environment in which any process finds the same."""
    settings = Settings.from_environment(environ)
    settings.check_serve()
    archive_of(settings)
    environ = with_secret(settings, environ) | {"REFEREE_LOG_FORMAT": settings.log_format}
    return environ, Settings.from_environment(environ)


def _serve(environ: dict[str, str], settings: Settings) -> int:
    # What serving takes is imported only here: the other commands start without it.
    from referee.commands._application import application  # noqa: PLC0415
    from referee.http import logs  # noqa: PLC0415
    from referee.http.metrics import registry_of_all  # noqa: PLC0415
    from referee.serving import server, workers  # noqa: PLC0415

    logs.configure(settings.log_level, settings.log_format)
    for name in unknown_names(os.environ):
        logs.log.warning("an unknown setting", name=name)
    for sig in (signal.SIGTERM, signal.SIGINT):
        signal.signal(sig, _leave)
    with _listening(settings) as listening, store_of(settings) as store_url:
        if settings.require_durable:
            _check_durable(store_url, settings)
        printed = settings.print_token and not _SECRETS & os.environ.keys()

        def ready() -> None:
            address = server.address_of(listening)
            if printed:
                _print_token(settings, address)
            click.echo(f"listening on {address}")

        if settings.workers == 1:
            served = application(settings, store_url)
            with _metrics_apart(settings, lambda: served.metrics.registry):
                server.Server(served, ready, settings.drain_s).run([listening])
            return 0
        job = workers.Job(application, environ, store_url, listening)
        beside = partial(_metrics_apart, settings, registry_of_all)
        return workers.Workers(job, settings, beside).run(ready)


def _check_durable(store_url: str, settings: Settings) -> None:
    """Refuse a store that may forget, and one that does not answer: who knows what it is like?"""
    for primary in asyncio.run(examined(store_url, settings.min_replicas)):
        for finding in primary.findings:
            if finding.forgets or not primary.reached:
                problem = f"the store may forget: {finding.problem} ({primary.name}): "
                raise SettingsError("REFEREE_REQUIRE_DURABLE", f"{problem}{finding.remedy}")


def _listening(settings: Settings) -> socket.socket:
    from referee.serving import server  # noqa: PLC0415 - as above

    try:
        return server.bind(settings.host, settings.port)
    except (OSError, UnicodeError) as error:
        place = f"{settings.host}, port {settings.port}"
        problem = f"cannot listen on {place}: {getattr(error, 'strerror', None) or error}"
        raise SettingsError("REFEREE_HOST, REFEREE_PORT", problem) from error


def _metrics_apart(
    settings: Settings, registry: Callable[[], Any]
) -> contextlib.AbstractContextManager[None]:
    """What serves metrics on a port of their own, if they are to have one."""
    from referee.http.metrics import served_apart  # noqa: PLC0415 - as above

    if settings.metrics_port is None:
        return contextlib.nullcontext()
    return served_apart(registry(), settings.host, settings.metrics_port)


def _leave(*_: Any) -> NoReturn:
    """Told to stop before there is anything to stop."""
    raise SystemExit(0)


def _print_token(settings: Settings, address: str) -> None:
    """An organizer's token, and a link to the desk that signs in with it."""
    from referee.http.tokens import Tokens  # noqa: PLC0415 - as above
    from referee.service import Bearer  # noqa: PLC0415

    token = Tokens(settings.secrets).issue(Bearer("organizer"))
    click.echo(f"organizer token: {token}")
    click.echo(f"the desk: {address}/desk/#token={token}")
