"""A match whose seats add entropy themselves, over HTTP."""

from __future__ import annotations

from typing import Any

import pytest

from tests.clients import ORGANIZER, accepted, order_of
from tests.http.site import Api, Table, paths, problem

ADD: dict[str, Any] = {"type": "add_entropy", "hex": "0a" * 16}


@pytest.fixture
async def waiting(api: Api) -> Table:
    """A match of dragon-dance with a clock that waits for its seats' entropy."""
    return await api.create(game="dragon-dance", entropy="seats", clock={"base_s": 60})


async def test_a_match_waits_for_the_entropy_of_its_seats(waiting: Table) -> None:
    """View, legal commands and board say so, to everybody."""
    for token in (ORGANIZER, *waiting.tokens, waiting.spectator):
        view = await waiting.view(token)
        assert (view["state"], view["deadline"], view["to_act"]) == (None, None, [0, 1])
        board = await waiting.get("/board.svg", token)
        assert "Nothing is dealt yet: the entropy of p0 and p1 is awaited." in board.text
    legal = accepted(await waiting.get("/legal", waiting.tokens[0]))
    assert (legal["commands"], legal["complete"]) == ([], True)
    events = accepted(await waiting.get("/events", waiting.spectator))["events"]
    assert [event["entropy"] for event in events] == ["seats"]


async def test_the_last_seat_deals(waiting: Table) -> None:
    """What each added is public; with the last the game begins, and the clock."""
    await waiting.play(0, ADD)
    answer = await waiting.play(1, {**ADD, "hex": "AB" * 64})
    types = [event["type"] for event in answer["events"]]
    assert types == ["entropy_added", "dealt", "first_card"]
    view = await waiting.view(waiting.spectator)
    assert (view["state"]["phase"], view["to_act"]) == ("lay", [0])
    assert view["deadline"] is not None
    events = accepted(await waiting.get("/events", waiting.spectator))["events"]
    assert [event["hex"] for event in events if "hex" in event] == ["0a" * 16, "AB" * 64]
    assert (await waiting.view(rest="?at=2"))["state"] is None


async def test_the_organizer_deals_without_but_adds_nothing(waiting: Table) -> None:
    """Neither as an organizer nor for a seat."""
    for rest in ("/commands", "/commands?seat=0", "/check?seat=0"):
        problem(await waiting.send(ADD, ORGANIZER, rest), 403, "forbidden")
    answer = await waiting.rule({"type": "deal", "reason": "the round begins"})
    assert answer["events"][0]["seats"] == [0, 1]
    late = await waiting.send(ADD, waiting.tokens[0])
    problem(late, 422, "/v1/games/dragon-dance/rulings/entropy-asked")


async def test_nothing_else_is_taken_before(waiting: Table) -> None:
    """A game's commands and the table's alike."""
    for command in ({"type": "draw"}, {"type": "resign"}):
        answer = await waiting.send(command, waiting.tokens[0])
        problem(answer, 422, "/v1/games/dragon-dance/rulings/before-deal")


async def test_what_is_no_entropy_is_malformed(waiting: Table) -> None:
    """The field is named."""
    for digits in ("0" * 31, "0" * 129, "x" * 32, 7, None):
        answer = await waiting.send({**ADD, "hex": digits}, waiting.tokens[0])
        assert paths(problem(answer, 400, "invalid-fields")) == ["hex"]


async def test_entropy_is_a_string_a_seat_or_that_word(api: Api) -> None:
    """Any other word, and entries of a list that are none, are named by their path."""
    for entropy, path in (("chairs", "entropy"), (["00", "zz"], "entropy[1]"), (5, "entropy")):
        answer = await api.post("/v1/matches", order_of(2, entropy=entropy), ORGANIZER)
        assert paths(problem(answer, 400, "invalid-fields")) == [path]
