"""What every picture reads from a view: names, places, and why nobody is to act.

A view is the JSON object of `GET /v1/matches/{match}`, as one viewer may see it.
"""

from collections.abc import Mapping
from typing import Any

from referee.core.told.safe import called, cut
from referee.core.told.words import listed

View = Mapping[str, Any]


def names_of(view: View, width: int) -> list[str]:
    """The players' names by seat, safe and in at most `width` columns each."""
    return [cut(called(seat["name"], seat["seat"]), width) for seat in view["seats"]]


def place_of(view: View, seat: int) -> int | None:
    """The place of a seat in the result, None where it has none or there is none yet."""
    rows = view["result"]["ranking"] if view["result"] else ()
    return next((row["place"] for row in rows if row["seat"] == seat), None)


def note_of(view: View, seat: int) -> str:
    """What the table has to say of a seat: that it withdrew, its place, or nothing."""
    if view["seats"][seat]["withdrawn"]:
        return "withdrew"
    place = place_of(view, seat)
    return "" if place is None else f"place {place}"


def at_rest(view: View, width: int) -> str | None:
    """A sentence on why a match is not being played, None where it is."""
    if view["status"] == "finished":
        names = names_of(view, width)
        return f"{listed([names[seat] for seat in view['result']['winners']], 'Nobody')} won."
    return {"paused": "The match is paused.", "void": "The match is void."}.get(view["status"])


def waited_for(view: View, width: int) -> str:
    """The names of the seats that are to act, in a row."""
    names = names_of(view, width)
    return listed([names[seat] for seat in view["to_act"]])
