"""Turns: a crowd is served in its order, and nobody else stands behind it."""

from __future__ import annotations

import asyncio
from functools import partial
from itertools import pairwise

from referee.http.turns import EACH, Turns


async def test_a_crowd_has_its_turn_a_few_at_a_time() -> None:
    """In the order in which they came, also those who come meanwhile."""
    turns, had, crowd = Turns(), list[int](), range(10 * EACH)
    for number in crowd:
        turns.take(partial(had.append, number))
    by_then = [0]
    while len(had) <= len(crowd):
        await asyncio.sleep(0)  # in which whoever else is there has a turn
        by_then.append(len(had))
        if len(by_then) == 4:
            turns.take(partial(had.append, len(crowd)))
    assert had == [*crowd, len(crowd)]
    assert max(after - before for before, after in pairwise(by_then)) == EACH


async def test_who_waits_for_a_turn_goes_on_in_it() -> None:
    """Behind those who were there before; one who gave up meanwhile is passed over."""
    turns, had = Turns(), list[int]()

    async def go_on(number: int) -> None:
        await turns.mine()
        had.append(number)

    tasks = [asyncio.ensure_future(go_on(number)) for number in range(4 * EACH)]
    await asyncio.sleep(0)
    tasks[-2].cancel()
    await asyncio.wait(tasks)
    assert had == [*range(4 * EACH - 2), 4 * EACH - 1]


async def test_who_fails_in_it_holds_up_nobody() -> None:
    """It is logged as whatever fails on the loop, and the next has its turn."""
    turns, had, failed = Turns(), list[int](), list[object]()
    asyncio.get_running_loop().set_exception_handler(lambda _, told: failed.append(told))
    for number in range(-EACH, EACH + 1):
        turns.take(lambda number=number: had.append(1 // number))  # type: ignore[misc]
    for _ in range(8):
        await asyncio.sleep(0)
    assert (len(had), len(failed)) == (2 * EACH, 1)
