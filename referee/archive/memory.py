"""What was found out not long ago, so that it need not be asked again."""

import threading
import time
from collections import OrderedDict
from typing import Final, Generic, TypeVar

T = TypeVar("T")


class Memory(Generic[T]):
    """At most so many values by their names, each for so many seconds; for any thread."""

    def __init__(self, seconds: float, most: int) -> None:
        self._seconds: Final = seconds
        self._most: Final = most
        self._held: OrderedDict[str, tuple[float, T]] = OrderedDict()
        self._alone: Final = threading.Lock()

    def get(self, name: str) -> T | None:
        """The value of this name, if it is still remembered."""
        until, value = self._held.get(name, (0.0, None))
        return value if time.monotonic() < until else None

    def put(self, name: str, value: T) -> None:
        """Remember a value from now on; the oldest makes room."""
        with self._alone:
            self._held.pop(name, None)
            self._held[name] = (time.monotonic() + self._seconds, value)
            if len(self._held) > self._most:
                self._held.popitem(last=False)

    def forget(self, name: str) -> None:
        """Ask anew the next time."""
        with self._alone:
            self._held.pop(name, None)
