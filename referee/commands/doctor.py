"""`referee doctor`: what is wrong with the settings and the store, and what to do about it."""

import asyncio
import os
import sys
from typing import Final

import click
import msgspec
from msgspec import Struct
from msgspec.structs import replace

from referee.archive import Archive, ArchiveAway
from referee.commands._archive import archive_of
from referee.settings import Settings, SettingsError, unknown_names
from referee.store import Finding, Primary, StoreError, examined
from referee.store.embedded.server import EmbeddedRedis, find_server

APART_S: Final = 2.0
"""Seconds between this machine's clock and the store's from which on one of them is wrong."""


class Diagnosis(Struct, frozen=True):
    """What was looked at, and what is wrong with it.

    `store` is the store's kind; `primaries` those that were looked at: none where an embedded store
    does not run.
    """

    well: bool
    store: str
    primaries: list[Primary]
    findings: list[Finding]


@click.command("doctor")
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def command(*, as_json: bool) -> None:
    """Say what is wrong with settings, store, durability, replicas, clocks, rights and archive.

    Exit status 0 where nothing is, else 1. Nothing is written or started.
    """
    diagnosis = _diagnose()
    if as_json:
        click.echo(msgspec.json.format(msgspec.json.encode(diagnosis), indent=2).decode())
    else:
        _print(diagnosis)
    for name in unknown_names(os.environ):
        click.echo(f"{name} is no setting of this service", err=True)
    sys.exit(not diagnosis.well)


def _diagnose() -> Diagnosis:
    try:
        settings = Settings.from_environment(os.environ)
        settings.check_serve()
        archive = archive_of(settings)
    except SettingsError as fault:
        remedy = "set it right; `referee settings` says what each may be"
        return Diagnosis(well=False, store="", primaries=[], findings=[Finding(str(fault), remedy)])
    external = settings.redis_url is not None
    primaries, findings = _external(settings) if external else _embedded(settings)
    findings += [] if archive is None else _archive(archive)
    findings += [each for primary in primaries for each in _wrong(primary, one=len(primaries) == 1)]
    return Diagnosis(not findings, "external" if external else "embedded", primaries, findings)


def _external(settings: Settings) -> tuple[list[Primary], list[Finding]]:
    url = settings.redis_url or ""
    return asyncio.run(examined(url, settings.min_replicas, rights=True)), []


def _embedded(settings: Settings) -> tuple[list[Primary], list[Finding]]:
    """The embedded store, which is there only while a service runs."""
    try:
        find_server()
    except StoreError as fault:
        return [], [Finding(str(fault), "install one, or set REFEREE_REDIS_URL")]
    found = asyncio.run(examined(EmbeddedRedis(settings.data_dir).url, 0))
    if found[0].reached:
        return found, []
    folder = settings.data_dir.absolute()
    there = next(each for each in (folder, *folder.parents) if each.exists())
    if os.access(there, os.W_OK | os.X_OK):
        return [], []
    return [], [Finding(f"{there} cannot be written to", "let this user, or set REFEREE_DATA_DIR")]


def _archive(archive: Archive) -> list[Finding]:
    try:
        archive.check()
    except ArchiveAway as fault:
        return [
            Finding(str(fault), "see that REFEREE_ARCHIVE leads there, and that it may be read")
        ]
    return []


def _wrong(primary: Primary, *, one: bool) -> list[Finding]:
    """What is wrong with a primary, by its name where it is not the only one."""
    findings = [*primary.findings, *_clock(primary)]
    if one:
        return findings
    return [replace(each, problem=f"{primary.name}: {each.problem}") for each in findings]


def _clock(primary: Primary) -> list[Finding]:
    ahead = primary.ahead_s or 0.0
    if abs(ahead) < APART_S:
        return []
    problem = f"the store's clock is {ahead:+.1f} s from this machine's"
    remedy = "let both follow NTP: matches go by the store's, tokens expire by this machine's"
    return [Finding(problem, remedy)]


def _print(diagnosis: Diagnosis) -> None:
    for primary in diagnosis.primaries:
        if primary.reached:
            told = {
                primary.server: primary.version,
                "append-only": primary.append_only,
                "fsync": primary.fsync,
                "eviction": primary.eviction,
                "replicas": primary.replicas,
            }
            shown = ", ".join(f"{name} {told[name]}" for name in told if told[name] is not None)
            click.echo(f"{primary.name}: {shown}")
    for finding in diagnosis.findings:
        click.echo(f"wrong: {finding.problem}\n   do: {finding.remedy}")
    if diagnosis.store == "embedded" and not diagnosis.primaries:
        click.echo("no service runs on this data folder: its store could not be looked at")
    if diagnosis.well:
        click.echo("nothing is wrong")
