"""Turns for what many want at once: thousands of readers that go away, or come back."""

import asyncio
from collections import deque
from collections.abc import Callable
from contextvars import Context, copy_context
from functools import partial
from typing import Final

EACH: Final = 4
"""How many have their turn in one turn of the event loop."""


class Turns:
    """Has things done a few in each turn of the event loop, in the order in which they were asked.

    The loop does all that is there before it looks at anything else: a command would stand behind
    the whole of a crowd, and again at every step on its way.
    """

    def __init__(self) -> None:
        self._waiting: deque[tuple[Callable[[], object], Context]] = deque()
        self._taken = False

    def take(self, act: Callable[[], object]) -> None:
        """Have something done when its turn has come."""
        self._waiting.append((act, copy_context()))
        if not self._taken:
            self._taken = True
            asyncio.get_running_loop().call_soon(self._next)

    async def mine(self) -> None:
        """Go on when one's turn has come."""
        turn = asyncio.get_running_loop().create_future()
        self.take(partial(_begin, turn))
        await turn

    def _next(self) -> None:
        loop = asyncio.get_running_loop()
        for _ in range(min(EACH, len(self._waiting))):
            act, context = self._waiting.popleft()
            loop.call_soon(act, context=context)
        self._taken = bool(self._waiting)
        if self._taken:
            loop.call_soon(self._next)


def _begin(turn: asyncio.Future[None]) -> None:
    if not turn.done():  # or whoever waited has gone meanwhile
        turn.set_result(None)
