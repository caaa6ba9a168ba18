"""Lists hold what is archived beside what is not."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import pytest
import structlog
from msgspec import UNSET
from structlog.testing import LogCapture

from referee.archive.archive import row_key
from referee.service import lists
from referee.service.lists import Wanted
from tests.archive.hall import VOID, Hall
from tests.clients import ORGANIZER as TOKEN
from tests.clients import accepted
from tests.http.site import Api
from tests.service.desk import ORGANIZER


async def test_lists_are_newest_first_whatever_is_where(hall: Hall, api: Api) -> None:
    """In pages of every size, of one tournament, of all and of none, archived, not, and both."""
    made: list[tuple[str, str | None]] = []
    for number in range(9):
        tournament = (None, "A b/c", "-")[number % 3]
        table = await api.create(tournament=tournament, match=f"m{number}")
        made.insert(0, (table.match, tournament))
        if number not in {2, 4, 8}:
            await table.rule(VOID)
    assert len(await hall.archived()) == 6
    kept = {"m2", "m4", "m8"}
    gone = {match for match, _ in made} - kept
    for archived, there in (
        ("", kept | gone),
        ("&archived=true", gone),
        ("&archived=false", kept),
    ):
        for tournament in ("", "A b/c", "-"):
            expected = [match for match, of in made if match in there and tournament in ("", of)]
            query = f"&tournament={tournament.replace(' ', '%20')}" if tournament else ""
            for limit in (1, 2, 3, 50):
                assert await listed(api, f"limit={limit}{query}{archived}") == expected
    assert await listed(api, "status=void&archived=true&limit=2") == [
        "m7",
        "m6",
        "m5",
        "m3",
        "m1",
        "m0",
    ]
    assert await listed(api, "status=active") == ["m8", "m4", "m2"]


async def listed(api: Api, query: str) -> list[str]:
    """The matches on all pages of a list."""
    found: list[str] = []
    cursor = ""
    while True:
        page = accepted(await api.get(f"/v1/matches?{query}{cursor}", TOKEN))
        found += [row["match"] for row in page["matches"]]
        if page["cursor"] is None:
            return found
        cursor = f"&cursor={page['cursor']}"


async def test_a_match_on_its_way_is_listed(hall: Hall, monkeypatch: pytest.MonkeyPatch) -> None:
    """Once, when it goes and when it comes while a page is made of both."""
    await hall.over()
    ask = hall.archive.ask
    for move in (hall.archived, hall.restore):

        async def moved(question: Any, move: Any = move) -> Any:
            assert await move()
            return await ask(question)

        monkeypatch.setattr(hall.archive, "ask", moved)
        page = await hall.service.matches(ORGANIZER, Wanted())
        assert [row.match for row in page.matches] == ["m"]


async def test_rows_of_one_time_stand_as_the_stores_do(hall: Hall) -> None:
    """Ids backwards, so that no page repeats or skips one."""
    row = b'{"match":"m%d"}'
    for number in range(7):
        key = row_key(f"m{number}", 5 if number in {2, 3, 4, 5} else 9 - number, None)
        hall.archive.place.put(key, row % number, None)
    rows, more = hall.archive.rows(None, None, 50)
    everything = [at.match for at, _ in rows]
    assert everything == ["m0", "m1", "m5", "m4", "m3", "m2", "m6"]
    assert not more
    paged: list[str] = []
    before = None
    while len(paged) < 7:
        ((at, _),), more = hall.archive.rows(None, before, 1)
        assert more is (len(paged) < 6)
        paged.append(at.match)
        before = at
    assert paged == everything


@pytest.mark.parametrize("wrong", [b"{", b"{}", b"\xff", b'{"match": "\xff"}', None])
async def test_a_row_that_cannot_be_read_is_left_out(
    hall: Hall, wrong: bytes | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The others are listed, before and after it, and the page says that it is not all of them."""
    logged = LogCapture()  # however logging was set up before
    everything = structlog.make_filtering_bound_logger(0)
    log = structlog.wrap_logger(None, processors=[logged], wrapper_class=everything)
    monkeypatch.setattr(lists, "log", log)
    await hall.over("early")
    await hall.over("late")
    await hall.archived()
    hall.archive.place.put("index/-/stray.json", b"{}", None)
    page = await hall.service.matches(ORGANIZER, Wanted())
    assert ([row.match for row in page.matches], page.incomplete) == (["late", "early"], UNSET)
    key = row_key("x", page.matches[1].created, None)
    if wrong is None:
        # It reads as a disk that fails.
        await asyncio.to_thread(Path(hall.archive.name, key).symlink_to, "/proc/self/mem")
    else:
        hall.archive.place.put(key, wrong, None)
    page = await hall.service.matches(ORGANIZER, Wanted())
    assert ([row.match for row in page.matches], page.incomplete) == (["late", "early"], True)
    assert [line["match"] for line in logged.entries] == ["x"]
    first = await hall.service.matches(ORGANIZER, Wanted(), limit=1)
    rest = await hall.service.matches(ORGANIZER, Wanted(), limit=1, cursor=first.cursor)
    assert [row.match for row in rest.matches] == ["early"]
