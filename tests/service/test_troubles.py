"""What goes wrong between the service and its store, and within a log."""

from __future__ import annotations

import asyncio
import contextlib
from typing import Any

import msgspec
import pytest
import redis

from referee.catalogue import Catalogue
from referee.core.commit import open_envelope
from referee.core.match import ClockSetting
from referee.core.table.commands import ExcuseOutage, Outage
from referee.core.verify import verify
from referee.service import Service, refusals
from referee.service.errors import MatchTaken, Refused, Unserved
from referee.service.lists import Wanted, read_summary
from referee.service.taking import keys
from referee.store import MatchStore, StoreAway
from referee.store.scripts import TAGS, outages_key
from tests.service.desk import (
    ORGANIZER,
    PLACE,
    RULES,
    body,
    create,
    first_commit,
    folded,
    log_of,
    next_commit,
    rewrite,
    seat,
    send,
    service_on,
    version,
)
from tests.store.machines import opened
from tests.toy_game import GAME as TOY

NEXT = {"type": "place_obstacle", "space": 22}


@pytest.fixture
async def service(store: MatchStore) -> Service:
    """A service with a match of two."""
    made = service_on(store)
    await create(made)
    return made


def failing(
    monkeypatch: pytest.MonkeyPatch, store: MatchStore, fault: BaseException, *, applied: bool
) -> None:
    """Let the next append fail, though it may have been carried out."""
    append = store.append

    async def once(match: str, number: int, data: bytes, **more: Any) -> None:
        monkeypatch.undo()
        if applied:
            await append(match, number, data, **more)
        raise fault

    monkeypatch.setattr(store, "append", once)


# ── Appends that fail ─────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize("applied", [True, False])
async def test_does_not_guess_what_became_of_a_lost_append(
    service: Service,
    store: MatchStore,
    applied: bool,  # noqa: FBT001
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Neither told as done nor as not done; the repeat with the same key finds out, once."""
    failing(monkeypatch, store, StoreAway("lost", outcome_unknown=True), applied=applied)

    with pytest.raises(StoreAway):
        await send(service, 0, PLACE, key="k")
    answer = await send(service, 0, PLACE, key="k")

    assert answer.version == 2
    assert await version(service) == 2
    assert verify(RULES, "m", await log_of(store)).dispute is None


async def test_keeps_what_it_knows_when_nothing_was_appended(
    service: Service, store: MatchStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A store that was not even reached changes nothing."""
    failing(monkeypatch, store, StoreAway("not reached"), applied=False)

    with pytest.raises(StoreAway):
        await send(service, 0, PLACE)

    assert service.residents == 1
    assert (await send(service, 0, PLACE)).version == 2


async def test_nobody_waits_for_a_hanging_store_longer_than_the_first(
    service: Service, store: MatchStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    """All who stood behind one that found the store away hear of it with that one."""
    tried: list[int] = []

    async def hang(match: str, number: int, *_: Any, **__: Any) -> None:
        tried.append(number)
        await asyncio.sleep(0.05)
        raise StoreAway(f"no answer about {match}")

    monkeypatch.setattr(store, "append", hang)
    asked = [send(service, 0, PLACE) for _ in range(20)]
    outcomes = await asyncio.gather(*asked, return_exceptions=True)
    monkeypatch.undo()

    assert tried == [2]
    assert [type(one) for one in outcomes] == [StoreAway] * 20
    assert not any(one.outcome_unknown for one in outcomes if isinstance(one, StoreAway))
    assert (await send(service, 0, PLACE)).version == 2


@pytest.mark.parametrize("applied", [True, False])
async def test_a_command_that_is_cancelled_leaves_no_doubt_behind(
    service: Service,
    store: MatchStore,
    applied: bool,  # noqa: FBT001
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Whether it was taken shows in the log, and the next command is judged on that."""
    failing(monkeypatch, store, asyncio.CancelledError(), applied=applied)

    with pytest.raises(asyncio.CancelledError):
        await send(service, 0, PLACE)

    assert await version(service) == (2 if applied else 1)
    await send(service, 1 if applied else 0, NEXT)
    assert verify(RULES, "m", await log_of(store)).dispute is None


async def test_takes_every_command_though_its_senders_go_away(
    service: Service, store: MatchStore
) -> None:
    """Cancelled in the midst of it, again and again: the log stays whole."""
    sent = {"type": "offer_draw"}, {"type": "decline_draw"}
    for number in range(30):
        task = asyncio.ensure_future(send(service, number % 2, sent[number % 2]))
        await asyncio.sleep(0.0003 * (number % 7))
        task.cancel()
        with contextlib.suppress(asyncio.CancelledError, Refused):
            await task

    async with asyncio.timeout(60):  # the last may still be on its way, though nobody waits for it
        while await version(service) != len(await log_of(store)):
            pass
    assert verify(RULES, "m", await log_of(store)).dispute is None


async def test_shows_nothing_that_is_not_in_the_log(
    service: Service, store: MatchStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    """While an append is under way nobody sees its state."""
    append, under_way, go_on = store.append, asyncio.Event(), asyncio.Event()

    async def slow(*rest: Any, **more: Any) -> None:
        under_way.set()
        await go_on.wait()
        await append(*rest, **more)

    monkeypatch.setattr(store, "append", slow)
    sending = asyncio.ensure_future(send(service, 0, PLACE))
    await under_way.wait()
    looking = asyncio.ensure_future(service.view("m", ORGANIZER))
    elsewhere = await service_on(store).view("m", ORGANIZER)
    assert not looking.done()
    go_on.set()

    assert elsewhere.version == 1
    assert (await sending).version == (await looking).version == 2


async def test_does_not_take_one_key_for_another_of_the_same_digest(
    service: Service, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The digests are short: the key itself decides."""
    monkeypatch.setattr(keys, "_digest_of", lambda *_: b"12345678")
    await send(service, 0, PLACE, key="k1")

    answer = await send(service, 1, NEXT, key="k2")

    assert answer.version == 3


# ── Rules and logs that are not understood ────────────────────────────────────────────────────────


@pytest.fixture
def toys() -> Catalogue:
    """Games of which this process knows only the toy."""
    return Catalogue([TOY])


async def test_serves_no_match_of_rules_that_it_does_not_know(
    service: Service, store: MatchStore, toys: Catalogue
) -> None:
    """In a rolling upgrade an old process refuses a match of new rules, and serves the others."""
    old = service_on(store, games=toys)

    for asked in (
        old.view("m", ORGANIZER),
        old.legal("m", seat(0)),
        old.log("m", ORGANIZER),
        old.command("m", seat(0), body(PLACE)),
        old.events("m", ORGANIZER, 0, 10),
    ):
        with pytest.raises(Unserved, match="giro-galoppo/1"):
            await asked
    assert await log_of(store) == await log_of(service.store)
    await create(old, "toy", TOY.players[0], game=TOY.id)
    assert await version(old, "toy") == 1


def changed(commit: bytes, **fields: Any) -> bytes:
    """A commit with other fields; None leaves one out."""
    found = {**msgspec.msgpack.decode(commit), **fields}
    return msgspec.msgpack.encode({k: v for k, v in found.items() if v is not None})


def spoiled(how: str, first: bytes, second: bytes) -> list[bytes]:
    """A log of two commits, spoiled."""
    begins = {"type": "create_match", "ruleset": 7}
    placed = msgspec.msgpack.decode(second)["ev"]
    ways = {
        "empty bytes": [b"", second],
        "no MessagePack": [b"\xc1", second],
        "no commit": [msgspec.msgpack.encode([1, 2]), second],
        "no command": [changed(first, cmd=None), second],
        "another command": [changed(first, cmd={"type": "resign"}), second],
        "no ruleset": [changed(first, cmd=begins), second],
        "no events": [changed(first, ev=[]), second],
        "other events": [changed(first, ev=placed), second],
        "unknown events": [first, changed(second, ev=[{"type": "sheep_counted"}])],
        "events that cannot be": [first, changed(second, ev=[{**placed[0], "seat": "x"}])],
        "broken chain": [first, changed(second, prev=bytes(32))],
        "another version": [first, changed(second, v=3)],
        "no chain": [first, changed(second, prev=None)],
        "an unknown field": [first, changed(second, more=1)],
        "cut off": [first, second[:-3]],
        "the same twice": [first, first],
        "no beginning": [second],
    }
    return ways[how]


WAYS = (
    "empty bytes", "no MessagePack", "no commit", "no command", "another command", "no ruleset",
    "no events", "other events", "unknown events", "events that cannot be", "broken chain",
    "another version", "no chain", "an unknown field", "cut off", "the same twice", "no beginning",
)  # fmt: skip


@pytest.mark.parametrize("how", WAYS)
async def test_serves_no_match_whose_log_it_cannot_read(
    service: Service, store: MatchStore, redis_url: str, how: str
) -> None:
    """Whatever is wrong with it: never an error of ours, never a guess, and nothing appended.

    A process that has the match at hand looks at the end of the log alone.
    """
    await send(service, 0, PLACE)
    first, second = await log_of(store)
    bad = spoiled(how, first, second)
    rewrite(redis_url, bad)

    for one in (service_on(store), service)[: 1 if bad[-1] == second else 2]:
        with pytest.raises(Unserved):
            await one.view("m", ORGANIZER)
        with pytest.raises(Unserved):
            await send(one, 1, NEXT)
    assert await log_of(store) == bad


async def test_serves_no_match_under_another_ones_name(store: MatchStore, redis_url: str) -> None:
    """A log that was copied fits no other match."""
    service = service_on(store)
    rewrite(redis_url, [first_commit(RULES, "other")])

    with pytest.raises(Unserved):
        await service.view("m", ORGANIZER)


async def test_creates_one_match_of_two_that_want_the_same_id(store: MatchStore) -> None:
    """Even when both ask at the same time."""
    made = await asyncio.gather(
        *(create(service_on(store), "one") for _ in range(4)), return_exceptions=True
    )

    assert sorted(type(one).__name__ for one in made) == ["MatchTaken"] * 3 + ["str"]
    with pytest.raises(MatchTaken):
        await create(service_on(store), "one")


# ── Beside the log ────────────────────────────────────────────────────────────────────────────────


async def test_refuses_whether_or_not_that_can_be_noted(
    service: Service, store: MatchStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The side record is none that an answer waits for."""

    async def away(*_: object) -> None:
        raise StoreAway("not now")

    monkeypatch.setattr(store, "note_refusal", away)

    with pytest.raises(Refused):
        await send(service, 1, PLACE)
    await service.settle()
    assert await service.refusals("m", ORGANIZER) == []


async def test_notes_only_so_many_refusals_at_once(
    service: Service, store: MatchStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A flood of refused commands does not fill the memory."""
    monkeypatch.setattr(refusals, "NOTES", 3)
    go_on = asyncio.Event()
    note = store.note_refusal

    async def slow(match: str, whose: str, record: bytes) -> None:
        await go_on.wait()
        await note(match, whose, record)

    monkeypatch.setattr(store, "note_refusal", slow)
    for _ in range(6):
        with pytest.raises(Refused):
            await send(service, 1, PLACE)
    go_on.set()
    await service.settle()

    assert len(await service.refusals("m", ORGANIZER)) == 3


async def test_keeps_what_lists_say_up_to_date(service: Service, store: MatchStore) -> None:
    """With the commit that changes it: a seat gone, a result, its certification."""

    async def row() -> Any:
        (listed,), _, _ = await store.matches()
        return read_summary(listed.summary)

    assert [s.withdrawn for s in (await row()).seats] == [False, False]
    await send(service, 0, {"type": "resign"})
    over = await row()
    await service.command("m", ORGANIZER, body({"type": "certify"}))

    assert [s.withdrawn for s in over.seats] == [True, False]
    assert (over.status, over.result.certified, over.result.winners) == ("finished", False, (1,))
    assert (await row()).result.certified


async def test_lists_no_match_whose_summary_it_cannot_read(
    service: Service, store: MatchStore
) -> None:
    """One of a later version, say, hides no other."""
    await create(service, "other")
    offer = next_commit(await log_of(store, "other"), 0, {"type": "offer_draw"})
    await store.append("other", 2, offer.data, summary=b"\xc1")

    page = await service.matches(ORGANIZER, Wanted())

    assert [one.match for one in page.matches] == ["m"]


async def test_does_what_is_overdue_once(store: MatchStore, redis_url: str) -> None:
    """A flag that has fallen, however many processes see it; before that, nothing."""
    services = [service_on(store) for _ in range(3)]
    await create(services[0], "early", clock={"base_s": 10})
    (due,) = await store.due(10**15, 2)
    assert due.deadline == folded(await log_of(store, "early")).at + 10_000
    assert await services[0].overdue("early") is None
    ran_out = await store.time("m") - 10_000
    rewrite(redis_url, [first_commit(RULES, at=ran_out, clock=ClockSetting(base_s=10))])

    done = await asyncio.gather(*(service.overdue("m") for service in services))

    assert [one is None for one in done].count(False) == 1
    commits = await log_of(store)
    assert len(commits) == 2
    assert open_envelope(commits[-1]).by == "service"
    assert [due.match for due in await store.due(10**15, 2)] == ["early"]


async def test_ends_once_what_nobody_plays(store: MatchStore, redis_url: str) -> None:
    """However many processes see it; before that, nothing."""
    services = [service_on(store) for _ in range(3)]
    rewrite(redis_url, [first_commit(RULES, at=await store.time("m") - 60_000, idle_s=60)])
    await create(services[0], "early", idle_s=60)
    assert await services[0].overdue("early") is None

    done = await asyncio.gather(*(service.overdue("m") for service in services))

    (ended,) = [one for one in done if one is not None]
    assert [event["type"] for event in ended.events] == ["voided", "seed_revealed"]
    assert ended.events[0]["reason"] == "idle"
    assert open_envelope((await log_of(store))[-1]).by == "service"


async def test_is_told_late_when_a_match_will_be_idle(store: MatchStore) -> None:
    """Not with each commit: a look that comes too early puts it right; a pause takes it away."""
    service = service_on(store)
    await create(service, idle_s=60)
    created = folded(await log_of(store)).at

    async def told() -> list[int]:
        return [due.deadline - 60_000 for due in await store.due(10**15, 2)]

    assert await told() == [created]
    await send(service, 0, PLACE)
    placed = folded(await log_of(store)).at
    assert await told() == [created]
    assert await service.overdue("m") is None
    assert await told() == [placed]
    await service.command("m", ORGANIZER, body({"type": "pause"}))
    assert await told() == []
    await service.command("m", ORGANIZER, body({"type": "resume"}))
    assert await told() == [folded(await log_of(store)).at]


async def test_counts_no_outage_as_idleness(store: MatchStore, redis_url: str) -> None:
    """A match without a clock as well: the outage is excused, and its time begins anew."""
    now = await store.time("m")
    rewrite(redis_url, [first_commit(RULES, at=now - 61_000, idle_s=60)])
    with redis.Redis.from_url(redis_url) as client:
        client.rpush(outages_key(TAGS[0]), f"{now - 50_000}:{now - 10_000}")
    async with opened(redis_url) as later:
        assert await service_on(later).overdue("m") is None
        (excused,) = (await log_of(later))[1:]
        assert RULES.read_commit(excused).cmd == ExcuseOutage((Outage(now - 50_000, now - 10_000),))
        assert folded(await log_of(later)).status == "active"


async def test_excuses_no_outage_before_the_deal(store: MatchStore, redis_url: str) -> None:
    """No clock runs then: what falls due is done, and entropy is taken, without such a commit."""
    now = await store.time("m")
    for match, idle_s in (("m", 60), ("n", 0)):
        undealt = first_commit(RULES, match, at=now - 61_000, idle_s=idle_s, entropy="seats")
        rewrite(redis_url, [undealt], match)
    with redis.Redis.from_url(redis_url) as client:
        client.rpush(outages_key(TAGS[0]), f"{now - 50_000}:{now - 10_000}")
    async with opened(redis_url) as later:
        service = service_on(later)
        ended = await service.overdue("m")
        sent = body({"type": "add_entropy", "hex": "0a" * 16})
        added = await service.command("n", seat(0, "n"), sent)
    assert ended is not None
    assert [event["type"] for event in ended.events] == ["voided", "seed_revealed"]
    assert added.version == 2
