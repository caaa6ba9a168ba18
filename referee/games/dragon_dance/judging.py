"""The rulings that can refuse, one function each, in the order in which the page judges.

Each says what is wrong with this command, or None. A card that the seat does not hold is
refused first, so the later ones need only stay quiet about names that are no card.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from referee.core.game import Asker
from referee.core.ruling import Clause, first_broken, ruling
from referee.games.dragon_dance.cards import (
    colour,
    face_as_laid,
    is_egg,
    is_head,
    kind,
    orientations,
    really_turned,
)
from referee.games.dragon_dance.tops import (
    CODES,
    COLOUR_ALONE,
    EGG,
    NOTHING,
    bit,
    covered,
    places,
    under,
)
from referee.games.dragon_dance.types import Block, Draw, Lay, Placed, State

LAST_CARD_COVERS: Final = 2
"""Boxes that a head must cover as a seat's last card."""

_COLOUR_LETTERS: Final = " RYGB"


def is_turned(state: State, command: Lay | Block) -> bool:
    """Whether the card of the command would really lie turned."""
    return really_turned(state.options, command.card, turned=command.turned)


def _hand(state: State, by: Asker) -> tuple[str, ...]:
    """The hand for which the command is; who asks for no seat holds nothing."""
    return () if by.seat is None else state.hands[by.seat]


def _box(command: Lay | Block, index: int) -> str:
    """Where box ``index`` of the card would lie."""
    return f"[{command.x + index % 2}, {command.y + index // 2}]"


@ruling("card-in-hand")
def card_in_hand(state: State, by: Asker, command: Lay | Block) -> str | None:
    """Only a card of one's own hand."""
    if command.card in _hand(state, by):
        return None
    return f"{command.card!r} is not in the hand of seat {by.seat}."


@ruling("draw-one")
def draw_one(state: State, _by: Asker, command: Lay) -> str | None:
    """Who drew may lay the drawn card and no other."""
    if state.phase != "drawn" or command.card == state.drawn:
        return None
    return f"After drawing only the drawn card may be laid, {state.drawn}, not {command.card!r}."


@ruling("turning")
def turning(state: State, _by: Asker, command: Lay | Block) -> str | None:
    """With ``turning`` "none" a card lies as printed."""
    if state.options.turning == "half" or not is_turned(state, command):
        return None
    return f"Cards lie as printed in this match; {command.card!r} may not be turned."


@ruling("cover")
def cover(state: State, _by: Asker, command: Lay | Block) -> str | None:
    """A card must cover at least one box of the field; it never only touches."""
    if under(state.tops, command.x, command.y) != NOTHING:
        return None
    return f"At [{command.x}, {command.y}] the card would cover no box of the field."


@ruling("match-colour")
def match_colour(state: State, _by: Asker, command: Lay | Block) -> str | None:
    """Every covered box must show the colour that the card has there."""
    face = face_as_laid(state.options, command.card, turned=command.turned)
    shown = under(state.tops, command.x, command.y).translate(COLOUR_ALONE)
    for index, (code, own) in enumerate(zip(shown, CODES.get(face, b""), strict=False)):
        if code not in (0, own):
            box, letter = _box(command, index), _COLOUR_LETTERS[code]
            return f"The box {box} shows {letter}; {command.card} would lay {face[index]} there."
    return None


@ruling("beaten-egg")
def beaten_egg(state: State, _by: Asker, command: Lay | Block) -> str | None:
    """No box of an egg may lie on a box whose top is an egg."""
    if not is_egg(command.card):
        return None
    for index, code in enumerate(under(state.tops, command.x, command.y)):
        if code > EGG:
            return f"The box {_box(command, index)} shows an egg; no egg may lie on it."
    return None


@ruling("last-card")
def last_card(state: State, by: Asker, command: Lay) -> str | None:
    """The last card must be a head on two boxes or more, laid with enough points (house)."""
    if state.phase == "finish" or len(_hand(state, by)) != 1 or by.seat is None:
        return None
    if not is_head(command.card):
        return f"A seat's last card must be a head; {command.card!r} is none."
    boxes = covered(state.tops, command.x, command.y)
    if boxes < LAST_CARD_COVERS:
        return f"A head as the last card must cover at least two boxes; here it covers {boxes}."
    return _needs_points(state.points[by.seat], state.options.need)


def _needs_points(points: int, need: int) -> str | None:
    if points >= need:
        return None
    return f"Going out needs {need} points; the seat has {points}."


@ruling("block")
def block(state: State, by: Asker, command: Block) -> str | None:
    """Only an egg of the head's own colour, on that head, with cards left to draw, blocks."""
    head = state.field[-1]
    own, asked = colour(state.options, head.card), colour(state.options, command.card)
    if not is_egg(command.card):
        return f"Only an egg blocks a head; {command.card!r} is none."
    if own != asked:
        return f"The head {head.card} is {own}, the egg {command.card} is {asked}."
    if abs(command.x - head.x) > 1 or abs(command.y - head.y) > 1:
        return f"The egg would cover no box of the head at [{head.x}, {head.y}]."
    return _needs_cards(state, 2 if len(_hand(state, by)) == 1 else 1)


def _needs_cards(state: State, draws: int) -> str | None:
    if state.pile_count >= draws:
        return None
    return f"After this block {draws} must be drawn; the pile holds {state.pile_count}."


@ruling("decapitated")
def decapitated(state: State, _by: Asker, command: Block) -> str | None:
    """A blocking egg must cover both boxes of the head end (house)."""
    head = state.field[-1]
    row = head_row(head)
    if command.x == head.x and row - 1 <= command.y <= row:
        return None
    return f"The egg must cover both boxes of the head's end, [{head.x}, {row}] and the next."


def head_row(head: Placed) -> int:
    """The y of the two boxes of a head's own end: the upper row, turned the lower."""
    return head.y + head.turned


@ruling("no-pass")
def no_pass(state: State, by: Asker, _command: Draw) -> str | None:
    """Who can lay must lay: no drawing while any card in hand can be laid."""
    lay = first_lay(state, by)
    if lay is None:
        return None
    return f"{lay.card} can be laid, at [{lay.x}, {lay.y}]; who can lay may not draw."


TO_LAY: Final[tuple[Clause, ...]] = (
    card_in_hand,
    draw_one,
    turning,
    cover,
    match_colour,
    beaten_egg,
    last_card,
)
TO_BLOCK: Final[tuple[Clause, ...]] = (
    card_in_hand,
    turning,
    cover,
    match_colour,
    beaten_egg,
    block,
    decapitated,
)


def lays(state: State, by: Asker) -> Iterator[Lay]:
    """Every way to lay a card that fits the field: cards in hand order, then y, x, turned last."""
    cards = (state.drawn,) if state.drawn is not None else _hand(state, by)
    looks = [(card, _looks(state, card)) for card in cards]
    wanted = 0
    for _, ways in looks:
        for _, mask in ways:
            wanted |= mask
    spots = tuple(places(state.tops, wanted))
    for card, ways in looks:
        for x, y, fits in spots:
            for turned, mask in ways:
                if fits & mask:
                    yield Lay(card, x, y, turned)


def _looks(state: State, card: str) -> list[tuple[bool, int]]:
    """Each different way to turn a card, with the bit of how it then looks."""
    options, egg = state.options, is_egg(card)
    return [
        (turned, bit(face_as_laid(options, card, turned=turned), egg=egg))
        for turned in orientations(options, card)
    ]


def first_lay(state: State, by: Asker) -> Lay | None:
    """The first lawful way to lay a card, or None: the places that fit, judged as any command."""
    return next((lay for lay in lays(state, by) if not first_broken(TO_LAY, state, by, lay)), None)


def blocks(state: State, by: Asker) -> Iterator[Block]:
    """Every egg in hand on both boxes of the head's end, in hand order, then y."""
    head = state.field[-1]
    row = head_row(head)
    for card in _hand(state, by):
        if kind(card) == "egg":
            yield Block(card, head.x, row - 1, turned=False)
            yield Block(card, head.x, row, turned=False)
