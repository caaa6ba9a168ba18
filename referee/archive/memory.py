"""What was found out not long ago, so that it need not be asked again."""

import threading
import time
from collections import OrderedDict
from typing import Final, Generic, TypeVar

T = TypeVar("T")


class Memory(Generic[T]):
    """Values by their names, each for so many seconds; for any thread.

    `most` is what all of them may weigh, where each weighs 1 if nothing else is said.
    """

    def __init__(self, seconds: float, most: int) -> None:
        self._seconds: Final = seconds
        self._most: Final = most
        self._held: OrderedDict[str, tuple[float, T, int]] = OrderedDict()
        self._weight = 0
        self._alone: Final = threading.Lock()

    def get(self, name: str) -> T | None:
        """The value of this name, if it is still remembered."""
        until, value, _ = self._held.get(name, (0.0, None, 0))
        return value if time.monotonic() < until else None

    def put(self, name: str, value: T, weight: int = 1) -> None:
        """Remember a value from now on; the oldest make room, so that it is there in any case."""
        with self._alone:
            self._drop(name)
            self._held[name] = (time.monotonic() + self._seconds, value, weight)
            self._weight += weight
            while self._weight > self._most and len(self._held) > 1:
                self._drop(next(iter(self._held)))

    def forget(self, name: str) -> None:
        """Ask anew the next time."""
        with self._alone:
            self._drop(name)

    def _drop(self, name: str) -> None:
        gone = self._held.pop(name, None)
        self._weight -= 0 if gone is None else gone[2]
