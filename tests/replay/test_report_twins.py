"""A page holds no byte that its viewer may not know: matches that look alike make one page."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import msgspec
import pytest

from referee.catalogue import catalogue
from referee.core.audit import audit
from referee.core.commit import MatchFile
from referee.core.game import Asker
from referee.core.match import Match, header_of
from referee.core.randomness import commitment
from referee.core.rules import Rules
from referee.core.slices import at_once
from referee.core.visibility import ORGANIZER, SPECTATOR, Viewer, hides_something, seat_viewer
from referee.report.page import Look, page
from referee.selfplay import BEGINNING, Setup
from tests.proof.twins import SALT, twins_of

pytestmark = pytest.mark.long

PAIRS = [
    (rules, viewer)
    for rules in catalogue()
    # Without chance and secrets whatever looks alike is alike.
    if any(of.draws or hides_something(kind) for kind, of in rules.game.events.items())
    for viewer in (seat_viewer(0), SPECTATOR)
    # Of its two seats each is told all that the other does, and no two deals look alike to it.
    if (rules.game.id, viewer) != ("dragon-dance", seat_viewer(0))
]
NAMES = [f"{rules.game.id}-{viewer}" for rules, viewer in PAIRS]


def commits(rules: Rules, setup: Setup, moves: list[tuple[int | None, Any]]) -> Iterator[Any]:
    """The commits of a match, and the match after each."""
    decided = rules.create(setup.order(rules), BEGINNING, salt=SALT)
    yield decided.match, decided.data
    for seat, sent in moves:
        match = decided.match
        command = rules.read_stored_command(msgspec.msgpack.encode(sent))
        due = rules.deadline(match) if seat is None else None
        by = Asker("seat", seat, match.at + 1) if due is None else Asker("service", None, due)
        decided = rules.decide(match, by, command, salt=SALT)
        yield decided.match, decided.data


def told(rules: Rules, log: list[tuple[Match, bytes]], viewer: Viewer) -> str:
    """The page of a match, but for what is a digest of everything."""
    match = log[-1][0]
    file = MatchFile(header_of(match), tuple(data for _, data in log))
    names = tuple(f"seat {seat}" for seat in range(len(match.seats)))
    made = at_once(page(rules, file, audit(rules, file), Look(viewer, names)))
    digests = match.head.hex(), commitment(match.setting.seed)
    return made.html.replace(digests[0], "HEAD").replace(digests[1], "COMMITMENT")


@pytest.mark.parametrize(("rules", "viewer"), PAIRS, ids=NAMES)
def test_matches_that_look_alike_make_one_page(rules: Rules, viewer: Viewer) -> None:
    """Byte for byte, though other cards lie there and other ones were chosen."""
    pairs = (twins_of(rules, viewer, rules.game.players[0], number) for number in range(20))
    twins = next(pair for pair in pairs if pair.differences)
    ours, theirs = (
        list(commits(rules, setup, [(move.seat, getattr(move, side)) for move in twins.moves[:12]]))
        for setup, side in ((twins.ours, "ours"), (twins.theirs, "theirs"))
    )
    assert told(rules, ours, viewer) == told(rules, theirs, viewer)
    assert told(rules, ours, ORGANIZER) != told(rules, theirs, ORGANIZER)
