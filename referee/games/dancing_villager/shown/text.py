"""The table of a view as text for a terminal."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

from referee.core.told.reading import View
from referee.core.told.safe import cut, fit
from referee.core.told.words import count_of
from referee.games.dancing_villager.shown import reading

COLUMNS: Final = 96
LABEL: Final = 10
FIGURES: Final = {
    "up": r"\o/",
    "down": "/o\\",
    "flat": "-o-",
    "leaning": "_o/",
    "standing": "|o|",
}
ON_TOP: Final = "^"


def text(view: View) -> str:
    """The table as lines of at most 100 columns: bonfire, dogs, seats, the roll and the grabs.

    `view`: the JSON object of a match as one viewer may see it.
    """
    return "\n".join([*_middle(view), "", *_seats(view), "", *_foot(view)])


def _middle(view: View) -> Iterator[str]:
    state, options = view["state"], view["options"]
    yield f"Dancing Villager · {reading.headline(view)}"
    yield "─" * COLUMNS
    charcoal = _sticks(state["charcoal"], options["charcoal"])
    meat = _sticks(state["meat"], options["meat"])
    yield f"{fit('Bonfire', LABEL)}charcoal {charcoal}   meat {meat}"
    where = f"before {reading.name(view, state['dog_seat'])}"
    where = where if state["village"] else "nobody there"
    yield f"{fit('Village', LABEL)}{count_of(state['village'], 'dog')}, {where}"
    yield f"{fit('Pack', LABEL)}{count_of(state['pack'], 'dog')}"


def _sticks(left: int, most: int) -> str:
    return "▮" * left + "▯" * (most - left)


def _seats(view: View) -> Iterator[str]:
    for seat in range(len(view["seats"])):
        yield _seat_line(view, seat)
        rolled = view["state"]["last_roll"]
        if rolled is not None and rolled[seat]:
            figures = " ".join(_figure(villager) for villager in rolled[seat])
            yield " " * LABEL + figures.rstrip()


def _seat_line(view: View, seat: int) -> str:
    state = view["state"]
    mark = "►" if seat in view["to_act"] else " "
    you = " (you)" if view["viewer"] == f"seat {seat}" else ""
    dogs = f"{state['dogs'][seat]} of {view['options']['target']}"
    who = fit(reading.name(view, seat) + you, 28)
    villagers = fit("●" * state["villagers"][seat], 14)
    line = f"{mark} {seat} {who}villagers {villagers}dogs {fit(dogs, 10)}"
    return (line + reading.doing(view, seat)).rstrip()


def _figure(villager: Mapping[str, Any]) -> str:
    return FIGURES[villager["pose"]] + (ON_TOP if villager["on_top"] else " ")


def _foot(view: View) -> Iterator[str]:
    yield fit("Roll", LABEL) + reading.roll_line(view)
    yield from _listed("Grabs", reading.grab_lines(view) or ["none"])
    waiting = [reading.name(view, seat) for seat in view["to_act"]]
    yield from _listed("To act", waiting or [_nobody(view)])
    yield from _listed("Result", reading.result_lines(view))
    key = [f"{figure} {pose}" for pose, figure in FIGURES.items()]
    yield from _listed("Key", [*key, f"{ON_TOP} on top of another"])


def _nobody(view: View) -> str:
    if view["status"] != "active":
        return "nobody"
    if view["state"]["phase"] == "grab":
        return "nobody has to: grab if it is right"
    return "nobody: the roll of the real villagers is waited for"


def _listed(label: str, items: Sequence[str]) -> Iterator[str]:
    for line in reading.wrapped((cut(item, COLUMNS - LABEL) for item in items), COLUMNS - LABEL):
        yield fit(label, LABEL) + line
        label = ""
