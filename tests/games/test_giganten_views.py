"""Giganten as each viewer sees it: what a viewer may not know changes no byte of its answers."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from typing import Any

import msgspec
import pytest
from msgspec.structs import replace

from referee.core.game import Asker, Command
from referee.core.match import Match
from referee.core.randomness import Chance
from referee.core.ruling import Refusal
from referee.core.views import view_of
from referee.core.visibility import ORGANIZER, SPECTATOR, Scope, Viewer, redact, seat_viewer
from referee.games.giganten import GAME
from referee.games.giganten.events import BroughtIn
from referee.games.giganten.placing import own_area
from referee.games.giganten.setup import TURNS
from referee.games.giganten.types import (
    KINDS,
    TILES,
    BringIn,
    LaidTile,
    LayTiles,
    Piece,
    SetUp,
    State,
    side_of,
)
from referee.selfplay import Setup, Step, Trial, chance_of, seed_of
from tests.core.play import rules_of
from tests.games.giganten_table import battle, go, laid, ready, seen, some_set_up, told, turn_of
from tests.games.table import Table

RULES = rules_of(GAME)
HIDING: dict[str, Any] = {
    "secret_trap": True, "reserve": "any", "blank": "trap", "trap_effect": "hold",
}  # fmt: skip
"""Options under which everything that can be hidden is."""


# ── What a viewer may not know, exchanged ───────────────────────────────────────────────────────


def is_foreign(viewer: Viewer, seat: int) -> bool:
    """Whether a seat is not of the viewer's side."""
    return viewer.seat is None or side_of(viewer.seat) != side_of(seat)


def exchanged(state: State, viewer: Viewer, pick: Chance) -> State:
    """A state that differs in nothing but what the viewer may not know."""
    state = replace(
        state,
        pieces=tuple(_other_piece(state, piece, viewer, pick) for piece in state.pieces),
        reserve=tuple(
            tuple(pick.one_of(KINDS) for _ in kinds) if is_foreign(viewer, seat) else kinds
            for seat, kinds in enumerate(state.reserve)
        ),
        secret_trap=tuple(_other_note(state, seat, viewer, pick) for seat in _seats(state)),
    )
    state = _other_tiles(state, viewer, pick)
    if state.phase == "setup" and state.options.hidden_setup:
        state = replace(state, pieces=tuple(_fewer(state, viewer, pick)))
    return state


def _seats(state: State) -> range:
    return range(len(state.ready))


def _other_piece(state: State, piece: Piece, viewer: Viewer, pick: Chance) -> Piece:
    if not is_foreign(viewer, piece.seat) or piece.known:
        return piece
    behind_the_screen = state.phase == "setup" and state.options.hidden_setup
    cell = pick.one_of(own_area(state, piece.seat)) if behind_the_screen else piece.at
    return replace(piece, kind=pick.one_of(KINDS), at=cell)


def _other_note(state: State, seat: int, viewer: Viewer, pick: Chance) -> Any:
    if viewer.seat == seat or state.secret_trap_known[seat] or not state.options.secret_trap:
        return state.secret_trap[seat]
    return pick.one_of((None, pick.one_of(own_area(state, seat))))


def _other_tiles(state: State, viewer: Viewer, pick: Chance) -> State:
    if state.phase != "tiles":
        return state
    tiles = tuple(
        tuple(pick.one_of(TILES) for _ in drawn) if is_foreign(viewer, seat) else drawn
        for seat, drawn in enumerate(state.tiles)
    )
    laid = tuple(
        tuple(LaidTile(pick.one_of(TILES), pick.one_of(TURNS)) for _ in lying)
        if is_foreign(viewer, seat)
        else lying
        for seat, lying in enumerate(state.laid)
    )
    return replace(state, tiles=tiles, laid=laid)


def _fewer(state: State, viewer: Viewer, pick: Chance) -> Iterator[Piece]:
    for piece in state.pieces:
        if not is_foreign(viewer, piece.seat) or pick.below(3):
            yield piece


# ── Everything that a viewer can ask ────────────────────────────────────────────────────────────


def answers(match: Match, viewer: Viewer, commands: list[Command]) -> dict[str, bytes]:
    """All that the viewer may ask of a match, as bytes."""
    view = view_of(RULES, match, viewer)
    asked: dict[str, Any] = {
        "view": view,
        "text": GAME.text(_plain(view)),
        "svg": str(GAME.svg(_plain(view))),
    }
    if viewer.seat is not None:
        by = Asker("seat", viewer.seat, match.at)
        asked["legal"] = RULES.legal(match, by)
        for number, command in enumerate(commands):
            asked[f"check {number}"] = _checked(match, by, command)
    return {name: msgspec.json.encode(answer) for name, answer in asked.items()}


def _plain(value: Any) -> Any:
    return msgspec.json.decode(msgspec.json.encode(value))


def _checked(match: Match, by: Asker, command: Command) -> str:
    try:
        RULES.judge(match, by, command)
    except Refusal as refusal:
        return f"{refusal.ruling}: {refusal.detail}"
    return "legal"


@cache
def played(seats: int, number: int) -> list[Step]:
    """The beginning of a match in which everything that can be is hidden."""
    hidden = number % 2 == 1
    options = {**HIDING, "hidden_setup": hidden, "double_moves": hidden}
    setup = Setup(seats=seats, options=options, seed=seed_of(seats, number))
    trial = Trial(RULES, setup, chance_of("views", seats, number))
    while not trial.match.over and len(trial.steps) < 60:
        trial.go_on()
    return trial.steps


def tried(steps: list[Step]) -> list[Command]:
    """Commands of a match, lawful at other times, and moves onto cells around."""
    sent = [step.command for step in steps[1:]]
    moves: list[Command] = [
        go(piece, (x, y), challenge)
        for piece in (1, 7, 20)
        for x, y in ((3, 5), (3, 6), (6, 7), (9, 9), (0, 13))
        for challenge in (None, (3, 7), (6, 8))
    ]
    return sent[:20] + moves


@pytest.mark.parametrize("number", [0, 1])
@pytest.mark.parametrize("seats", [2, 4])
def test_what_a_viewer_may_not_know_changes_no_byte(seats: int, number: int) -> None:
    """View, pictures, legal list, and the judgement of commands, at every step, for all viewers."""
    pick, changed, steps = chance_of("exchanged", seats, number), 0, played(seats, number)
    commands = tried(steps)
    for match in (step.decided.match for step in steps[:: 1 + seats // 2]):
        if match.over:
            continue
        for viewer in (SPECTATOR, *map(seat_viewer, range(seats))):
            state = exchanged(match.state, viewer, pick)
            changed += state != match.state
            ours = answers(match, viewer, commands)
            theirs = answers(replace(match, state=state), viewer, commands)
            assert ours == theirs, (match.version, viewer)
    assert changed >= 10


def test_everything_hidden_is_seen_by_whom_it_belongs_to() -> None:
    """The test above is not idle: the organizer sees each exchange."""
    pick = chance_of("seen")
    for match in (step.decided.match for step in played(4, 0)[::5]):
        state = exchanged(match.state, SPECTATOR, pick)
        if state != match.state:
            twin = replace(match, state=state)
            assert view_of(RULES, match, ORGANIZER).state != view_of(RULES, twin, ORGANIZER).state


# ── Events ──────────────────────────────────────────────────────────────────────────────────────


def told_to(table: Table, seat: int, command: Command, viewer: Viewer) -> bytes:
    """What a viewer is told of a lawful command."""
    return msgspec.json.encode([told(event, viewer) for event in table.when(seat, command)])


def test_what_a_seat_lays_tells_the_others_nothing() -> None:
    """All ways alike, to the last byte; the partner sees it."""
    ways = Table(GAME, seats=4).legal(1)[:12]
    for viewer in (SPECTATOR, seat_viewer(0), seat_viewer(2)):
        assert len({told_to(Table(GAME, seats=4), 1, way, viewer) for way in ways}) == 1
    assert len({told_to(Table(GAME, seats=4), 1, way, seat_viewer(3)) for way in ways}) == 12
    assert isinstance(ways[0], LayTiles)


def test_an_open_set_up_tells_the_cells_and_how_many_are_held_back() -> None:
    """No kind, no reserve, no note."""
    table = laid(2, tile_draw="fixed", **HIDING)
    cell = some_set_up(table, 0).pieces[3].at
    one = some_set_up(table, 0, reserve=("tri", "tri", "tri"))
    other = some_set_up(table, 0, reserve=("flug", "stego", "dilo"), secret_trap=cell)
    assert {p.at for p in one.pieces} == {p.at for p in other.pieces}
    both = [
        told_to(laid(2, tile_draw="fixed", **HIDING), 0, command, seat_viewer(1))
        for command in (one, other)
    ]
    assert both[0] == both[1]


def test_behind_a_screen_a_set_up_tells_nothing_but_that_it_is_done() -> None:
    """With a reserve or without."""
    options: dict[str, Any] = {**HIDING, "hidden_setup": True, "tile_draw": "fixed"}
    table = laid(2, **options)
    some = [some_set_up(table, 0), some_set_up(table, 0, reserve=("flug", "stego", "dilo"))]
    both = [told_to(laid(2, **options), 0, command, seat_viewer(1)) for command in some]
    assert both[0] == both[1]
    assert len(some[0].pieces) != len(some[1].pieces)


def test_what_comes_in_shows_its_back() -> None:
    """Whichever of the reserve it is."""
    both = set()
    for kind in ("tri", "flug"):
        table = battle("0 tri 5,5", "1 dilo 9,9", reserve="any")
        turn_of(table.given(reserve=(("tri", "flug"), ()), reserve_counts=(2, 0)), 0)
        both.add(told_to(table, 0, BringIn(kind, (0, 0)), seat_viewer(1)))
    assert len(both) == 1


def test_a_fight_shows_both_kinds_and_then_hides_who_stays() -> None:
    """From the other side; its own side knows it."""
    table = battle("0 tri 5,5", "1 tri 5,7")
    events = table.when(0, go(1, (5, 6), (5, 7)))
    assert told(events[1], SPECTATOR)["kinds"] == ["tri", "tri"]
    for viewer, known in ((seat_viewer(0), ["tri", None]), (seat_viewer(1), [None, "tri"])):
        assert [one["kind"] for one in seen(table, viewer)["pieces"][:2]] == known


def test_ids_tell_nothing_of_kinds() -> None:
    """Over many matches every kind gets small and large ids."""
    ids: dict[str, set[int]] = {}
    for number in range(30):
        table = Table(GAME, seats=2, seed=bytes([number]) * 32)
        for seat in (0, 1):
            table.when(seat, table.legal(seat)[0])
        for seat in (0, 1):
            table.when(seat, some_set_up(table, seat))
        for piece in table.state.pieces:
            ids.setdefault(piece.kind, set()).add(piece.id)
    assert all(min(got) < 16 and max(got) > 32 for got in ids.values()), ids


def test_the_order_of_pieces_tells_nothing() -> None:
    """By id in play, by cell before, whatever the kinds are."""
    table = ready(2)
    assert [one.id for one in table.state.pieces] == list(range(1, 49))
    swapped = laid(2, tile_draw="fixed")
    command = some_set_up(swapped, 0)
    pieces = (replace(command.pieces[2], at=command.pieces[3].at),
              replace(command.pieces[3], at=command.pieces[2].at))  # fmt: skip
    other = SetUp((*command.pieces[:2], *pieces, *command.pieces[4:]))
    shown = []
    for each in (command, other):
        table = laid(2, tile_draw="fixed")
        table.when(0, each)
        shown.append(seen(table, seat_viewer(1)))
    assert shown[0] == shown[1]


# ── Who sees what ───────────────────────────────────────────────────────────────────────────────


def test_partners_see_each_others_kinds_and_reserve_for_good() -> None:
    """Those that are out or have withdrawn, too."""
    table = ready(4, {2: {"reserve": ("tri", "stego", "flug")}}, reserve="any", tile_draw="fixed")
    for _ in range(2):
        view = seen(table, seat_viewer(0))
        assert view["reserve"][2] == ["tri", "stego", "flug"]
        assert all(one["kind"] for one in view["pieces"] if one["seat"] in (0, 2))
        assert not any(one["kind"] for one in view["pieces"] if one["seat"] in (1, 3))
        table.leaves(0)


def test_a_note_is_the_seats_own_until_it_has_sprung() -> None:
    """Neither partner nor enemy sees it; then everybody."""
    table = battle("0 tri 5,7", seats=4, secret_trap=True)
    table.given(secret_trap=(None, (5, 8), None, (5, 8)))
    assert seen(table, seat_viewer(1))["secret_trap"] == [None, [5, 8], None, None]
    assert seen(table, seat_viewer(3))["secret_trap"] == [None, None, None, [5, 8]]
    assert seen(table, seat_viewer(0))["secret_trap"] == [None] * 4
    table.given(secret_trap=(None, (5, 8), None, (9, 9)))
    table.when(0, go(1, (5, 8)))
    assert seen(table, SPECTATOR)["secret_trap"] == [None, [5, 8], None, None]
    assert seen(table, seat_viewer(0))["secret_trap_known"] == [False, True, False, False]


def test_a_match_that_is_over_shows_everything_to_all() -> None:
    """By its own rules, and by the table's: an arbiter's end shows it too."""
    table = battle("0 tri 5,5", "1 nest 5,7", reserve="any", secret_trap=True)
    table.given(reserve=(("tri",), ()), secret_trap=((3, 3), None), tiles=(("a",), ("b",)))
    hidden = seen(table, SPECTATOR)
    assert (hidden["reserve"], hidden["secret_trap"], hidden["tiles"]) == (
        [None, None], [None, None], [None, None],
    )  # fmt: skip
    state = table.state
    adjudicated = redact(state, Scope(SPECTATOR, state, finished=True))
    table.when(0, go(1, (5, 6), (5, 7)))
    for shown in (seen(table, SPECTATOR), _plain(adjudicated)):
        assert all(one["kind"] for one in shown["pieces"])
        assert (shown["reserve"], shown["secret_trap"]) == ([["tri"], []], [[3, 3], None])
        assert shown["tiles"] == [["a"], ["b"]]


def test_a_match_ended_behind_the_screen_shows_everything_too() -> None:
    """Pieces, counts, tiles."""
    table = laid(2, hidden_setup=True)
    table.when(0, some_set_up(table, 0))
    table.leaves(1)
    assert len(seen(table, SPECTATOR)["pieces"]) == 24
    assert seen(table, SPECTATOR)["reserve_counts"] == [0, 0]


def test_the_state_of_the_page_has_its_keys_in_order() -> None:
    """And nothing that is bookkeeping."""
    assert list(seen(battle("0 tri 5,5"), SPECTATOR)) == [
        "phase", "turn", "to_move", "moves_made", "quiet_turns", "tiles", "laid", "board",
        "pieces", "reserve", "reserve_counts", "brought_in", "secret_trap", "secret_trap_known",
        "lost", "out", "pending",
    ]  # fmt: skip
    piece = seen(battle("0 stego 3,5"), seat_viewer(0))["pieces"][0]
    assert piece == {
        "id": 1, "seat": 0, "kind": "stego", "at": [3, 5], "held": 0, "known": False,
    }  # fmt: skip


def test_who_is_asked_to_advance_is_open() -> None:
    """The winner's id and the cell."""
    table = battle("0 tri 5,5", "1 dilo 5,7")
    table.when(0, go(1, (5, 6), (5, 7)))
    assert seen(table, SPECTATOR)["pending"] == {"winner": 1, "to": [5, 7]}


def test_what_cannot_be_taken_back_is_what_was_shown() -> None:
    """Boards and set-ups revealed, fights, traps, pieces that leave; nothing else."""
    revealing = {
        kind.__struct_config__.tag
        for kind in GAME.events
        if GAME.reveals(kind(*[None] * len(kind.__struct_fields__)))
    }
    assert revealing == {
        "board_revealed", "setups_revealed", "challenged", "sprung", "left_board",
    }  # fmt: skip
    assert not GAME.reveals(BroughtIn(0, 1, "tri", (0, 0)))
