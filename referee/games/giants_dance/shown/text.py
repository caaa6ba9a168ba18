"""The board of a view as text for a terminal."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, Final

from referee.core.told.memoised import memoised
from referee.core.told.reading import View, names_of
from referee.core.told.safe import cut, fit
from referee.games.giants_dance.shown import reading
from referee.games.giants_dance.types import CATEGORIES

WIDEST: Final = 100
CELL: Final = 12
"""Columns within a field's frame."""
MIDDLE: Final = 64
"""Columns between the fields on the left and those on the right."""
MIDDLE_LINES: Final = 11

_EDGE: Final = "─" * CELL

_SIGNS: Final = {"rotate": "↻", "parade": "∿", "distract": "×", None: "?"}
_FACE_DOWN: Final = "●"
_LEGEND: Final = """\
 ♜ giant of a seat   ↻ rotate   ∿ parade   × distract   ● dance token   [n] challenges   ? hidden
 > to act   3+7 in hand + in the pile   < overbids   , does not overbid   ✓ scored
""".splitlines()
_ROW: Final = "{}{:>4}{:>6} {:>6}{:>7}{:>4}  {}"
"""A row of the scoreboard: whose it is, five numbers, the movement cards played."""


def text(view: View) -> str:
    """The board of a view as lines of text, at most 100 columns wide."""
    state = view["state"]
    places = _places(reading.part(state, *_OF_PLACES))
    lines = [*_ring(view), *_LEGEND, "", *places, "", *_hands(view)]
    return "\n".join(cut(line.rstrip(), WIDEST) for line in lines) + "\n"


# ── The trail ─────────────────────────────────────────────────────────────────────────────────────


def _ring(view: View) -> Iterator[str]:
    cells = _cells(reading.part(view["state"], *reading.ON_TRAIL))
    yield _EDGE.join("┌┬┬┬┬┬┬┐")
    yield from map(_framed, zip(*cells[:7], strict=True))
    yield _EDGE.join("├┼┴┴┴┴┼┤")
    left, right = _column(cells[:16:-1]), _column(cells[7:10])
    yield from map("".join, zip(left, _middle(view), right, strict=True))
    yield _EDGE.join("├┼┬┬┬┬┼┤")
    yield from map(_framed, zip(*cells[16:9:-1], strict=True))
    yield _EDGE.join("└┴┴┴┴┴┴┘")


@memoised
def _cells(state: reading.State) -> list[list[str]]:
    return [_cell(state, field) for field in range(20)]


def _framed(lines: Iterable[str]) -> str:
    return f"│{'│'.join(lines)}│"


def _column(cells: Sequence[Sequence[str]]) -> Iterator[str]:
    for index, cell in enumerate(cells):
        if index:
            yield _EDGE.join("├┤")
        yield from (_framed([line]) for line in cell)


def _cell(state: reading.State, field: int) -> list[str]:
    ground = reading.ground_of(state, field)
    giants = "".join(f"♜{seat}" for seat in reading.giants_at(state, field))
    lying = _tokens(state, field) if ground == "street" else _bests(state, ground)
    title = reading.titled(field, ground) + ("✓" if ground in state["scored"] else "")
    return [fit(f" {line}", CELL) for line in (title, giants, lying)]


def _tokens(state: reading.State, field: int) -> str:
    return " ".join(
        _FACE_DOWN if token["face"] == "down" else f"{_SIGNS[token['kind']]}♜{token['owner']}"
        for token in reading.tokens_at(state, field)
    )


def _bests(state: reading.State, place: str) -> str:
    bests = [(kind, reading.best_of(state, place, kind)) for kind in CATEGORIES]
    parts = [f"{_SIGNS[kind]}{best}" for kind, best in bests if best is not None]
    challenges = len(reading.challenges_at(state, place))
    return " ".join([*parts, f"[{challenges}]"] if challenges else parts)


# ── The scoreboard in its middle ──────────────────────────────────────────────────────────────────


def _middle(view: View) -> list[str]:
    lines = ["", f" {cut(reading.headline(view), 60)}", "", *_scoreboard(view)]
    return [fit(f"  {line}", MIDDLE) for line in lines + [""] * (MIDDLE_LINES - len(lines))]


def _scoreboard(view: View) -> Iterator[str]:
    heads = ("pts", "field", "moves", "dances", "tok", "played")
    yield _ROW.format(fit("    giant", reading.NAME_WIDTH + 4), *heads)
    for seat, name in enumerate(names_of(view, reading.NAME_WIDTH)):
        giant = f"{'>' if seat in view['to_act'] else ' '}♜{seat} {fit(name, reading.NAME_WIDTH)}"
        played = "".join(map(str, view["state"]["movement"]["played"][seat]))
        yield _ROW.format(giant, *reading.counted(view["state"], seat), played)


# ── The dances ────────────────────────────────────────────────────────────────────────────────────


_OF_PLACES: Final = ("bids", "challenge_tokens", "street_dance", "phase", "scored")


@memoised
def _places(state: reading.State) -> list[str]:
    lines = [line for place in state["bids"] for line in _place(state, place)]
    laid = [f"♜{seat} {total}" for seat, total in reading.street_sums(state)]
    done = "✓" if state["phase"] == "over" and "market" in state["scored"] else ""
    return [*lines, f" {'Street' + done:<11}{' · '.join(laid) or 'nobody yet'}"]


def _place(state: reading.State, place: str) -> Iterator[str]:
    rows = [(_SIGNS[kind], _bids(state["bids"][place][kind])) for kind in CATEGORIES]
    rows.append(("challenge", " · ".join(map(_challenge, reading.challenges_at(state, place)))))
    title = place.capitalize()
    for sign, row in rows:
        if row:
            yield f" {title:<11}{sign}  {row}"
            title = ""


def _bids(bids: Sequence[Mapping[str, Any]]) -> str:
    row = ""
    for bid in bids:
        joint = "" if not row else " < " if bid["overbid"] else " , "
        row += f"{joint}♜{bid['seat']} {_laid(bid)}"
    return row


def _laid(bid: Mapping[str, Any]) -> str:
    tokens = [f"{bid['tokens']}{_FACE_DOWN}"] if bid["tokens"] else []
    pieces = [*map(str, bid["values"]), *tokens]
    return "+".join(pieces) + (f"={bid['sum']}" if tokens or len(pieces) > 1 else "")


def _challenge(token: Mapping[str, Any]) -> str:
    return f"♜{token['seat']} {_SIGNS[token['kind']]}{' won' if token['face'] == 'up' else ''}"


# ── Hands ─────────────────────────────────────────────────────────────────────────────────────────


def _hands(view: View) -> Iterator[str]:
    state = view["state"]
    for seat, name in enumerate(names_of(view, 24)):
        tokens = state["stock"]["tokens"][seat]
        if tokens is not None:
            stock = " ".join(f"{_SIGNS[kind]}×{tokens[kind]}" for kind in CATEGORIES)
            cards = _cards(state, "hands", seat)
            yield f" ♜{seat} {name} holds  {cards}   tokens {stock} of {state['token_value']}"
        if state["movement"]["piles"][seat] is not None:
            yield f"    its piles  {_cards(state, 'piles', seat)}"


def _cards(state: reading.State, where: str, seat: int) -> str:
    walks, dances = (state[pile][where][seat] for pile in ("movement", "dance"))
    moves = " ".join(map(str, walks)) or "none"
    steps = " ".join(f"{_SIGNS[card['kind']]}{card['value']}" for card in dances) or "none"
    return f"moves {moves}   dances {steps}"
