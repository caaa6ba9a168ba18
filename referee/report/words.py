"""Logs in words: the table's events, who and when."""

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime, timedelta, tzinfo
from typing import Any, Final

from referee.core.game import Game
from referee.core.ruling import Ruling
from referee.core.told.safe import called, clean
from referee.core.told.words import Names, Seen, Teller, count_of, listed, told

_EPOCH: Final = datetime(1970, 1, 1, tzinfo=UTC)

Json = Mapping[str, Any]
"""A JSON object: an event as a viewer sees it, a row of a ranking."""


def all_called(names: Sequence[str]) -> tuple[str, ...]:
    """What the seats are called: by number and name, for names may be alike, or a role's.

    The number comes first, where nothing cuts it off.

    >>> all_called(["Ann", "organizer", "Ann", chr(0x200B)])
    ('seat 0 (Ann)', 'seat 1 (organizer)', 'seat 2 (Ann)', 'seat 3')
    """
    return tuple(_as_seat(f"seat {seat}", called(name, seat)) for seat, name in enumerate(names))


def _as_seat(seat: str, name: str) -> str:
    return seat if name == seat else f"{seat} ({name})"


def lawful(proven: int, commits: int) -> str:
    """How many commits a log has, and how far they are lawful where not all of them are.

    >>> lawful(34, 34), lawful(11, 34), lawful(0, 34)
    ('34 commits', 'lawful up to commit 11 of 34', 'none of 34 commits lawful')
    """
    counted = count_of(commits, "commit")
    if proven == commits:
        return counted
    return f"lawful up to commit {proven} of {commits}" if proven else f"none of {counted} lawful"


def who(by: str, names: Sequence[str]) -> str:
    """Who a commit is by, `seat:N` as that seat's name (`names` are clean already).

    >>> who("seat:0", ["Ann"]), who("organizer:kim/seat:0", ["Ann"]), who("service", ["Ann"])
    ('Ann', 'Ann (by organizer:kim)', 'service')
    """
    organizer, _, acted_for = by.rpartition("/")
    role, _, number = acted_for.partition(":")
    if role == "seat" and number.isdecimal() and int(number[:9]) < len(names):
        name = names[int(number[:9])]
        return f"{name} (by {clean(organizer)})" if organizer else name
    return clean(by)


def moment(at: int, zone: tzinfo | None = UTC) -> str:
    """A time in Unix ms as ISO 8601; a zone of None is this machine's.

    >>> moment(1_700_000_000_123)
    '2023-11-14T22:13:20.123Z'
    >>> moment(10**18)
    '1000000000000000000 ms'
    """
    try:
        stamp = _EPOCH + timedelta(milliseconds=at)
    except OverflowError:
        return f"{at} ms"
    if zone is not UTC:
        return stamp.astimezone(zone).isoformat(timespec="milliseconds")
    return stamp.isoformat(timespec="milliseconds").removesuffix("+00:00") + "Z"


def length(ms: int) -> str:
    """A length of time for people.

    >>> length(1_500), length(83_000), length(7_384_000)
    ('1.5 s', '1:23', '2:03:04')
    """
    seconds, rest = divmod(max(0, ms), 1000)
    if seconds < 60:  # noqa: PLR2004 - seconds in a minute
        return f"{seconds}.{rest // 100} s"
    minutes, seconds = divmod(seconds, 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02}:{seconds:02}" if hours else f"{minutes}:{seconds:02}"


def cited(ruling: Ruling) -> str:
    """A ruling by its id, with its text and where it comes from."""
    return f"{ruling.id}: {ruling.text} ({ruling.origin})"


def tell(game: Game, event: Seen, names: Names) -> str:
    """One event as a sentence: the table's in our words, the game's in its own.

    `names` by seat, clean.
    """
    ours = TABLE_SENTENCES.get(event["type"])
    sentence = clean(game.tell(event, names)) if ours is None else told(ours, event, names)
    return sentence if sentence.endswith((".", "!", "?")) else f"{sentence}."


def places(ranking: Sequence[Json], names: Sequence[str]) -> str:
    """A ranking on one line: `1. red (44), 2. blue (41), green without a place`."""
    return ", ".join(_place(row, names) for row in ranking)


def _place(row: Json, names: Sequence[str]) -> str:
    name = names[row["seat"]]
    score = "" if row["score"] is None else f" ({number(row['score'])})"
    if row["place"] is None:
        return f"{name} without a place{score}"
    return f"{row['place']}. {name}{score}"


def number(score: float) -> str:
    """A score without a needless decimal point: `44`, `0.5`, `1`.

    >>> number(1_234_567), number(0.5), number(1.0)
    ('1234567', '0.5', '1')
    """
    return str(score) if isinstance(score, int) else f"{score:.10g}"


def _created(event: Seen, names: Names) -> str:
    keys = ("tournament", "round", "table")
    where = [clean(f"{key} {event[key]}") for key in keys if event[key]]
    if event["entropy"] == "seats":
        where.append("dealt once each has added entropy")
    return f"A match of {clean(event['ruleset'])} for {', '.join([', '.join(names), *where])}."


def _because(event: Seen) -> str:
    return f": {clean(event['reason'])}" if event["reason"] else "."


def _dealt_without(event: Seen, names: Names) -> str:
    without = listed([names[seat] for seat in event["seats"]])
    return f"The organizer deals without the entropy of {without}{_because(event)}"


def _withdrawn(event: Seen, names: Names) -> str:
    name = names[event["seat"]]
    if event["why"] == "resigned":
        return f"{name} resigns."
    if event["why"] == "flagged":
        return f"{name} has run out of time and is out of the match."
    return f"{name} is taken out of the match{_because(event)}"


_ENDINGS: Final = {
    "played-out": "The match is played out",
    "withdrawal": "The match ends by withdrawal",
    "agreed": "A draw is agreed",
    "flag": "The match ends on time",
}


def _ended(event: Seen, names: Names) -> str:
    return f"{_ENDINGS[event['reason']]}: {places(event['ranking'], names)}."


def _adjudicated(event: Seen, names: Names) -> str:
    ranking = places(event["ranking"], names)
    return f"The organizer rules the result ({clean(event['reason'])}): {ranking}."


def _lapsed(event: Seen, names: Names) -> str:
    offer = "offer of a draw" if event["offer"] == "draw" else "request for a take-back"
    return f"The {offer} by {names[event['seat']]} lapses."


def _called(event: Seen, names: Names) -> str:
    about = "" if event["about"] is None else f" about version {event['about']}"
    said = "" if event["text"] is None else f": {clean(event['text'])}"
    return f"{names[event['seat']]} calls the arbiter{about}{said}"


def _answered(event: Seen, names: Names) -> str:
    ruling = "" if event["ruling"] is None else f" by {clean(event['ruling'])}"
    return f"The arbiter answers {names[event['seat']]}{ruling}{_because(event)}"


TABLE_SENTENCES: Final[dict[str, Teller | str]] = {
    "match_created": _created,
    "entropy_added": "{name} adds entropy: {hex}.",
    "dealt_without": _dealt_without,
    "withdrawn": _withdrawn,
    "match_ended": _ended,
    "adjudicated": _adjudicated,
    "offer_lapsed": _lapsed,
    "seed_revealed": lambda event, _names: f"The seed was {clean(event['seed'])}.",
    "draw_offered": "{name} offers a draw.",
    "draw_accepted": "{name} agrees to the draw.",
    "draw_declined": "{name} declines the draw.",
    "takeback_requested": "{name} asks to go back to version {to}.",
    "takeback_accepted": "{name} agrees to go back.",
    "takeback_declined": "{name} declines to go back.",
    "taken_back": lambda event, _names: (
        f"The match goes back to version {event['to']}{_because(event)}"
    ),
    "flagged": "{name}'s flag falls.",
    "certified": "The result is certified.",
    "paused": "The match is paused.",
    "resumed": lambda event, _names: (
        f"The match goes on after a pause of {length(event['paused_ms'])}."
    ),
    "arbiter_called": _called,
    "call_withdrawn": "The call to the arbiter by {name} falls away.",
    "call_answered": _answered,
    "voided": lambda event, _names: f"The match is void{_because(event)}",
    "time_granted": "{name} gets {seconds} s more.",
    "token_reissued": "{name} gets a new token; the old one is dead.",
    "outage_excused": lambda event, _names: (
        f"{length(event['until'] - event['from'])} of an outage are charged to no clock."
    ),
}
