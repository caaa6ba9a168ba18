"""Idempotency keys of a match: each leads to the commit that it was used for."""

from __future__ import annotations

import pytest

from referee.service.taking import keys
from referee.service.taking.keys import Keys


def _keys(*used: tuple[str, str]) -> Keys:
    """The keys of a match whose commits, from the first on, were sent so: (by, key)."""
    known = Keys()
    for version, (by, key) in enumerate(used, 1):
        known.add(version, by, key)
    return known


def test_a_key_leads_to_its_version() -> None:
    """For who used it, and for nobody else."""
    known = _keys(("seat:0", "one"), ("seat:1", "two"), ("seat:2", "one"), ("organizer", "one"))

    assert known.version_of("seat:0", "one") == 1
    assert known.version_of("seat:2", "one") == 3
    assert known.version_of("organizer", "one") == 4
    assert known.version_of("seat:1", "one") is None
    assert known.version_of("seat:0", "two") is None


def test_the_first_that_used_it_counts() -> None:
    """Whatever else has the same digest."""
    assert _keys(("seat:0", "one"), ("seat:0", "one")).version_of("seat:0", "one") == 1


def test_a_digest_that_lies_across_two_entries_is_no_hit(monkeypatch: pytest.MonkeyPatch) -> None:
    """Entries lie side by side: the end of one and the begin of the next are no key."""
    digests = {"a": b"\x00" * 4 + b"abcd", "b": b"efgh" * 2, "c": b"\x00\x00\x00\x01efgh"}
    monkeypatch.setattr(keys, "_digest_of", lambda _, key: digests[key])

    assert _keys(("seat:0", "a"), ("seat:0", "b")).version_of("seat:0", "c") is None


def test_many_keys_are_all_found() -> None:
    """Also where they no longer lie in one bin."""
    known = _keys(*((f"seat:{n % 3}", f"key {n}") for n in range(3000)))

    assert [known.version_of(f"seat:{n % 3}", f"key {n}") for n in range(3000)] == [
        n + 1 for n in range(3000)
    ]
    assert known.version_of("seat:1", "key 0") is None


def test_what_is_forgotten_is_not_found() -> None:
    """It may be used again."""
    known = _keys(("seat:0", "one"))
    known.clear()
    assert known.version_of("seat:0", "one") is None
