"""Where replicas must have what counts: nobody is shown, or answered with, what they lack."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from referee.service import Service
from referee.store import Entry, MatchStore, StoreAway, heartbeat
from referee.store.connection import pipeline
from tests.service.desk import (
    ORGANIZER,
    PLACE,
    create,
    log_of,
    next_commit,
    rewrite,
    seat,
    send,
    service_on,
    version,
)
from tests.store.machines import Server, opened, primary_and_replica

LACKING = "0 of 1 replicas"


@pytest.fixture
def pair(tmp_path: Path) -> Iterator[tuple[Server, Server]]:
    """A primary and a replica that follows it."""
    with primary_and_replica(tmp_path) as both:
        yield both


async def appended(store: MatchStore) -> None:
    """Let somebody append to the match, and not hear that a replica has it."""
    commits = await log_of(store)
    with pytest.raises(StoreAway, match=LACKING):
        await store.append("m", 2, next_commit(commits, 0, PLACE).data)


async def test_nobody_is_shown_what_no_replica_has(
    pair: tuple[Server, Server], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whatever is asked of a match waits for them, or is refused."""
    primary, replica = pair
    async with opened(primary.url, 1) as store, opened(primary.url, 1) as elsewhere:
        here, there = service_on(store), service_on(elsewhere)
        await create(here)
        assert await version(there) == 1
        monkeypatch.setattr(pipeline, "WAIT_MS", 300)
        with replica.paused():
            await appended(store)
            for service in (here, there):
                await _refused(service)
        monkeypatch.setattr(pipeline, "WAIT_MS", 10_000)
        assert (await version(here), await version(there)) == (2, 2)


async def _refused(service: Service) -> None:
    """What shows the match, or says that it has ended, shows nothing."""
    looks = [
        service.view("m", ORGANIZER),
        service.view("m", ORGANIZER, 1),
        service.legal("m", seat(0)),
        service.events("m", ORGANIZER, 0, 10),
        service.log("m", ORGANIZER),
        service.audience("m", ORGANIZER),
    ]
    for look in looks:
        with pytest.raises(StoreAway, match=LACKING):
            await look


async def test_a_repeat_is_answered_only_with_what_replicas_have(
    pair: tuple[Server, Server], monkeypatch: pytest.MonkeyPatch
) -> None:
    """By whichever process: the one that took the command, and one that reads of it."""
    primary, replica = pair
    async with opened(primary.url, 1) as store, opened(primary.url, 1) as elsewhere:
        here, there = service_on(store), service_on(elsewhere)
        await create(here)
        first = await send(here, 0, PLACE, key="k")
        monkeypatch.setattr(heartbeat, "FRESH_S", 60.0)
        await elsewhere.time("m")  # which it knows, so that only the commit has to be confirmed
        monkeypatch.setattr(pipeline, "WAIT_MS", 300)
        with replica.paused():
            primary.client.set("written", "2")
            assert await send(here, 0, PLACE, key="k") == first
            with pytest.raises(StoreAway, match=LACKING):
                await send(there, 0, PLACE, key="k")
        monkeypatch.setattr(pipeline, "WAIT_MS", 10_000)
        assert await send(there, 0, PLACE, key="k") == first


async def test_what_was_read_of_a_lost_primary_is_not_shown(
    pair: tuple[Server, Server], monkeypatch: pytest.MonkeyPatch
) -> None:
    """The log is another one by the time at which it would be confirmed: that one is shown."""
    primary, _ = pair
    async with opened(primary.url, 1) as store, opened(primary.url, 1) as elsewhere:
        here, there = service_on(store), service_on(elsewhere)
        await create(here)
        assert await version(there) == 1
        commits = await log_of(store)
        await store.append("m", 2, next_commit(commits, 0, PLACE).data)
        confirm, asked = elsewhere.confirm, list[Entry]()

        async def lost(match: str, entry: Entry) -> bool:
            if not asked:
                rewrite(primary.url, commits)
            asked.append(entry)
            return await confirm(match, entry)

        monkeypatch.setattr(elsewhere, "confirm", lost)
        assert await version(there) == 1
        assert [entry.version for entry in asked] == [2, 1]
