"""Chance, held against the formula of the contract written a second time, another way."""

from __future__ import annotations

import hashlib
import hmac
from collections import Counter
from itertools import islice, permutations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from referee.core.randomness import Chance, commitment

SEED = bytes(range(32))
WORDS = 1 << 64
seeds = st.binary(min_size=32, max_size=32)
names = st.from_regex(r"[A-Za-z0-9_-]{1,64}", fullmatch=True)
entropies = st.lists(st.binary(max_size=8).map(bytes.hex), max_size=5)


def stream(seed: bytes, match: str, entropy: list[str], draw: int, size: int) -> bytes:
    """The first `size` bytes of draw number `draw`, by the contract's formula."""
    out, block = b"", 0
    while len(out) < size:
        text = "referee/1|" + match + "|" + "".join(e + "|" for e in entropy) + f"{draw}|{block}"
        out += hmac.new(seed, text.encode("ascii"), hashlib.sha256).digest()
        block += 1
    return out[:size]


def numbers(seed: bytes, match: str, entropy: list[str], draw: int) -> list[int]:
    """The first hundred eight-byte numbers of a draw."""
    raw = stream(seed, match, entropy, draw, 800)
    return [int.from_bytes(raw[at : at + 8], "big") for at in range(0, 800, 8)]


def fisher_yates(items: list[int], words: list[int]) -> list[int]:
    """A shuffle from the last index down, refusing what would make a place likelier."""
    items, source = list(items), iter(words)
    for i in reversed(range(1, len(items))):
        largest = WORDS // (i + 1) * (i + 1)
        j = next(word for word in source if word < largest) % (i + 1)
        items[i], items[j] = items[j], items[i]
    return items


def test_hmac_is_the_published_one() -> None:
    """HMAC-SHA256 as used here gives RFC 4231's test case 2."""
    digest = hmac.digest(b"Jefe", b"what do ya want for nothing?", "sha256")
    assert digest.hex() == "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843"


def test_the_commitment_is_the_published_sha256() -> None:
    """The commitment names SHA-256: of `abc` FIPS 180 publishes the digest."""
    assert commitment(b"abc") == (
        "sha256:ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"
    )


def test_a_message_is_put_together_as_the_contract_says() -> None:
    """Seed, match, entropies and numbers enter in that order, decimal, parted by bars."""
    message = b"referee/1|m1|aa||3|0"
    word = int.from_bytes(hmac.digest(SEED, message, "sha256")[:8], "big")
    assert Chance(SEED, "m1", ["aa", ""], 3).below(WORDS) == word


@given(seeds, names, entropies, st.integers(0, 10**6), st.integers(1, WORDS))
def test_a_number_below_n_is_the_first_that_favours_nobody(
    seed: bytes, match: str, entropy: list[str], draw: int, n: int
) -> None:
    """`below` takes the first word under the largest multiple of n, modulo n."""
    wanted = next(w for w in numbers(seed, match, entropy, draw) if w < WORDS // n * n) % n
    assert Chance(seed, match, entropy, draw).below(n) == wanted


def test_words_from_the_largest_multiple_up_are_refused() -> None:
    """With n just above half of all words nearly every second word is refused, and skipped."""
    n = WORDS // 2 + 1
    refused = [numbers(SEED, "m", [], draw)[0] >= n for draw in range(64)]
    assert 10 < sum(refused) < 54
    for draw in range(64):
        wanted = next(word for word in numbers(SEED, "m", [], draw) if word < n)
        assert Chance(SEED, "m", [], draw).below(n) == wanted


@given(seeds, names, entropies, st.integers(0, 10**6), st.lists(st.integers(), max_size=80))
def test_a_shuffle_is_fisher_yates_from_the_last_index_down(
    seed: bytes, match: str, entropy: list[str], draw: int, items: list[int]
) -> None:
    """`shuffle` is the contract's, whatever is shuffled."""
    wanted = fisher_yates(items, numbers(seed, match, entropy, draw))
    assert list(Chance(seed, match, entropy, draw).shuffle(items)) == wanted


def test_a_shuffle_of_a_hundred_runs_on_over_many_blocks() -> None:
    """Twenty-five blocks and more of 32 bytes feed one draw without a seam."""
    raw = numbers(SEED, "m", [], 0)
    assert list(Chance(SEED, "m", []).shuffle(range(100))) == fisher_yates(list(range(100)), raw)


@pytest.mark.parametrize("size", [0, 1, 2, 52])
def test_a_shuffle_takes_one_draw_number_however_few_cards(size: int) -> None:
    """The next draw is number 1, even after nothing was shuffled."""
    chance = Chance(SEED, "m", [])
    chance.shuffle(range(size))
    assert chance.draws == 1


def test_each_draw_takes_the_next_number() -> None:
    """Draws count up one by one, and a chance that starts at a number draws that number."""
    chance = Chance(SEED, "m", [])
    drawn = [chance.below(1000) for _ in range(20)]
    assert chance.draws == 20
    assert drawn == [Chance(SEED, "m", [], number).below(1000) for number in range(20)]


def test_refused_words_do_not_take_another_draw_number() -> None:
    """A draw that refuses words is still one draw: those after it do not shift."""
    chance = Chance(SEED, "m", [])
    for number in range(64):
        chance.below(WORDS // 2 + 1)
        assert chance.draws == number + 1


@pytest.mark.parametrize(
    "other",
    [
        Chance(bytes(32), "m", ["", ""]),
        Chance(SEED, "n", ["", ""]),
        Chance(SEED, "m", ["00", ""]),
        Chance(SEED, "m", ["", "00"]),
        Chance(SEED, "m", [""]),
        Chance(SEED, "m", ["", ""], 1),
    ],
    ids=["seed", "match", "first entropy", "second entropy", "seats", "number"],
)
def test_everything_that_names_a_draw_changes_it(other: Chance) -> None:
    """Another seed, match, entropy, number of seats or draw number gives another word."""
    assert Chance(SEED, "m", ["", ""]).below(WORDS) != other.below(WORDS)


def test_every_order_of_three_comes_about_as_often_as_another() -> None:
    """Of 6,000 shuffles of three each of the six orders takes 1,000, give or take 120."""
    chance = Chance(SEED, "fair", [])
    orders = Counter(chance.shuffle("abc") for _ in range(6000))
    assert set(orders) == set(permutations("abc"))
    assert all(abs(times - 1000) < 120 for times in orders.values())


def test_what_was_shuffled_is_left_alone() -> None:
    """A shuffle gives a new tuple."""
    items = list(range(10))
    shuffled = Chance(SEED, "m", []).shuffle(items)
    assert items == list(range(10))
    assert sorted(shuffled) == items
    assert list(islice(shuffled, 10)) != items


def test_what_is_weighted_falls_by_the_number_below_all_weights() -> None:
    """The keys in their order share the numbers out, and one of weight 0 never comes."""
    weights = {"flat": 46, "never": 0, "up": 54}
    for number in range(50):
        drawn = Chance(SEED, "m", [], number).below(100)
        fallen = Chance(SEED, "m", [], number).weighted(weights)
        assert fallen == ("flat" if drawn < 46 else "up")
