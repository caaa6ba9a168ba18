"""Several processes at one match: what one remembers never hides what another has done."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from referee.core.verify import verify
from referee.service import Service
from referee.service.asking.requests import Place
from referee.service.errors import (
    Crowded,
    Forbidden,
    KeyReused,
    Refused,
    StaleVersion,
    Unauthorized,
    UnknownMatch,
    Unserved,
)
from referee.store import Conflict, Entry, MatchStore, StoreAway
from tests.service.desk import (
    ORGANIZER,
    PLACE,
    RULES,
    body,
    create,
    first_commit,
    log_of,
    next_commit,
    rewrite,
    seat,
    send,
    service_on,
    version,
)

NEXT = {"type": "place_obstacle", "space": 22}
CARD = {"type": "choose_card", "card": 3}


@pytest.fixture
def here(store: MatchStore) -> Service:
    """One process."""
    return service_on(store)


@pytest.fixture
def there(store: MatchStore) -> Service:
    """Another one, on the same store."""
    return service_on(store)


async def test_shows_what_another_process_has_done(here: Service, there: Service) -> None:
    """Views, events, legal commands, checks and logs begin with a look at the log."""
    await create(here)
    assert await version(there) == 1
    await send(here, 0, PLACE)

    assert (await there.legal("m", seat(1))).version == 2
    assert (await there.events("m", seat(0), 0, 10)).last == 2
    await there.check("m", seat(1), body(NEXT))
    assert (await there.view("m", seat(1))).version == 2


async def test_takes_a_command_that_is_lawful_only_on_the_newest_state(
    here: Service, there: Service
) -> None:
    """What a stale state refuses is judged again on the log's."""
    await create(here)
    assert await version(there) == 1
    await send(here, 0, PLACE)

    assert (await send(there, 1, NEXT)).version == 3


async def test_refuses_by_the_newest_state(here: Service, there: Service) -> None:
    """What a stale state would take meets the log, and is refused as of what stands there."""
    await create(here)
    assert await version(there) == 1
    await send(here, 0, PLACE)

    with pytest.raises(Refused) as refused:
        await send(there, 0, NEXT)

    assert (refused.value.ruling, refused.value.version) == ("out-of-turn", 2)


async def test_holds_conditions_to_the_newest_state(here: Service, there: Service) -> None:
    """A version that another process made is the current one."""
    await create(here)
    assert await version(there) == 1
    await send(here, 0, PLACE)

    with pytest.raises(StaleVersion) as stale:
        await send(there, 1, NEXT, expected=[Place(1)])
    assert stale.value.version == 2
    assert (await send(there, 1, NEXT, expected=[Place(2)])).version == 3


async def test_answers_a_key_that_another_process_took(here: Service, there: Service) -> None:
    """Before anything is judged, and whatever this process remembered."""
    await create(here)
    assert await version(there) == 1
    first = await send(here, 0, PLACE, key="k")

    assert await send(there, 0, PLACE, key="k") == first
    with pytest.raises(KeyReused):
        await send(there, 0, NEXT, key="k")
    assert await version(here) == 2


async def test_kills_a_token_that_another_process_reissued(here: Service, there: Service) -> None:
    """At once: in commands, repeats of commands, and looks; and the new one lives at once."""
    await create(here)
    first = await send(there, 0, PLACE, key="k")
    made = await here.reissue_token("m", ORGANIZER, 0)

    with pytest.raises(Unauthorized):
        await send(there, 0, PLACE, key="k")
    with pytest.raises(Unauthorized):
        await there.view("m", seat(0))
    again = await there.command("m", seat(0, generation=made.generation), body(PLACE), key="k")
    assert again == first
    stale = service_on(here.store)
    await stale.view("m", ORGANIZER)
    await here.reissue_token("m", ORGANIZER, 0)
    newest = seat(0, generation=made.generation + 1)
    assert (await stale.legal("m", newest)).version == 4


async def test_takes_each_command_once_though_all_send_at_once(
    here: Service, there: Service, store: MatchStore
) -> None:
    """Every command of every seat is in the log once, and the log proves itself."""
    await create(here, seats=5)
    for space in (20, 22, 26, 35, 38):
        owed = (await here.view("m", ORGANIZER)).to_act[0]
        await send(here, owed, {**PLACE, "space": space})
    services = (here, there, service_on(store))

    for card in range(1, 7):
        order = {"type": "choose_card", "card": card}
        await asyncio.gather(
            *(
                send(service, number, order, key=f"{number}-{card}")
                for number in range(5)
                for service in services
            )
        )

    commits = await log_of(store)
    assert len(commits) == 1 + 5 + 6 * 5
    assert verify(RULES, "m", commits).dispute is None


async def test_waits_its_turn_within_a_process(
    here: Service, store: MatchStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Commands to one match that come at once do not conflict with each other."""
    await create(here)
    tries: list[int] = []
    append = store.append

    async def counting(match: str, number: int, *rest: object, **more: object) -> None:
        tries.append(number)
        await append(match, number, *rest, **more)  # type: ignore[arg-type]

    monkeypatch.setattr(store, "append", counting)
    offer, decline = {"type": "offer_draw"}, {"type": "decline_draw"}
    await asyncio.gather(*(send(here, n, c) for n, c in ((0, offer), (1, decline), (1, offer))))

    assert tries == [2, 3, 4]


async def test_gets_there_in_one_round_trip(
    here: Service, store: MatchStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The common case: judged on what is at hand, appended, and nothing read."""
    await create(here)
    await here.view("m", ORGANIZER)

    async def unwanted(*_: object, **__: object) -> None:
        raise AssertionError("the log was read")

    monkeypatch.setattr(store, "read", unwanted)
    monkeypatch.setattr(store, "last", unwanted)

    assert (await send(here, 0, PLACE)).version == 2
    assert (await send(here, 1, NEXT, key="k", expected=[Place(2)])).version == 3


async def test_looks_once_for_all_who_wait(
    here: Service, there: Service, store: MatchStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Those who come before a look has begun share it; whoever comes later sees later commits."""
    await create(here)
    looks, read = asyncio.Queue[asyncio.Event](), store.read

    async def answered_late(*asked: Any) -> list[Entry]:
        found, may_be_told = await read(*asked), asyncio.Event()
        await looks.put(may_be_told)
        await may_be_told.wait()
        return found

    monkeypatch.setattr(store, "read", answered_late)
    early = [asyncio.ensure_future(here.audience("m", seat(number % 2))) for number in range(20)]
    first = await looks.get()
    monkeypatch.undo()
    await send(there, 0, PLACE)
    late = [asyncio.ensure_future(here.audience("m", seat(number % 2))) for number in range(20)]
    first.set()

    assert [known.match.version for known, _ in await asyncio.gather(*early)] == [1] * 20
    assert [known.match.version for known, _ in await asyncio.gather(*late)] == [2] * 20
    assert looks.empty()


async def test_looks_again_after_a_look_that_failed(
    here: Service, store: MatchStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    """All who shared it hear that the store is away, one who has left is not waited for."""
    await create(here)
    tried: list[str] = []

    async def away(match: str, *_: Any) -> None:
        tried.append(match)
        await asyncio.sleep(0)
        raise StoreAway("no answer")

    monkeypatch.setattr(store, "read", away)
    asked = [asyncio.ensure_future(here.audience("m", ORGANIZER)) for _ in range(20)]
    await asyncio.sleep(0)
    asked[0].cancel()
    outcomes = await asyncio.gather(*asked, return_exceptions=True)
    monkeypatch.undo()

    assert tried == ["m"]
    assert [type(one) for one in outcomes] == [asyncio.CancelledError, *[StoreAway] * 19]
    assert await version(here) == 1


async def test_stamps_no_commit_before_the_one_before_it(
    here: Service, store: MatchStore, redis_url: str
) -> None:
    """Behind a commit from an hour ahead time stands still, however far the clock has to go."""
    later = await store.time("m") + 3_600_000
    rewrite(redis_url, [first_commit(RULES, at=later)])

    answers = [await send(here, 0, PLACE), await send(here, 1, NEXT)]

    assert [answer.events[0]["at"] for answer in answers] == [later, later]


async def test_forgets_the_matches_that_nobody_uses(store: MatchStore) -> None:
    """Only so many are at hand; those that left are read again."""
    service = service_on(store, capacity=2)
    for number in range(5):
        await create(service, f"m{number}")
        await service.view(f"m{number}", ORGANIZER)

    assert service.residents == 2
    assert await version(service, "m0") == 1


async def test_keeps_nothing_of_matches_that_there_are_not(here: Service) -> None:
    """Asking for what does not exist fills no memory."""
    for number in range(5):
        with pytest.raises(UnknownMatch):
            await here.view(f"no{number}", ORGANIZER)
        with pytest.raises(UnknownMatch):
            await here.command(f"no{number}", ORGANIZER, body(PLACE))

    assert here.residents == 0


# ── History rewritten ─────────────────────────────────────────────────────────────────────────────


async def test_shows_the_log_that_there_is_after_a_failover(
    here: Service, store: MatchStore, redis_url: str
) -> None:
    """A lost end is gone; what stands under the same numbers now is what is shown."""
    await create(here)
    await send(here, 0, PLACE)
    first, lost = await log_of(store)
    before = await here.view("m", ORGANIZER, 2)

    rewrite(redis_url, [first])
    assert await version(here) == 1
    rewrite(redis_url, [first, lost])
    assert await version(here) == 2
    other = next_commit([first], 0, NEXT).data
    rewrite(redis_url, [first, other])

    after = await here.view("m", ORGANIZER)
    assert after.version == 2
    assert after.head != before.head
    assert await here.view("m", ORGANIZER, 2) == after


async def test_builds_on_no_commit_that_a_failover_has_lost(
    here: Service, store: MatchStore, redis_url: str
) -> None:
    """Under the same number stands another commit now: the chain goes on from that one."""
    await create(here)
    await send(here, 0, PLACE)
    first, _ = await log_of(store)
    rewrite(redis_url, [first, next_commit([first], 0, NEXT).data])

    with pytest.raises(Refused):
        await send(here, 1, NEXT)
    await send(here, 1, PLACE)

    commits = await log_of(store)
    assert verify(RULES, "m", commits).dispute is None
    assert len(commits) == 3


async def test_goes_on_where_a_shorter_log_ends(
    here: Service, store: MatchStore, redis_url: str
) -> None:
    """The command is judged again on the state that there is."""
    await create(here)
    await send(here, 0, PLACE)
    rewrite(redis_url, (await log_of(store))[:1])

    with pytest.raises(Refused) as refused:
        await send(here, 1, NEXT)
    await send(here, 0, NEXT)

    assert (refused.value.ruling, refused.value.version) == ("out-of-turn", 1)
    assert verify(RULES, "m", await log_of(store)).dispute is None


async def test_serves_no_match_that_is_gone(here: Service, redis_url: str) -> None:
    """As if it had never been."""
    await create(here)
    await send(here, 0, PLACE)
    rewrite(redis_url, [])

    with pytest.raises(UnknownMatch):
        await here.view("m", ORGANIZER)
    with pytest.raises(UnknownMatch):
        await here.command("m", ORGANIZER, body(PLACE), seat=0)


async def test_follows_a_take_back_that_another_process_made(here: Service, there: Service) -> None:
    """Its state is one gone by, which only the whole log can tell."""
    await create(here)
    await send(here, 0, PLACE)
    assert await version(there) == 2
    await send(here, 1, NEXT)
    await here.command("m", ORGANIZER, body({"type": "take_back", "to": 2, "reason": "x"}))

    state = (await there.view("m", ORGANIZER)).state
    assert state is not None
    assert state["course"].obstacles == (20,)
    assert (await send(there, 1, {**PLACE, "space": 26})).version == 5


async def test_reads_no_log_for_a_take_back_that_is_refused(
    here: Service, store: MatchStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Only its last commit, to make sure that it was judged on the present state."""
    await create(here)
    await send(here, 0, PLACE)
    await send(here, 1, {**PLACE, "space": 22})
    begun: list[int] = []
    read = store.read

    async def noted(match: str, after: int = 0, limit: int | None = None) -> list[Entry]:
        begun.append(after)
        return await read(match, after, limit)

    monkeypatch.setattr(store, "read", noted)
    with pytest.raises(Forbidden):
        await send(here, 0, {"type": "take_back", "to": 1, "reason": "x"})
    assert begun == [2]


async def test_gives_up_where_it_cannot_keep_up(
    here: Service, store: MatchStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    """After many conflicts in a row the sender is told to come back, and nothing was taken."""
    await create(here)

    async def crowded(match: str, number: int, *_: object, **__: object) -> None:
        raise Conflict(match, number, number)

    monkeypatch.setattr(store, "append", crowded)
    with pytest.raises(Crowded):
        await send(here, 0, PLACE)
    assert await version(here) == 1


async def test_tells_a_corrupt_log_from_one_that_is_not_there(
    here: Service, redis_url: str
) -> None:
    """Neither an error of ours nor an unknown match: it cannot be served."""
    await create(here)
    rewrite(redis_url, [b"nonsense"])

    with pytest.raises(Unserved):
        await here.view("m", ORGANIZER)
    with pytest.raises(Unserved):
        await send(here, 0, PLACE)
    assert here.residents == 0
