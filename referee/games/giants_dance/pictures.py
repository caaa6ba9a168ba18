"""A view drawn for people: as text for a terminal here, as SVG in :mod:`.drawing`.

Both read nothing but the view; what is null in it is drawn as hidden.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final

from referee.core.told.safe import columns, cut, fit
from referee.games.giants_dance.board import (
    COLUMNS,
    ROWS,
    SHORT,
    SHORT_NAMES,
    SPOTS,
    View,
    best_of,
    challenges_at,
    giants_at,
    headline,
    names_of,
    place_of,
    tokens_at,
)
from referee.games.giants_dance.drawing import svg
from referee.games.giants_dance.types import CATEGORIES

__all__ = ["svg", "text"]

_WIDEST: Final = 100
_INNER: Final = 12
"""Characters within a field's frame."""
_LINES: Final = 3
"""Lines within a field's frame."""
_STEP: Final = _INNER + 1
_RISE: Final = _LINES + 1
_SIGNS: Final = {"rotate": "↻", "parade": "∿", "distract": "×", None: "?"}
_FACE_DOWN: Final = "●"
_UP, _DOWN, _LEFT, _RIGHT = 1, 2, 4, 8
_FRAME: Final = {
    _UP | _DOWN: "│",
    _LEFT | _RIGHT: "─",
    _DOWN | _RIGHT: "┌",
    _DOWN | _LEFT: "┐",
    _UP | _RIGHT: "└",
    _UP | _LEFT: "┘",
    _UP | _DOWN | _RIGHT: "├",
    _UP | _DOWN | _LEFT: "┤",
    _DOWN | _LEFT | _RIGHT: "┬",
    _UP | _LEFT | _RIGHT: "┴",
    _UP | _DOWN | _LEFT | _RIGHT: "┼",
}
"""The frame's character by the directions in which its lines go on."""

_State = Mapping[str, Any]


def text(view: Mapping[str, Any]) -> str:
    """The board of a view as lines of text, at most 100 columns wide."""
    lines = [*_ring(view), *_LEGEND, "", *_places(view), "", *_hands(view)]
    return "\n".join(cut(line.rstrip(), _WIDEST) for line in lines) + "\n"


_LEGEND: Final = (
    f" ♜ giant of a seat   ↻ rotate   ∿ parade   × distract   {_FACE_DOWN} dance token   "
    "[n] challenges   ? hidden\n"
    " > to act   3+7 in hand + in the pile   < overbids   , does not overbid   ✓ scored"
).splitlines()


# ---------------------------------------------------------------- the trail


def _ring(view: View) -> list[str]:
    canvas = _frames()
    for field, (row, column) in enumerate(SPOTS):
        _write(canvas, row * _RISE + 1, column * _STEP + 1, _field_lines(view["state"], field))
    _write(canvas, _RISE + 2, _STEP + 3, _scoreboard(view))
    return ["".join(line) for line in canvas]


def _write(canvas: list[list[str]], top: int, left: int, lines: Iterable[str]) -> None:
    for row, line in enumerate(lines, top):
        cells = _cells(line)
        canvas[row][left : left + len(cells)] = cells


def _cells(line: str) -> list[str]:
    """A line by columns: a wide letter fills two, an accent none of its own."""
    cells: list[str] = []
    for letter in line:
        wide = columns(letter)
        cells += [letter, ""][:wide]
        if not wide and cells:
            cells[-1] += letter
    return cells


def _frames() -> list[list[str]]:
    height, width = ROWS * _RISE + 1, COLUMNS * _STEP + 1
    ways = [[0] * width for _row in range(height)]
    for row, column in SPOTS:
        _frame(ways, row * _RISE, column * _STEP)
    return [[_FRAME.get(way, " ") for way in row] for row in ways]


def _frame(ways: list[list[int]], top: int, left: int) -> None:
    for column in range(left, left + _STEP):
        for row in (top, top + _RISE):
            ways[row][column] |= _RIGHT
            ways[row][column + 1] |= _LEFT
    for row in range(top, top + _RISE):
        for column in (left, left + _STEP):
            ways[row][column] |= _DOWN
            ways[row + 1][column] |= _UP


def _field_lines(state: _State, field: int) -> list[str]:
    place = place_of(state, field)
    giants = "".join(f"♜{seat}" for seat in giants_at(state, field))
    lying = _tokens(state, field) if place == "street" else _bids(state, place)
    return [_title(state, field, place), f" {giants}", f" {lying}"]


def _title(state: _State, field: int, place: str) -> str:
    if place == "street":
        return f" {field}"
    done = "✓" if place in state["scored"] else ""
    return f" {SHORT_NAMES[place]}{done}" if not field else f" {field} {SHORT_NAMES[place]}{done}"


def _tokens(state: _State, field: int) -> str:
    return " ".join(
        _FACE_DOWN if token["face"] == "down" else f"{_SIGNS[token['kind']]}♜{token['owner']}"
        for token in tokens_at(state, field)
    )


def _bids(state: _State, place: str) -> str:
    bests = [(kind, best_of(state, place, kind)) for kind in CATEGORIES]
    parts = [f"{_SIGNS[kind]}{best}" for kind, best in bests if best is not None]
    challenges = len(challenges_at(state, place))
    return " ".join([*parts, f"[{challenges}]"] if challenges else parts)


# ---------------------------------------------------------------- the scoreboard in its middle


def _scoreboard(view: View) -> list[str]:
    head = (
        f"    {'giant':<{SHORT}}{'pts':>4}{'field':>6} {'moves':>6}{'dances':>7}{'tok':>4}  played"
    )
    rows = [_score_row(view, seat) for seat in range(len(view["seats"]))]
    return [f" {cut(headline(view), 60)}", "", head, *rows]


def _score_row(view: View, seat: int) -> str:
    state = view["state"]
    walks, dances = (
        f"{state[pile]['hand_counts'][seat]}+{state[pile]['pile_counts'][seat]}"
        for pile in ("movement", "dance")
    )
    field = state["fields"][seat]
    at = "out" if field is None else str(field)
    played = "".join(map(str, state["movement"]["played"][seat]))
    mark = ">" if seat in view["to_act"] else " "
    return (
        f"{mark}♜{seat} {fit(names_of(view, SHORT)[seat], SHORT)}{state['points'][seat]:>4}{at:>6} "
        f"{walks:>6}{dances:>7}{state['stock']['counts'][seat]:>4}  {played}"
    )


# ---------------------------------------------------------------- the dances


def _places(view: View) -> list[str]:
    state = view["state"]
    lines = [line for place in state["bids"] for line in _place_lines(state, place)]
    return [*lines, _street_line(state)]


def _place_lines(state: _State, place: str) -> list[str]:
    rows = [(_SIGNS[kind], _bid_row(state["bids"][place][kind])) for kind in CATEGORIES]
    rows.append(("challenge", " · ".join(map(_challenge, challenges_at(state, place)))))
    filled = [f"{sign}  {row}" for sign, row in rows if row]
    titles = [SHORT_NAMES[place], *[""] * len(filled)]
    return [f" {title:<11}{row}" for title, row in zip(titles, filled, strict=False)]


def _bid_row(bids: Sequence[Mapping[str, Any]]) -> str:
    row = ""
    for bid in bids:
        joint = "" if not row else " < " if bid["overbid"] else " , "
        row += joint + f"♜{bid['seat']} {_laid(bid)}"
    return row


def _laid(bid: Mapping[str, Any]) -> str:
    pieces = [str(value) for value in bid["values"]]
    pieces += [f"{bid['tokens']}{_FACE_DOWN}"] if bid["tokens"] else []
    return "+".join(pieces) + (f"={bid['sum']}" if bid["tokens"] or len(pieces) > 1 else "")


def _challenge(token: Mapping[str, Any]) -> str:
    return f"♜{token['seat']} {_SIGNS[token['kind']]}{' won' if token['face'] == 'up' else ''}"


def _street_line(state: _State) -> str:
    sums, danced = state["street_dance"]["sums"], state["street_dance"]["danced"]
    laid = [
        f"♜{seat} {'?' if sums[seat] is None else sums[seat]}"
        for seat, has in enumerate(danced)
        if has
    ]
    done = "✓" if state["phase"] == "over" and "market" in state["scored"] else ""
    return f" {'Street' + done:<11}{' · '.join(laid) or 'nobody yet'}"


# ---------------------------------------------------------------- hands


def _hands(view: View) -> list[str]:
    state, names = view["state"], names_of(view)
    known = [seat for seat, hand in enumerate(state["movement"]["hands"]) if hand is not None]
    return [line for seat in known for line in _hand_lines(state, seat, names[seat])]


def _hand_lines(state: _State, seat: int, name: str) -> list[str]:
    stock = state["stock"]["tokens"][seat]
    tokens = " ".join(f"{_SIGNS[kind]}×{stock[kind]}" for kind in CATEGORIES)
    hand = _cards(state, "hands", seat)
    lines = [f" ♜{seat} {name} holds  {hand}   tokens {tokens} of {state['token_value']}"]
    if state["movement"]["piles"][seat] is not None:
        lines.append(f"    its piles  {_cards(state, 'piles', seat)}")
    return lines


def _cards(state: _State, where: str, seat: int) -> str:
    walks, dances = (state[pile][where][seat] for pile in ("movement", "dance"))
    moves = " ".join(map(str, walks)) or "none"
    steps = " ".join(f"{_SIGNS[card['kind']]}{card['value']}" for card in dances) or "none"
    return f"moves {moves}   dances {steps}"
