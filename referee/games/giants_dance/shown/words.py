"""The events of giants-dance in words, as their viewer sees them: hidden fields are None."""

from collections.abc import Sequence
from typing import Any, Final

from referee.core.game import Moments
from referee.core.told.reading import View
from referee.core.told.words import Names, Seen, by_type, count_of, listed
from referee.games.giants_dance.types import CATEGORIES, HOME, PLACE_NAMES


def _field(field: int) -> str:
    return {0: "the start", HOME: "the Market Square"}.get(field, f"field {field}")


def _set_up(event: Seen, _names: Names) -> str:
    tokens = count_of(len(event["street_tokens"]), "dance token")
    return f"The trail is laid, {tokens} lie face down on its streets, the giants hold their cards."


def _piles_shuffled(event: Seen, names: Names) -> str:
    piles = [
        f"{name}'s {kind} cards"
        for kind in ("movement", "dance")
        for name, pile in zip(names, event[kind], strict=True)
        if pile is not None
    ]
    return f"Shuffled anew: {listed(piles, 'piles that were drawn from')}."


def _challenge_placed(event: Seen, names: Names) -> str:
    kind = event["kind"]
    token = "challenge token" if kind is None else f"{kind} challenge token"
    return f"{names[event['seat']]} lays a {token} face down at {PLACE_NAMES[event['square']]}."


def _giant_moved(event: Seen, names: Names) -> str:
    start, to = _field(event["from"]), _field(event["to"])
    return f"{names[event['seat']]} plays a {event['card']} and goes from {start} to {to}."


def _tokens_turned_up(event: Seen, names: Names) -> str:
    tokens = listed([f"{names[token['owner']]}'s {token['kind']}" for token in event["tokens"]])
    return f"Turned up on field {event['field']}: {tokens}."


def _tokens_taken(event: Seen, names: Names) -> str:
    taken = [count_of(event[kind], f"{kind} token") for kind in CATEGORIES if event[kind]]
    return f"{names[event['seat']]} takes {listed(taken)} from field {event['field']}."


def _danced(event: Seen, names: Names) -> str:
    who, where = names[event["seat"]], PLACE_NAMES[event["place"]]
    parts = [_part(kind, event[kind]) for kind in CATEGORIES if event[kind] is not None]
    if not parts:
        return f"{who} dances on {where}, unseen."
    preposition = "on" if event["place"] == "street" else "at"
    return f"{who} dances {preposition} {where}: {listed(parts)}."


def _part(kind: str, laid: Seen) -> str:
    pieces = [str(value) for value in laid["values"]]
    if laid["tokens"]:
        pieces.append(count_of(laid["tokens"], "token"))
    return f"{kind} {laid['sum']} ({' + '.join(pieces)})"


def _cards_drawn(event: Seen, names: Names) -> str:
    drawn = [
        count_of(len(event[pile]), f"{pile} card") + _which(event[pile])
        for pile in ("movement", "dance")
        if event[pile]
    ]
    return f"{names[event['seat']]} draws {listed(drawn)}."


def _which(cards: Sequence[Any]) -> str:
    shown = [_card(card) for card in cards if card is not None]
    return f" ({', '.join(shown)})" if shown else ""


def _card(card: Any) -> str:
    return str(card) if isinstance(card, int) else f"{card['kind']} {card['value']}"


def _square_scored(event: Seen, names: Names) -> str:
    place = PLACE_NAMES[event["square"]]
    sentences = [f"Scored: {place}.", *(_row(row, names) for row in event["points"])]
    if not event["points"]:
        sentences.append("Nobody scores.")
    sentences += [
        f"{names[token['seat']]}'s {token['kind']} challenge is turned up."
        for token in event["challenges_turned_up"]
    ]
    return " ".join(sentences)


def _row(row: Seen, names: Names) -> str:
    parts = {
        "for dancing": row["dancing"],
        "for winning": row["winning"],
        "for the double dance": row["double"],
        "for the challenge": row["challenge"],
    }
    what = listed([f"{points} {reason}" for reason, points in parts.items() if points])
    return f"{names[row['seat']]} gets {what}."


def _street_scored(event: Seen, names: Names) -> str:
    scored = [
        f"{names[seat]} with {event['sums'][seat]} gets {count_of(points, 'point')}"
        for seat, points in enumerate(event["points"])
        if points
    ]
    return f"Scored: the street. {listed(scored, 'Nobody danced there')}."


tell = by_type(
    {
        "set_up": _set_up,
        "piles_shuffled": _piles_shuffled,
        "challenge_placed": _challenge_placed,
        "giant_moved": _giant_moved,
        "tokens_turned_up": _tokens_turned_up,
        "tokens_taken": _tokens_taken,
        "danced": _danced,
        "no_dance": "{name} does not dance.",
        "cards_drawn": _cards_drawn,
        "square_scored": _square_scored,
        "street_scored": _street_scored,
    }
)
"""One event of giants-dance, as its viewer sees it, as a sentence."""
MOMENTS: Final[Moments] = {"square_scored": "score", "street_scored": "score"}
"""Its moments: see `Game`."""


def chapter(view: View) -> str:
    """The challenges, then turn by turn."""
    state = view["state"]
    return "The challenges" if state["phase"] == "challenge" else f"Turn {state['turn']}"
