"""A match of the toy game that was played, and forged logs of it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import msgspec

from referee.core.commit import first_prev, head_after
from referee.core.table.commands import OfferDraw, Resign, TakeBack
from referee.core.verify import Dispute, Verdict, verify
from tests.core.play import Play
from tests.toy_game import GAME as PEBBLES
from tests.toy_game.types import Guess, Hide

Plain = dict[str, Any]


def played() -> Play:
    """A finished toy match with a draw offered, a take-back and a resignation: 9 commits."""
    play = Play(PEBBLES, options={"rounds": 1})
    play.take(0, Hide(1), key="first")
    play.wait(2)
    play.take("organizer", TakeBack(1, "a slip"))
    play.take(0, Hide(2))
    play.take(1, OfferDraw())
    play.take(1, Hide(3))
    play.take(2, Hide(0))
    play.take(2, Resign())
    play.take(play.match.owed[0], Guess(4))
    assert play.match.over
    return play


PLAYED = played()


def audit(log: list[bytes], match: str = "m1") -> Verdict:
    """The verdict on a log of the toy game."""
    return verify(PLAYED.rules, match, log)


def rechained(commits: list[Plain], match: str = "m1") -> list[bytes]:
    """Commits packed anew, each on the head of the one before: what a forger would do."""
    head, log = first_prev(match, "pebbles/1"), []
    for commit in commits:
        log.append(msgspec.msgpack.encode(commit | {"prev": head}))
        head = head_after(head, log[-1])
    return log


def forged(change: Callable[[list[Plain]], object]) -> Dispute:
    """The dispute about the played log with its commits changed and a new chain over them."""
    commits = [msgspec.msgpack.decode(data) for data in PLAYED.log]
    change(commits)
    dispute = audit(rechained(commits)).dispute
    assert dispute is not None
    return dispute
