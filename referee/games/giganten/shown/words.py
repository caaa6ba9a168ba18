"""The events of Giganten in words, as their viewer sees them: hidden fields are None."""

from typing import Final

from referee.core.game import Moments
from referee.core.told.reading import View
from referee.core.told.words import Names, Seen, by_type, count_of, listed
from referee.games.giganten.shown.reading import place

_EFFECTS: Final = {
    "remove": "it leaves the board",
    "hold": "it is held for two turns",
    "return": "it leaves the board and may come back",
}
_OUTCOMES: Final = {
    "challenger": "the challenger wins",
    "defender": "the challenged wins",
    "draw": "a draw",
    "both-lost": "both leave",
}
_GROUND: Final = {"L": "on land", "S": "in swamp"}


def _tiles_laid(event: Seen, names: Names) -> str:
    if event["tiles"] is None:
        return f"{names[event['seat']]} has laid its tiles."
    laid = listed([f"{tile['tile']} at {tile['turn']}°" for tile in event["tiles"]])
    return f"{names[event['seat']]} lays {laid}."


def _set_up_done(event: Seen, names: Names) -> str:
    name, pieces = names[event["seat"]], event["pieces"]
    if pieces is None:
        return f"{name} has set up behind the screen."
    held = f", {event['reserve_count']} in reserve" if event["reserve_count"] else ""
    return f"{name} sets up {count_of(len(pieces), 'piece')}{held}."


def _setups_revealed(event: Seen, _names: Names) -> str:
    return f"All have set up: {count_of(len(event['pieces']), 'piece')} stand on the board."


def _moved(event: Seen, names: Names) -> str:
    ways = [
        f"{one['piece']} from {place(one['from'])} to {place(one['to'])}" for one in event["moves"]
    ]
    return f"{names[event['seat']]} moves piece {listed(ways)}."


def _challenged(event: Seen, _names: Names) -> str:
    mine, theirs = event["kinds"]
    end = "taken" if theirs == "nest" and event["outcome"] == "challenger" else None
    came = end or _OUTCOMES[event["outcome"]]
    where = f"{_GROUND[event['terrain']]} at {place(event['at'])}"
    by, against = f"Piece {event['by']}, {mine},", f"piece {event['against']}, {theirs},"
    return f"{by} challenges {against} {where}: {came}."


def _sprung(event: Seen, names: Names) -> str:
    catches = f"catches piece {event['piece']}: {_EFFECTS[event['effect']]}"
    return f"A trap of {names[event['owner']]} at {place(event['at'])} {catches}."


def _left_board(event: Seen, names: Names) -> str:
    whose = names[event["seat"]]
    where = " and waits to return" if event["to"] == "out" else ""
    return f"The {event['kind']} of {whose} leaves the board{where}."


def _brought_in(event: Seen, names: Names) -> str:
    what = "a piece of its reserve" if event["kind"] is None else f"a {event['kind']}"
    return f"{names[event['seat']]} brings in {what} at {place(event['at'])}."


tell = by_type(
    {
        "tiles_dealt": "The tiles are dealt.",
        "tiles_laid": _tiles_laid,
        "board_revealed": "All tiles are turned up: the board lies there.",
        "set_up_done": _set_up_done,
        "setups_revealed": _setups_revealed,
        "moved": _moved,
        "challenged": _challenged,
        "sprung": _sprung,
        "left_board": _left_board,
        "advanced": "Piece {piece} advances to {to}.",
        "stayed": "Piece {piece} stays where it is.",
        "brought_in": _brought_in,
        "returned": "The {kind} of {name} is back, at {at}.",
        "rested": "{name} makes no move after bringing in.",
        "nest_taken": "Piece {by} has taken the nest of {name}.",
        "seat_out": "{name} is out: its turns are left out.",
        "turn_ended": "The turn of {name} is over.",
        "passed_over": "{name} can do nothing now and is passed over.",
        "immobile": "{name} can do nothing any more: its side has lost.",
        "no_progress": "{turns:quiet turn} in a row: the match is drawn.",
    }
)
"""One event of Giganten, as its viewer sees it, as a sentence."""
MOMENTS: Final[Moments] = {"left_board": "capture", "nest_taken": "capture"}
"""Its moments: see `Game`."""


def chapter(view: View) -> str:
    """The set-up, then ten turns at a time."""
    state = view["state"]
    if state["phase"] in {"tiles", "setup"}:
        return "The set-up"
    first = (state["turn"] - 1) // 10 * 10 + 1
    return f"Turns {first} to {first + 9}"
