"""The rules of dragon-dance: its rulings, and the story of each command.

A round: the cards are dealt, one is turned up, and each turn lays one card or draws one. Who
lays a head as the last card goes out; the others may block it with an egg, else each lays one
card more, and the round ends. It also ends when, with an empty pile, everybody has passed.
"""

from collections.abc import Iterator
from typing import Final, Literal

from referee.core.game import Asker, At, Outcome, Steps, ranked, rules_for
from referee.core.randomness import Chance
from referee.core.ruling import ruling
from referee.core.seats import still_in
from referee.games.dragon_dance import events
from referee.games.dragon_dance.cards import face, has_two_looks, is_egg, is_head, look
from referee.games.dragon_dance.setup import deal_round
from referee.games.dragon_dance.tops import BOXES, Search, covered, under
from referee.games.dragon_dance.types import Block, Decline, Draw, Hand, Keep, Lay, LetStand, State

HEAD_POINTS: Final = 3
EGG_POINTS: Final = 5
OUT_BONUS: Final = 5
FINISH_BONUS: Final = 2
LAST_CARD_COVERS: Final = 2
"""Boxes that a head must cover to go out, or to pay more in the finish."""


# ── Rulings on every card laid ──────────────────────────────────────────────────────────────────
#
# A card that the seat does not hold is refused first, so the later ones need only stay quiet about
# names that are no card.


@ruling("card-in-hand")
def card_in_hand(state: State, by: Asker, command: Lay | Block) -> str | None:
    """Only a card of one's own hand."""
    if command.card in state.hands[by.own]:
        return None
    return f"{command.card!r} is not in the hand of seat {by.own}."


@ruling("draw-one")
def draw_one(state: State, _by: Asker, command: Lay) -> str | None:
    """Who drew may lay the drawn card and no other."""
    if state.phase != "drawn" or command.card == state.drawn:
        return None
    return f"After drawing only the drawn card may be laid, {state.drawn}, not {command.card!r}."


@ruling("turning")
def turning(state: State, _by: Asker, command: Lay | Block) -> str | None:
    """With `turning` "none" a card lies as printed."""
    if state.options.turning == "half" or not lies_turned(state, command):
        return None
    return f"Cards lie as printed in this match; {command.card!r} may not be turned."


@ruling("cover")
def cover(state: State, _by: Asker, command: Lay | Block) -> str | None:
    """A card must cover at least one box of the field; it never only touches."""
    if covered(state.tops, command.x, command.y):
        return None
    return f"At [{command.x}, {command.y}] the card would cover no box of the field."


@ruling("match-colour")
def match_colour(state: State, _by: Asker, command: Lay | Block) -> str | None:
    """Every covered box must show the colour that the card has there."""
    shown = under(state.tops, command.x, command.y).decode().upper()
    own = look(command.card, state.options.faces, turned=command.turned).upper()
    for index, (there, here) in enumerate(zip(shown, own, strict=False)):
        if there not in (".", here):
            box = _box(command, index)
            return f"The box {box} shows {there}; {command.card} would lay {here} there."
    return None


@ruling("beaten-egg")
def beaten_egg(state: State, _by: Asker, command: Lay | Block) -> str | None:
    """No box of an egg may lie on a box whose top is an egg (house: in every lay)."""
    if not is_egg(command.card):
        return None
    for index, there in enumerate(under(state.tops, command.x, command.y).decode()):
        if there.islower():
            return f"The box {_box(command, index)} shows an egg; no egg may lie on it."
    return None


def lies_turned(state: State, command: Lay | Block) -> bool:
    """Whether the card would really lie turned: not one that looks the same either way."""
    return command.turned and has_two_looks(command.card, state.options.faces)


def _box(command: Lay | Block, index: int) -> str:
    """Where box `index` of the card would lie."""
    return f"[{command.x + index % 2}, {command.y + index // 2}]"


# ── Rulings on going out and on its answers ─────────────────────────────────────────────────────


@ruling("last-card")
def last_card(state: State, by: Asker, command: Lay) -> str | None:
    """The last card must be a head on two boxes or more, laid with enough points (house)."""
    if state.phase == "finish" or len(state.hands[by.own]) != 1:
        return None
    boxes = covered(state.tops, command.x, command.y)
    return _kept_from_going_out(state, by.own, command.card, boxes)


def _kept_from_going_out(state: State, seat: int, card: str, boxes: int) -> str | None:
    """What is wrong with the last card of a seat where it covers so many boxes."""
    if not is_head(card):
        return f"A seat's last card must be a head; {card!r} is none."
    if boxes < LAST_CARD_COVERS:
        return f"A head as the last card must cover at least two boxes; here it covers {boxes}."
    points, need = state.points[seat], state.options.need
    if points < need:
        return f"Going out needs {need} points; the seat has {points}."
    return None


@ruling("no-pass")
def no_pass(state: State, by: Asker, _command: Draw) -> str | None:
    """Who can lay must lay: no drawing while any card in hand can be laid."""
    lay = first_lay(state, by.own)
    if lay is None:
        return None
    return f"{lay.card} can be laid, at [{lay.x}, {lay.y}]; who can lay may not draw."


@ruling("block")
def block_head(state: State, by: Asker, command: Block) -> str | None:
    """Only an egg of the head's own colour, on that head, with cards left to draw, blocks."""
    head = state.head
    own, other = _colour(state, head.card), _colour(state, command.card)
    if not is_egg(command.card):
        return f"Only an egg blocks a head; {command.card!r} is none."
    if own != other:
        return f"The head {head.card} is {own}, the egg {command.card} is {other}."
    if abs(command.x - head.x) > 1 or abs(command.y - head.y) > 1:
        return f"The egg would cover no box of the head at [{head.x}, {head.y}]."
    draws = 2 if len(state.hands[by.own]) == 1 else 1
    if state.pile_count < draws:
        return f"After this block {draws} must be drawn; the pile holds {state.pile_count}."
    return None


@ruling("decapitated")
def decapitated(state: State, _by: Asker, command: Block) -> str | None:
    """A blocking egg must cover both boxes of the head end (house)."""
    if covers_head_end(state, command):
        return None
    return f"The egg must cover both boxes of the head's end, {_head_end(state)}."


@ruling("finish")
def stands_to_it(state: State, _by: Asker, command: Lay) -> str | None:
    """In the finish no egg covers the head's end: who let the head stand keeps to it (house)."""
    if state.phase != "finish" or not is_egg(command.card) or not covers_head_end(state, command):
        return None
    return f"An egg on the head's end, {_head_end(state)}, could have blocked; it was let stand."


def covers_head_end(state: State, command: Lay | Block) -> bool:
    """Whether the card would cover both boxes of the head's own end."""
    head = state.head
    return command.x == head.x and command.y in (head.row_of_end - 1, head.row_of_end)


def _head_end(state: State) -> str:
    return f"[{state.head.x}, {state.head.row_of_end}] and the next"


def _colour(state: State, card: str) -> str:
    """The colour of an egg, or of a head's own end: the first letter of its face."""
    return face(card, state.options.faces)[:1]


# ── What could be commanded ─────────────────────────────────────────────────────────────────────


def lays(state: State, by: Asker) -> Iterator[Lay]:
    """Every way to lay a card that fits the field: cards in hand order, then y, x, turned last."""
    return fitting(state, state.hands[by.own] if state.drawn is None else (state.drawn,))


def fitting(state: State, cards: Hand) -> Iterator[Lay]:
    """Every way in which these cards fit the field: in their order, then y, x, turned last."""
    search, options = Search(state.tops), state.options
    for card in cards:
        may_turn = options.turning == "half" and has_two_looks(card, options.faces)
        spots = sorted(
            (y, x, turned)
            for turned in ((False, True) if may_turn else (False,))
            for y, x in search.places(look(card, options.faces, turned=turned))
        )
        for y, x, turned in spots:
            yield Lay(card, x, y, turned)


def first_lay(state: State, seat: int) -> Lay | None:
    """The first lawful way to lay a card in a turn: what fits can break `last-card` alone."""
    hand = state.hands[seat]
    fits = fitting(state, hand)
    if len(hand) != 1:
        return next(fits, None)
    if _kept_from_going_out(state, seat, hand[0], BOXES):
        return None  # wherever it lay
    spots = ((lay, covered(state.tops, lay.x, lay.y)) for lay in fits)
    return next(
        (lay for lay, boxes in spots if not _kept_from_going_out(state, seat, hand[0], boxes)), None
    )


def blocks(state: State, by: Asker) -> Iterator[Block]:
    """Every egg in hand on both boxes of the head's end, in hand order, then y."""
    head = state.head
    for card in filter(is_egg, state.hands[by.own]):
        yield Block(card, head.x, head.row_of_end - 1, turned=False)
        yield Block(card, head.x, head.row_of_end, turned=False)


# ── Stories ─────────────────────────────────────────────────────────────────────────────────────


def lay(at: At[State], command: Lay) -> Steps[State]:
    """A card is laid and pays; in a turn, a last one goes out, and the others are asked."""
    state = yield events.Laid(at.seat, *as_laid(at.state, at.seat, command))
    if at.state.phase != "finish" and not state.hands[at.seat]:
        return (yield events.GoingOut(seat=at.seat))
    return (yield from go_on(state, at.chance))


def draw(at: At[State], _command: Draw) -> Steps[State]:
    """Ruling `draw-one`: one card, which may be laid at once."""
    return (yield events.Drew(seat=at.seat, card=at.state.pile[0]))


def keep(at: At[State], _command: Keep) -> Steps[State]:
    """The drawn card is kept, and the turn goes on."""
    return (yield from go_on((yield events.Kept(seat=at.seat)), at.chance))


def block(at: At[State], command: Block) -> Steps[State]:
    """Ruling `after-block`: the egg pays, who has no card left draws, the blocker first."""
    out = at.state.out
    state = yield events.Blocked(at.seat, out, *as_laid(at.state, at.seat, command))
    for seat in (at.seat, out):
        if not state.hands[seat]:
            state = yield events.Drew(seat=seat, card=state.pile[0])
    return (yield from go_on(state, at.chance))


def let_stand(at: At[State], _command: LetStand) -> Steps[State]:
    """The seat does not block; when nobody does, the head stands."""
    return (yield from go_on((yield events.LetStood(seat=at.seat)), at.chance))


def decline(at: At[State], _command: Decline) -> Steps[State]:
    """The seat lays no card in the finish."""
    return (yield from go_on((yield events.Declined(seat=at.seat)), at.chance))


def after_leaving(at: At[State]) -> Steps[State]:
    """The hand goes shuffled under the pile, and what the withdrawal brings about follows."""
    state, hand = at.state, at.state.hands[at.seat]
    if hand:
        cards = at.chance.about("a hand that goes back", at.seat).shuffle(hand)
        state = yield events.HandReturned(seat=at.seat, count=len(hand), cards=cards)
    return (yield from go_on(state, at.chance))


def go_on(state: State, chance: Chance) -> Steps[State]:
    """What follows by itself once a command or a withdrawal is done."""
    if state.phase == "lay":
        return (yield from pass_on(state, chance))
    if state.phase == "respond" and not state.asked:
        return (yield events.WentOut(seat=state.out, bonus=OUT_BONUS))
    if state.phase == "finish" and not state.to_finish:
        return (yield from end_round(state, "dragon", chance))
    return state


def pass_on(state: State, chance: Chance) -> Steps[State]:
    """Rulings `draw-one` and `stuck`: who can neither lay nor draw passes by itself."""
    while state.turn is not None and not state.pile and not first_lay(state, state.turn):
        state = yield events.Passed(seat=state.turn)
        if state.passes == len(still_in(state.withdrawn)):
            return (yield from end_round(state, "stuck", chance))
    return state


def end_round(state: State, how: Literal["dragon", "stuck"], chance: Chance) -> Steps[State]:
    """Ruling `round-honours`, and the next round unless the match is decided."""
    left = still_in(state.withdrawn)
    most = max(state.points[seat] for seat in left)
    state = yield events.RoundEnded(
        how=how,
        points=state.points,
        dragon=state.going_out if state.going_out in left else None,
        most_points=tuple(seat for seat in left if state.points[seat] == most),
    )
    return state if state.phase == "over" else (yield from deal_round(state, chance))


def as_laid(state: State, seat: int, command: Lay | Block) -> tuple[str, int, int, bool, int, int]:
    """A card as it lies, the boxes that it covers, and what it pays.

    Ruling `points`, and in the finish (ruling `finish`) 2 more for a last card that is a head.
    """
    boxes = covered(state.tops, command.x, command.y)
    head, egg = is_head(command.card), is_egg(command.card)
    goes_out = state.phase == "finish" and len(state.hands[seat]) == 1 and head
    bonus = FINISH_BONUS if goes_out and boxes >= LAST_CARD_COVERS else 0
    points = boxes + HEAD_POINTS * head + EGG_POINTS * egg + bonus
    return command.card, command.x, command.y, lies_turned(state, command), boxes, points


# ── Questions ───────────────────────────────────────────────────────────────────────────────────


def to_act(state: State) -> tuple[int, ...]:
    """The seat whose turn it is; while a seat goes out, the first that is asked."""
    if state.phase == "respond":
        return state.asked[:1]
    return () if state.turn is None else (state.turn,)


def outcome(state: State) -> Outcome | None:
    """Rounds won, then total points, then shared (ruling `match-win`); who withdrew, last."""
    if state.phase != "over":
        return None
    left = still_in(state.withdrawn)
    scores = {seat: (state.rounds_won[seat], state.total_points[seat]) for seat in left}
    ranking = ranked(scores, dict(enumerate(state.total_points)))
    return Outcome("withdrawal" if len(left) == 1 else "played-out", tuple(ranking))


FITS: Final = (turning, cover, match_colour, beaten_egg)
"""What holds for every card laid, in a turn or as a block."""
LAYING: Final = (card_in_hand, draw_one, *FITS, last_card, stands_to_it)
BLOCKING: Final = (card_in_hand, *FITS, block_head, decapitated)

COMMANDS: Final = (
    rules_for(Lay, "lay drawn finish", lay, *LAYING, forms=lays),
    rules_for(Draw, "lay", draw, no_pass),
    rules_for(Keep, "drawn", keep),
    rules_for(Block, "respond", block, *BLOCKING, forms=blocks),
    rules_for(LetStand, "respond", let_stand),
    rules_for(Decline, "finish", decline),
)
