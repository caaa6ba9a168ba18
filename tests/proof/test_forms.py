"""A log has one form: whatever reads alike in other bytes is in dispute."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Iterator
from functools import cache
from itertools import islice
from pathlib import Path
from typing import Final

import msgspec
import pytest

from referee.catalogue import catalogue
from referee.core.commit import read_match_file
from referee.core.rules import Rules
from referee.core.verify import verify
from tests.conformance.golden import examples
from tests.proof.forms import places, ways

GAMES: Final = [pytest.param(rules, id=rules.game.id) for rules in catalogue()]
QUICK: Final = 60
LONG: Final = 20_000
"""Rewritten commits a game, of which there are a million or two."""


@cache
def log_of(path: Path) -> tuple[str, list[bytes]]:
    """A match's id and its commits."""
    file = read_match_file(path.read_bytes())
    return file.header.match, list(file.commits)


def drawn(rules: Rules, pick: random.Random) -> Iterator[tuple[str, list[bytes], str, bytes]]:
    """Commits of examples, without end: the match, the log to there, what was done, the bytes."""
    paths = examples(rules)
    while True:
        match, log = log_of(pick.choice(paths))
        log = log[: pick.randint(1, len(log))]
        start, node = pick.choice(places(log[-1]))
        what, other = pick.choice(ways(node))
        yield match, log, what, log[-1][:start] + other + log[-1][start + len(node.data) :]


def reads_alike(rules: Rules, data: bytes, plain: bytes) -> bool:
    """Whether these rules, or a reader that knows only MessagePack, read the same in both."""
    if msgspec.msgpack.decode(data) == msgspec.msgpack.decode(plain):
        return True
    return bool(rules.read_commit(data) == rules.read_commit(plain))


def try_out(rules: Rules, pick: random.Random, count: int) -> Counter[str]:
    """Rewrite so many commits, none of which is called fine; what kind of dispute each is.

    But for what is a commit of its own right: another key, say.
    """
    tried: Counter[str] = Counter()
    for match, log, what, data in islice(drawn(rules, pick), count):
        where, dispute = (match, len(log), what), verify(rules, match, [*log[:-1], data]).dispute
        if dispute is None:
            assert not reads_alike(rules, data, log[-1]), where
        else:
            assert dispute.version == len(log), where
        tried[dispute.kind if dispute else "fine"] += 1
    return tried


@pytest.mark.parametrize("rules", GAMES)
def test_no_other_way_to_write_a_commit_is_fine(rules: Rules) -> None:
    """Each is in dispute, at that commit: as `form` where only its bytes are others."""
    tried = try_out(rules, random.Random(rules.game.id), QUICK)

    assert tried["form"] > QUICK / 3
    assert tried["fine"] < QUICK / 10


@pytest.mark.prove
@pytest.mark.timeout(0)
@pytest.mark.parametrize("rules", GAMES)
def test_no_other_way_of_a_great_many_is_fine(rules: Rules, share: float) -> None:
    """Others each time."""
    print(rules.game.id, try_out(rules, random.Random(), round(LONG * share)))


@pytest.mark.parametrize("rules", GAMES)
def test_whatever_stands_in_a_commit_can_be_written_otherwise(rules: Rules) -> None:
    """Every value of it in some other way, and the commit is the commit where none is."""
    match, log = log_of(examples(rules)[0])
    found = places(log[0])

    assert verify(rules, match, log).dispute is None
    assert all(log[0][start:].startswith(node.data) and ways(node) for start, node in found)
    assert {node.kind for _, node in found} == {"map", "list", "leaf"}
