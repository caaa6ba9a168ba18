"""Long work beside an event loop: it stands back again and again, however much there is of it."""

from __future__ import annotations

import asyncio
import itertools
from collections import Counter
from types import SimpleNamespace
from typing import TYPE_CHECKING

import pytest

from referee import slicing
from referee.core.slices import at_once
from referee.slicing import SLICE_S, in_slices

if TYPE_CHECKING:
    from referee.core.slices import Slices

STEPS = 1000
IN_A_SLICE = 10


class Turns:
    """Which turn of the event loop it is, and how many steps were taken in each."""

    def __init__(self) -> None:
        self.now = 0
        self.steps: Counter[int] = Counter()

    async def count(self) -> None:
        """Take every turn."""
        while True:
            self.now += 1
            await asyncio.sleep(0)

    def long(self) -> Slices[str]:
        """Work of many steps."""
        for _ in range(STEPS):
            self.steps[self.now] += 1
            yield
        return "done"


@pytest.fixture
def turns(monkeypatch: pytest.MonkeyPatch) -> Turns:
    """Turns by a clock of their own: each look at it is one step later."""
    times = itertools.count(0.0, SLICE_S / IN_A_SLICE)
    monkeypatch.setattr(slicing, "time", SimpleNamespace(monotonic=lambda: next(times)))
    return Turns()


@pytest.mark.parametrize("works", [1, 2, 5])
async def test_others_have_their_turns_in_between(turns: Turns, works: int) -> None:
    """However many works are under way, all of them together take a slice and a step of each."""
    other = asyncio.create_task(turns.count())
    assert await asyncio.gather(*(in_slices(turns.long()) for _ in range(works))) == (
        ["done"] * works
    )
    other.cancel()
    first, *later = turns.steps.values()
    assert sum(turns.steps.values()) == works * STEPS
    assert max(later) <= IN_A_SLICE + 2 * works
    assert first <= 3 * (IN_A_SLICE + 2 * works)


async def test_work_that_was_given_up_takes_no_share(turns: Turns) -> None:
    """Whether it failed or whoever waited for it left."""

    def failing() -> Slices[None]:
        yield
        raise ValueError

    with pytest.raises(ValueError):  # noqa: PT011 - its own
        await in_slices(failing())
    left = asyncio.create_task(in_slices(turns.long()))
    await asyncio.sleep(0)
    left.cancel()
    await asyncio.wait([left])
    turns.steps.clear()

    other = asyncio.create_task(turns.count())
    assert await in_slices(turns.long()) == "done"
    other.cancel()
    assert max(turns.steps.values()) >= IN_A_SLICE


def test_nobody_waits_where_there_is_nobody_else(turns: Turns) -> None:
    """Work is done at once as well."""
    assert at_once(turns.long()) == "done"
