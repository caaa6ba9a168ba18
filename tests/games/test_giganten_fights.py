"""All fights of Giganten, each by a real command: the page's table, cell by cell."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from referee.games.giganten.events import Challenged, LeftBoard, NestTaken, Sprung
from referee.games.giganten.fights import FIGHTS
from referee.games.giganten.types import KINDS, Advance, Ground, Kind
from tests.games.giganten_table import at, battle, go, only, result
from tests.games.table import Table

PAGE = """
land    t7 t6 tr di st do d2 d1 fl bl ne cu gh tp
tyra-7  =  W  W  W  W  W  W  W  =  L  N  L  W  T
tyra-6  L  =  W  W  W  W  W  W  =  L  N  L  W  T
tri     L  L  =  W  W  W  W  W  =  L  N  W  W  T
dilo    L  L  L  =  W  W  W  W  =  L  N  W  W  T
stego   L  L  L  L  =  W  W  W  W  L  N  W  W  T
docus   L  L  L  L  L  =  X  W  =  L  N  W  W  T
deino-2 L  L  L  L  L  X  =  W  =  L  N  W  W  T
deino-1 L  L  L  L  L  L  L  =  =  L  N  W  W  T
flug    =  =  =  =  L  =  =  =  X  L  N  =  W  T
culak   W  W  L  L  L  L  L  L  =  L  =  =  W  T
swamp   t7 t6 tr di st do d2 d1 fl bl ne cu gh tp
tyra-7  =  L  L  L  L  L  L  L  =  .  .  L  W  T
tyra-6  W  =  L  X  L  L  L  L  =  .  .  L  W  T
tri     W  W  =  W  W  L  L  L  =  .  .  =  W  T
dilo    W  X  L  =  L  L  L  L  =  .  .  =  W  T
stego   W  W  L  W  =  L  L  L  W  .  .  =  W  T
docus   W  W  W  W  W  =  L  L  =  .  .  =  W  T
deino-2 W  W  W  W  W  W  =  L  =  .  .  L  W  T
deino-1 W  W  W  W  W  W  W  =  =  .  .  L  W  T
flug    =  =  =  =  L  =  =  =  X  .  .  =  W  T
culak   W  W  =  =  =  =  W  W  =  .  .  =  W  T
"""

STRENGTHS = {
    "tyra-7": (7, 1), "tyra-6": (6, 2), "tri": (5, 4), "dilo": (4, 2), "stego": (3, 3),
    "docus": (2, 5), "deino-2": (2, 6), "deino-1": (1, 7),
}  # fmt: skip
"""Printed on the pieces: on land, in swamp."""


def cells() -> Iterator[tuple[str, str, str, str]]:
    """Every cell of the page's table: ground, challenger, challenged, letter."""
    ground = ""
    for line in PAGE.strip().splitlines():
        head, *letters = line.split()
        if head in ("land", "swamp"):
            ground = head
            continue
        for challenged, letter in zip(KINDS, letters, strict=True):
            if letter != ".":
                yield ground, head, challenged, letter


CELLS = list(cells())


def fight(ground: str, challenger: str, challenged: str) -> tuple[Table, list[object]]:
    """From 5,5 to 5,6 against 5,7, the challenger on the other ground than the challenged."""
    wet = [(5, 7)] if ground == "swamp" else [(5, 6)]
    blank = {"ghost": "ghost", "trap": "trap"}.get(challenged, "none")
    words = (f"0 {challenger} 5,5", f"1 {challenged} 5,7")
    table = battle(*words, swamp=wet, blank=blank)
    return table, list(table.when(0, go(1, (5, 6), (5, 7))))


def test_there_are_as_many_fights_as_cells() -> None:
    """Ten kinds challenge fourteen on land, twelve in swamp: the code's table is the page's."""
    assert len(CELLS) == 260
    assert set(FIGHTS) == {
        (by, against, "L" if ground == "land" else "S") for ground, by, against, _ in CELLS
    }


@pytest.mark.parametrize(("ground", "by", "against", "letter"), CELLS)
def test_a_fight_ends_as_the_table_says(ground: str, by: str, against: str, letter: str) -> None:
    """Who is left on the board, what is told, and who is asked to advance."""
    table, events = fight(ground, by, against)
    told = only(events, Challenged)  # type: ignore[arg-type]
    left = {one.piece for one in only(events, LeftBoard)}  # type: ignore[arg-type]
    outcome = {"W": "challenger", "N": "challenger", "L": "defender", "T": "defender"}
    assert [(one.kinds, one.terrain) for one in told] == [((by, against), ground[0].upper())]
    assert told[0].outcome == outcome.get(letter, {"=": "draw", "X": "both-lost"}.get(letter))
    assert left == {"W": {2}, "N": {2}, "L": {1}, "T": {1}, "=": set(), "X": {1, 2}}[letter]
    assert (at(table, (5, 6)) is None) == (1 in left)
    assert (at(table, (5, 7)) is None) == (2 in left)


@pytest.mark.parametrize(("ground", "by", "against", "letter"), CELLS)
def test_the_winner_is_asked_to_advance_where_one_alone_has_left(
    ground: str, by: str, against: str, letter: str
) -> None:
    """Not Blitz and not a trap, which never step; and not when the match is over."""
    table, _events = fight(ground, by, against)
    if letter == "W":
        assert (table.state.phase, table.game.to_act(table.state)) == ("advance", (0,))
        table.when(0, Advance(go=True))
        winner = at(table, (5, 7))
        assert winner is not None
        assert winner.kind == by
    elif letter == "L" and against != "blitz":
        assert (table.state.phase, table.game.to_act(table.state)) == ("advance", (1,))
        table.when(1, Advance(go=True))
        winner = at(table, (5, 6))
        assert winner is not None
        assert winner.kind == against
    else:
        assert table.state.phase == ("over" if letter == "N" else "play")
    assert table.state.phase == ("over" if letter == "N" else "play")


def second_reading(ground: Ground, by: Kind, against: Kind) -> str:  # noqa: PLR0911
    """The rulings on fights in words, read a second time without the table."""
    if against in ("ghost", "trap"):
        return "W" if against == "ghost" else "T"
    if against == "blitz":
        return "L"
    if against == "nest":
        return "=" if by == "culak" else "N"
    if "flug" in (by, against):
        return _flug(by, against)
    if "culak" in (by, against):
        return _culak(ground, by, against)
    mine, theirs = (STRENGTHS[kind][ground == "S"] for kind in (by, against))
    if mine == theirs:
        return "=" if by == against else "X"
    return "W" if mine > theirs else "L"


def _flug(by: str, against: str) -> str:
    if by == against:
        return "X"
    if "stego" in (by, against):
        return "W" if by == "stego" else "L"
    return "="


def _culak(ground: str, by: str, against: str) -> str:
    if by == against:
        return "="
    other = against if by == "culak" else by
    family = other.partition("-")[0]
    if family == "tyra" or (family == "deino" and ground == "S"):
        wins = True
    elif ground == "L":
        wins = False
    else:
        return "="
    return "W" if wins == (by == "culak") else "L"


def test_the_table_says_what_the_rulings_say() -> None:
    """Strengths, Flug, Culak, Blitz, nest, ghost and trap, each in its own words."""
    for ground, by, against, letter in CELLS:
        read = second_reading(ground[0].upper(), by, against)  # type: ignore[arg-type]
        assert read == letter, (ground, by, against)


def test_a_nest_taken_leaves_alone_and_ends_the_match_of_two() -> None:
    """Its fall is told after it has left; the taker stays where it is."""
    table, events = fight("land", "flug", "nest")
    assert events[1:] == [
        Challenged(1, 2, (5, 7), ("flug", "nest"), "L", "challenger"),
        LeftBoard(1, 2, "nest", "nest-taken", "lost"),
        NestTaken(1, 1),
    ]
    assert table.state.pending is None
    assert result(table).reason == "played-out"


def test_both_lost_leave_the_challenger_first() -> None:
    """In the order in which it happens."""
    table, events = fight("land", "docus", "deino-2")
    assert [one.piece for one in only(events, LeftBoard)] == [1, 2]  # type: ignore[arg-type]
    assert table.state.lost == (("docus",), ("deino-2",))


def test_a_trap_springs_and_is_known_from_then_on() -> None:
    """It stays on its cell, for everybody to see."""
    table, events = fight("land", "culak", "trap")
    assert only(events, Sprung) == [Sprung(1, 1, (5, 7), "remove")]  # type: ignore[arg-type]
    assert only(events, LeftBoard) == [LeftBoard(0, 1, "culak", "trapped", "lost")]  # type: ignore[arg-type]
    trap = at(table, (5, 7))
    assert trap is not None
    assert trap.known
