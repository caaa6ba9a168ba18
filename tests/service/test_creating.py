"""Creating a match once, whoever asks how often, and whoever dies meanwhile."""

from __future__ import annotations

import asyncio
from typing import Any

import msgspec
import pytest

from referee.core.commit import open_envelope
from referee.service import Bearer, Body, Service
from referee.service.answers import Created
from referee.service.errors import BadRequest, KeyReused, MatchTaken
from referee.service.lists import Wanted
from referee.store import InLists, MatchStore, StoreAway
from tests.clients import order_of
from tests.service.desk import ORGANIZER, SEED, body, log_of, service_on

ORDER = order_of(2, tournament="spring", options={"length": 50})
KIM = Bearer("organizer", name="kim")


@pytest.fixture
def here(store: MatchStore) -> Service:
    """One process."""
    return service_on(store)


@pytest.fixture
def there(store: MatchStore) -> Service:
    """Another one, on the same store."""
    return service_on(store)


async def matches(service: Service) -> list[str]:
    """The ids of all matches that are listed."""
    return [row.match for row in (await service.matches(ORGANIZER, Wanted())).matches]


async def test_the_same_order_gets_the_first_answer_again(here: Service, there: Service) -> None:
    """In whatever form it comes, from whichever organizer, at whichever process, later too."""
    first = await here.create(ORGANIZER, body(ORDER), "k")
    await here.command(first.match, Bearer("seat", first.match, 0), body({"type": "resign"}))
    backwards = body(dict(reversed(ORDER.items())))
    explicit = body({**ORDER, "public": False, "clock": None, "tournament": " spring "})
    packed = Body(msgspec.msgpack.encode(ORDER), msgpack=True)

    for service, bearer, again in (
        (here, ORGANIZER, backwards),
        (there, KIM, packed),
        (there, KIM, explicit),
    ):
        answer = await service.create(bearer, again, "k")
        assert answer.first == first.first
        assert (answer.first.version, answer.seats[0].withdrawn) == (1, True)

    assert await matches(here) == [first.match]


async def test_the_key_stands_in_the_first_commit(here: Service, store: MatchStore) -> None:
    """With whoever came first."""
    made = await here.create(KIM, body(ORDER), "k")

    first = open_envelope((await log_of(store, made.match))[0])

    assert (first.key, first.by) == ("k", "organizer:kim")


async def test_a_match_is_at_hand_where_it_was_created(here: Service, store: MatchStore) -> None:
    """Its first command is taken, and its key known again, as if the match had been read."""
    made = await here.create(KIM, body(ORDER))
    sent, key = body({"type": "place_obstacle", "space": 20}), "first"

    answers = [
        await service.command(made.match, ORGANIZER, sent, seat=0, key=key)
        for service in (here, here, service_on(store))
    ]

    assert [(answer.version, answer.head) for answer in answers] == [(2, answers[0].head)] * 3


async def test_the_key_is_used_up_for_commands_of_its_organizer(here: Service) -> None:
    """In that match: a command is no creation."""
    made = await here.create(KIM, body(ORDER), "k")

    with pytest.raises(KeyReused):
        await here.command(made.match, KIM, body({"type": "pause"}), key="k")


@pytest.mark.parametrize(
    "changed",
    [{"public": True}, {"options": {}}, {"seats": [{"name": "a"}, {"name": "b"}]}, {"idle_s": 0}],
    ids=str,
)
async def test_another_order_with_the_key_is_refused(here: Service, changed: Any) -> None:
    """Whatever is different in it."""
    made = await here.create(ORGANIZER, body(ORDER), "k")

    with pytest.raises(KeyReused) as refused:
        await here.create(KIM, body(ORDER | changed), "k")

    assert (refused.value.match, refused.value.version) == (made.match, 1)
    assert await matches(here) == [made.match]


async def test_an_order_that_is_refused_uses_up_no_key(here: Service) -> None:
    """The mended one is taken."""
    with pytest.raises(BadRequest):
        await here.create(ORGANIZER, body(ORDER | {"seats": []}), "k")

    await here.create(ORGANIZER, body(ORDER), "k")

    assert len(await matches(here)) == 1


@pytest.mark.parametrize("chosen", [{}, {"match": "final", "seed": SEED}], ids=["", "an id"])
async def test_two_at_once_make_one_match(store: MatchStore, chosen: Any) -> None:
    """As many as there may be, each in a process of its own."""
    made: list[Created] = await asyncio.gather(
        *(service_on(store).create(ORGANIZER, body(ORDER | chosen), "k") for _ in range(8))
    )

    assert all(one.first == made[0].first for one in made)
    assert await matches(service_on(store)) == [made[0].match]


@pytest.mark.parametrize("chosen", [{}, {"match": "final"}], ids=["", "an id"])
@pytest.mark.parametrize("listed_before", [False, True], ids=["one server", "a cluster"])
async def test_what_a_process_left_half_done_is_done_by_the_next(
    store: MatchStore,
    there: Service,
    monkeypatch: pytest.MonkeyPatch,
    chosen: Any,
    *,
    listed_before: bool,
) -> None:
    """It died before the match was listed, or before its first commit: there is one match."""

    async def dies(match: str, *_: object, listed: InLists, **_how: object) -> None:
        if listed_before:
            await store.register(match, listed)
        raise StoreAway("the process ends here", outcome_unknown=True)

    with monkeypatch.context() as dying:
        dying.setattr(store, "append", dies)
        with pytest.raises(StoreAway):
            await service_on(store).create(ORGANIZER, body(ORDER | chosen), "k")
    assert await matches(there) == []

    made = await there.create(ORGANIZER, body(ORDER | chosen), "k")
    again = await there.create(ORGANIZER, body(ORDER | chosen), "k")

    assert made.first == again.first
    assert await matches(there) == [made.match]


async def test_a_chosen_id_is_taken_but_for_its_own_key(here: Service) -> None:
    """With another key, or none, there is such a match already."""
    order = ORDER | {"match": "final"}
    made = await here.create(ORGANIZER, body(order), "k")

    assert (await here.create(ORGANIZER, body(order), "k")).first == made.first
    for key in (None, "other"):
        with pytest.raises(MatchTaken):
            await here.create(ORGANIZER, body(order), key)
    later = await here.create(ORGANIZER, body(ORDER), "other")
    assert later.match != "final"
