"""Chance: every shuffle, draw and roll of a match comes from one 32-byte seed.

Draw number i of a match (0, 1, 2, …) is the byte stream of

    HMAC-SHA256(seed, "referee/1|" match "|" hex(entropy of seat 0) "|" … "|" i "|" block)

for block = 0, 1, 2, … A whole number below n takes eight bytes, big-endian, at a time and
refuses values from the largest multiple of n up, so that no value is likelier than another.
The outcomes stand in the events; the seed lets anyone recompute them.
"""

import hashlib
import struct
from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from itertools import count
from typing import TYPE_CHECKING, Final, Self, TypeVar

from msgspec import Struct

if TYPE_CHECKING:
    from hashlib import _Hash

T = TypeVar("T")

SEED_BYTES: Final = 32
_WORDS: Final = 1 << 64
_FOUR_WORDS: Final = struct.Struct(">4Q")
"""The words of a block: eight bytes each, big-endian."""
_BLOCK_BYTES: Final = 64
"""A block of SHA-256 itself, to which HMAC fills up its key."""


def commitment(seed: bytes) -> str:
    """The public commitment to a seed: `"sha256:"` and the SHA-256 of it in hex."""
    return "sha256:" + hashlib.sha256(seed).hexdigest()


class Chance(Struct, gc=False, eq=False):
    """The source of chance of one match, standing at its next draw number.

    `seed`: 32 bytes; `match`: the match's id; `entropy`: a hex string a seat, `""`
    where the seat added none; `draws`: how many draw numbers are used up already.
    """

    seed: bytes
    match: str
    entropy: Sequence[str]
    draws: int = 0

    def below(self, n: int) -> int:
        """A whole number 0 ≤ x < n (1 ≤ n ≤ 2**64), all equally likely; takes one draw number."""
        return self._number(n)

    def between(self, least: int, most: int) -> int:
        """A whole number from `least` to `most`, all equally likely; takes one draw number."""
        return least + self.below(most - least + 1)

    def one_of(self, items: Sequence[T]) -> T:
        """One of the items, all equally likely; takes one draw number."""
        return items[self.below(len(items))]

    def about(self, _what: str, _seat: int | None = None) -> Self:
        """The same chance, told in a few words what its next draw is of, and for which seat.

        Whoever audits chance keeps that beside the draw (`replay chance`); no outcome hangs on it.
        """
        return self

    def weighted(self, weights: Mapping[T, int]) -> T:
        """One of the keys, each as likely as its weight; takes one draw number."""
        left = self._number(sum(weights.values()))
        for item, weight in weights.items():
            if left < weight:
                return item
            left -= weight
        raise AssertionError("a number below the sum of all weights is within one of them")

    def shuffle(self, items: Sequence[T]) -> tuple[T, ...]:
        """The items in drawn order: Fisher-Yates from the last index down, one draw number."""
        words = self._next_words()
        shuffled = list(items)
        for last in range(len(shuffled) - 1, 0, -1):
            other = _below(words, last + 1)
            shuffled[last], shuffled[other] = shuffled[other], shuffled[last]
        return tuple(shuffled)

    def _number(self, n: int) -> int:
        number, self.draws = self.draws, self.draws + 1
        word = _block(self._begun(), number, 0)[0]
        # Only among the largest n words are there any to be refused.
        return word % n if word < _WORDS - n else _below(self._words(number), n)

    def _next_words(self) -> Iterator[int]:
        number, self.draws = self.draws, self.draws + 1
        return self._words(number)

    def _words(self, number: int) -> Iterator[int]:
        begun = self._begun()
        for block in count():
            yield from _block(begun, number, block)

    def _begun(self) -> "tuple[_Hash, _Hash]":
        return _hmac(self.seed, self.match, tuple(self.entropy))


def _block(begun: "tuple[_Hash, _Hash]", number: int, block: int) -> tuple[int, ...]:
    """The words of a block of a draw."""
    inner, mac = begun[0].copy(), begun[1].copy()
    inner.update(f"{number}|{block}".encode())
    mac.update(inner.digest())
    return _FOUR_WORDS.unpack(mac.digest())


@lru_cache(1024)
def _hmac(seed: bytes, match: str, entropy: tuple[str, ...]) -> "tuple[_Hash, _Hash]":
    """The inner and the outer hash of the HMAC of a match's draws, which all begin alike.

    A copy of both takes a third of the time that the library's own HMAC takes to be copied.
    """
    text = "".join(f"{part}|" for part in ("referee/1", match, *entropy))
    inner, outer = (
        hashlib.sha256(bytes(byte ^ pad for byte in seed.ljust(_BLOCK_BYTES, b"\0")))
        for pad in (0x36, 0x5C)
    )
    inner.update(text.encode())
    return inner, outer


def _below(words: Iterator[int], n: int) -> int:
    limit = _WORDS - _WORDS % n
    word = next(words)
    while word >= limit:
        word = next(words)
    return word % n
