"""The stamp decides: what is asked when a clock has run out is judged behind that flag."""

from __future__ import annotations

import pytest
import redis

from referee.core.game import Asker
from referee.core.match import ClockSetting
from referee.core.table.commands import ExcuseOutage
from referee.core.verify import verify
from referee.service import Service, Timer
from referee.service.asking.requests import Place
from referee.service.errors import Refused, StaleVersion
from referee.service.observing import Observer
from referee.service.timing import timer
from referee.store import MatchStore, Outage, open_store
from referee.store.scripts import TAGS, outages_key
from tests.service.desk import (
    PLACE,
    RULES,
    body,
    create,
    first_commit,
    folded,
    log_of,
    rewrite,
    seat,
    send,
    service_on,
)
from tests.store.machines import eventually

FORFEIT, NOTE = ClockSetting(base_s=10), ClockSetting(base_s=10, on_flag="note")


@pytest.fixture
def service(store: MatchStore) -> Service:
    """A service."""
    return service_on(store)


async def begun(service: Service, redis_url: str, clock: ClockSetting, ago_ms: int) -> int:
    """A match that was created so long ago, with nothing since; when that was."""
    at = await service.store.time("m") - ago_ms
    rewrite(redis_url, [first_commit(RULES, at=at, clock=clock)])
    return at


async def kinds(service: Service) -> list[str]:
    """The types of the commands in the log, which verifies."""
    log = await log_of(service.store)
    assert verify(RULES, "m", log).dispute is None
    return [RULES.read_commit(data).cmd.__struct_config__.tag for data in log]


async def test_what_comes_too_late_is_judged_behind_the_flag(
    service: Service, redis_url: str
) -> None:
    """The seat is out by then, and its command has come to nothing."""
    await begun(service, redis_url, FORFEIT, 10_000)
    with pytest.raises(Refused) as refused:
        await send(service, 0, PLACE)
    assert (refused.value.ruling, refused.value.version) == ("match-over", 2)
    assert await kinds(service) == ["create_match", "claim_timeout"]


async def test_where_flags_are_noted_it_is_taken_behind_one(
    service: Service, redis_url: str
) -> None:
    """Two commits, the service's first."""
    await begun(service, redis_url, NOTE, 10_000)
    answer = await send(service, 0, PLACE)
    assert answer.version == 3
    assert await kinds(service) == ["create_match", "claim_timeout", "place_obstacle"]
    first, second = (RULES.read_commit(data) for data in (await log_of(service.store))[1:])
    assert (first.by, second.by) == ("service", "seat:0")


async def test_a_claim_of_that_very_flag_needs_none_before_it(
    service: Service, redis_url: str
) -> None:
    """Whoever makes it."""
    await begun(service, redis_url, FORFEIT, 10_000)
    assert (await send(service, 1, {"type": "claim_timeout", "seat": 0})).version == 2
    assert await kinds(service) == ["create_match", "claim_timeout"]


async def test_checks_and_lists_judge_so_too_and_append_nothing(
    service: Service, redis_url: str
) -> None:
    """As of the log's version: what is lawful there, by the time that it is."""
    await begun(service, redis_url, FORFEIT, 10_000)
    with pytest.raises(Refused) as refused:
        await service.check("m", seat(0), body(PLACE))
    assert (refused.value.ruling, refused.value.version) == ("match-over", 1)
    legal = await service.legal("m", seat(0))
    assert (legal.version, legal.commands, legal.complete) == (1, (), True)
    await service.check("m", seat(1), body({"type": "claim_timeout", "seat": 0}))
    assert await kinds(service) == ["create_match"]
    await begun(service, redis_url, NOTE, 10_000)
    await service.check("m", seat(0), body(PLACE))
    assert (await service.legal("m", seat(0))).commands


async def test_a_repeat_is_answered_before_all_this(service: Service, redis_url: str) -> None:
    """It asks what became of it, and changes nothing."""
    at = await begun(service, redis_url, FORFEIT, 20_000)
    log = await log_of(service.store)
    command = RULES.read_command(body(PLACE).data)
    moved = RULES.decide(folded(log), Asker("seat", 0, at), command, key="k", salt=bytes(12))
    rewrite(redis_url, [*log, moved.data])
    assert (await send(service, 0, PLACE, key="k")).version == 2
    assert await kinds(service) == ["create_match", "place_obstacle"]


async def test_a_flag_is_another_version(service: Service, redis_url: str) -> None:
    """Whoever wants a command taken at a version alone has not seen it fall."""
    await begun(service, redis_url, NOTE, 10_000)
    with pytest.raises(StaleVersion):
        await service.check("m", seat(0), body(PLACE), expected=[Place(1)])
    with pytest.raises(StaleVersion):
        await send(service, 0, PLACE, expected=[Place(1)])
    assert (await send(service, 0, PLACE, expected=[Place(2)])).version == 3


async def test_an_outage_is_excused_before_flags(
    service: Service, store: MatchStore, redis_url: str
) -> None:
    """What was before the last commit is not, and a clock that ran out in it goes on."""
    at = await begun(service, redis_url, FORFEIT, 15_000)
    with redis.Redis.from_url(redis_url) as client:
        client.rpush(outages_key(TAGS[0]), f"{at - 5000}:{at - 1}", f"{at + 1000}:{at + 9000}")
    other = open_store(redis_url)
    service = service_on(other)
    assert (await send(service, 0, PLACE)).version == 3
    assert await kinds(service) == ["create_match", "excuse_outage", "place_obstacle"]
    (_, excused, _) = map(RULES.read_commit, await log_of(store))
    assert excused.cmd == ExcuseOutage((Outage(at + 1000, at + 9000),))
    clock = folded(await log_of(store)).clock
    assert clock is not None
    assert 0 < clock.left[0] <= 3000
    await other.aclose()


async def test_a_match_is_at_hand_before_it_is_due(
    service: Service, redis_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """In the process that is to begin with it; what is due much later is left where it is."""
    await create(service, clock={"base_s": 300})
    await create(service, "later", clock={"base_s": 6000})
    monkeypatch.setattr(timer, "LOAD_MS", 600_000)
    store = open_store(redis_url)
    other = service_on(store)
    async with Timer(store, other, Observer()).running():
        await eventually(lambda: other.residents > 0)
        assert other.residents == 1
    await store.aclose()
