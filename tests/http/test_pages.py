"""Pages that other pages embed: the board, as whoever asks may see it."""

from __future__ import annotations

from xml.etree import ElementTree as ET

import msgspec
import pytest

from referee.catalogue import catalogue
from tests.clients import ORGANIZER
from tests.http.site import Api, Table, problem

BOARD = "/board.svg"


@pytest.mark.parametrize("game", [each.game.id for each in catalogue()])
async def test_draws_the_board_of_every_game(api: Api, game: str) -> None:
    """As the game draws the view of the same viewer, well formed."""
    rules = catalogue().current(game)
    table = await api.create(rules.game.players[0], game=game, options={})
    for token in (ORGANIZER, *table.tokens, table.spectator):
        drawn = await table.get(BOARD, token)
        assert drawn.status_code == 200
        assert drawn.headers["content-type"].partition(";")[0] == "image/svg+xml"
        assert ET.fromstring(drawn.text).tag == "{http://www.w3.org/2000/svg}svg"  # noqa: S314 -- our own
        assert drawn.text == rules.game.svg(await table.view(token))


async def test_draws_the_board_as_it_stood(table: Table) -> None:
    """After any commit; the present one without `at`."""
    before = (await table.get(BOARD)).text
    await table.race()

    assert (await table.get(BOARD)).text != before
    assert (await table.get(f"{BOARD}?at=1")).text == before
    problem(await table.get(f"{BOARD}?at=99"), 404, "not-found")


async def test_draws_it_for_nobody_who_may_not_see_it(table: Table, public: Table) -> None:
    """Without a token only what is public."""
    problem(await table.get(BOARD, None), 401, "unauthorized")
    problem(await table.get(BOARD, public.spectator), 404, "not-found")
    assert (await public.get(BOARD, None)).status_code == 200


async def test_takes_a_spectators_token_from_the_address_and_no_other(table: Table) -> None:
    """What a page embeds is asked for without headers; addresses are kept and shown."""
    at = f"{BOARD}?access_token="
    assert (await table.get(at + table.spectator, None)).text == (
        await table.get(BOARD, table.spectator)
    ).text
    for token in (*table.tokens, ORGANIZER, "nonsense", "é", ""):
        problem(await table.get(at + token, None), 401, "unauthorized")
    for rest in ("", "/events", "/legal", "/log"):
        assert (await table.get(f"{rest}?access_token={table.spectator}", None)).status_code >= 400


async def test_may_be_framed_by_anybody_and_can_do_nothing(table: Table) -> None:
    """No script, no other host, no address told."""
    headers = (await table.get(BOARD)).headers
    assert headers["content-security-policy"].startswith("sandbox; default-src 'none'")
    assert headers["x-content-type-options"] == "nosniff"
    assert headers["referrer-policy"] == "no-referrer"
    assert "frame-ancestors" not in headers["content-security-policy"]
    assert "x-frame-options" not in headers


async def test_sends_no_board_that_the_client_has(table: Table) -> None:
    """The tag is that of the view."""
    tag = (await table.get(BOARD)).headers["etag"]
    assert tag == (await table.get()).headers["etag"]
    again = await table.get(BOARD, if_none_match=tag)
    assert (again.status_code, again.content) == (304, b"")
    await table.race()
    assert (await table.get(BOARD, if_none_match=tag)).status_code == 200


async def test_draws_nothing_that_the_bearer_may_not_know(public: Table) -> None:
    """Where two matches differ in a hidden card alone, everybody else gets the same bytes."""
    await public.race()
    before = [(await public.get(BOARD, token)).text for token in (public.spectator, None)]
    await public.play(0, {"type": "choose_card", "card": 3})
    after = [(await public.get(BOARD, token)).text for token in (public.spectator, None)]
    own = (await public.get(BOARD, public.tokens[0])).text
    assert before[0] == before[1]
    assert after[0] == after[1] != own
    assert msgspec.json.encode(own)
