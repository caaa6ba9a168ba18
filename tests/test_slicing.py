"""Long work beside an event loop: it stands back again and again, however much there is of it."""

from __future__ import annotations

import asyncio
import itertools
from types import SimpleNamespace
from typing import TYPE_CHECKING

import pytest

from referee import slicing
from referee.core.slices import at_once
from referee.slicing import SLICE_S, in_slices

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

    from referee.core.slices import Slices

IN_A_SLICE = 10


class Turns:
    """How many steps of work were taken, and the most from one turn of another task to the next."""

    def __init__(self) -> None:
        self.steps = self.most = 0
        self._before = 0

    async def watched(self) -> None:
        """Another task, which takes every turn that it is given."""
        while True:
            self.most = max(self.most, self.steps - self._before)
            self._before = self.steps
            await asyncio.sleep(0)

    def work(self, steps: int) -> Slices[str]:
        """Work of so many steps."""
        for _ in range(steps):
            self.steps += 1
            yield
        return "done"


@pytest.fixture
async def turns(monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[Turns]:
    """Turns by a clock that is a step later whenever it is looked at."""
    times = itertools.count(0.0, SLICE_S / IN_A_SLICE)
    monkeypatch.setattr(slicing, "time", SimpleNamespace(monotonic=lambda: next(times)))
    made = Turns()
    watching = asyncio.create_task(made.watched())
    yield made
    watching.cancel()


@pytest.mark.parametrize(
    ("works", "times", "steps"), [(1, 1, 1000), (2, 1, 1000), (50, 1, 100), (50, 20, 9)]
)
async def test_others_have_their_turns_in_between(
    turns: Turns, works: int, times: int, steps: int
) -> None:
    """Works are long, or many, or many short ones again and again: together they take a slice."""

    async def worker() -> None:
        for _ in range(times):
            assert await in_slices(turns.work(steps)) == "done"
            await asyncio.sleep(0)

    await asyncio.gather(*(worker() for _ in range(works)))
    assert turns.steps == works * times * steps
    assert turns.most <= 2 * (IN_A_SLICE + works)


async def test_works_go_on_side_by_side(turns: Turns) -> None:
    """A short one is done before a long one that was begun earlier."""
    long = asyncio.create_task(in_slices(turns.work(10_000)))
    await asyncio.sleep(0)
    assert await in_slices(turns.work(100)) == "done"
    assert turns.steps < 1000
    assert await long == "done"


async def test_work_that_was_given_up_takes_no_share(turns: Turns) -> None:
    """Whether it failed or whoever waited for it left."""

    def failing() -> Slices[None]:
        yield
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        await in_slices(failing())
    left = asyncio.create_task(in_slices(turns.work(1000)))
    await asyncio.sleep(0)
    left.cancel()
    await asyncio.wait([left])
    turns.most = 0

    assert await in_slices(turns.work(1000)) == "done"
    assert turns.most >= IN_A_SLICE - 1


def test_work_is_done_at_once_as_well() -> None:
    """Where nobody else is to have a turn."""
    turns = Turns()
    assert at_once(turns.work(1000)) == "done"
    assert turns.steps == 1000
