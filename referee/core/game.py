"""What a game is: one record of types and pure functions.

A game is a folder under `referee/games` whose `__init__` holds `GAME = Game(…)`. Its
functions know no clock, no randomness of their own, no input or output: the time of the
commit comes with who asks (`Asker`), chance with `Chance`.

States are frozen structs: a step returns the next state and never changes the old one.
"""

import re
from collections.abc import Callable, Generator, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Annotated, Any, Final, Generic, Literal, TypeVar

from msgspec import UNSET, Meta, Struct, UnsetType

from referee.core.bounds import out_of_bounds
from referee.core.randomness import Chance
from referee.core.ruling import Clause, Ruling
from referee.core.told import plainly
from referee.core.told.words import Moment, Seen
from referee.core.visibility import Public, meaning

S = TypeVar("S")
T = TypeVar("T")


def snake_case(name: str) -> str:
    """A class name as it stands in JSON: `PlaceObstacle` is `place_obstacle`."""
    return re.sub(r"(?<!^)(?=[A-Z])", "_", name).lower()


class Command(
    Struct, frozen=True, gc=False, forbid_unknown_fields=True, tag_field="type", tag=snake_case
):
    """What somebody asks for. Subclasses are named in the imperative; the tag follows the name.

    Field types say only what a schema can (400): types, closed sets of words. What depends on
    the game (a number out of reach, a card not held) is for a ruling (422): no bounds here.
    """


class Event(
    Struct, frozen=True, gc=False, forbid_unknown_fields=True, tag_field="type", tag=snake_case
):
    """A fact that followed from an accepted command. Subclasses are named in the past tense."""


class SeatEvent(Event, frozen=True, gc=False):
    """A fact about one seat."""

    seat: Public[int]


Role = Literal["organizer", "seat", "service"]


class Asker(Struct, frozen=True, gc=False):
    """Who asks, and when.

    `seat`: the seat for which the command is, None for an organizer or the service on
    nobody's behalf; `at`: the time of judging, Unix milliseconds. `organizer`: who acts for that
    seat, `organizer` or `organizer:NAME`, though all is judged as the seat's; or, of an organizer
    who has a name, `organizer:NAME`.
    """

    role: Role
    seat: int | None
    at: int
    organizer: str | None = None

    @property
    def own(self) -> int:
        """The seat that asks. Raises `LookupError` where nobody asks for a seat."""
        if self.seat is None:
            raise LookupError("nobody asks for a seat")
        return self.seat

    def __str__(self) -> str:
        """As it stands in a commit: `seat:2`, `service`, `organizer:ann/seat:2`."""
        who = self.organizer or self.role
        if self.seat is None:
            return who
        return f"{self.organizer}/seat:{self.seat}" if self.organizer else f"seat:{self.seat}"


class At(Struct, Generic[S], frozen=True):
    """Where a story begins: the state, who asks and when, and the match's chance."""

    state: S
    by: Asker
    chance: Chance

    @property
    def seat(self) -> int:
        """The seat that asks; raises what `Asker.own` raises."""
        return self.by.own


Steps = Generator[Event, S, S]
"""A story of events. Each `yield` hands back the state with that event folded in, and the
story returns the last state, so that stories chain: `state = yield from deal(state)`."""


Moments = Mapping[str, Moment | Callable[[Seen], Moment | None]]
"""By type of event what it is to a reader, or what tells it of one as its viewer sees it."""


_OPTIONAL: Final = {"type": "boolean", "description": "true where the field may be left out"}
_LENGTHS: Final = {
    "type": "array",
    "prefixItems": [{"type": "integer"}, {"type": "integer"}],
    "minItems": 2,
    "maxItems": 2,
}


def _slot(description: str, *required: str, **members: Any) -> dict[str, Any]:
    properties = {**members, "optional": _OPTIONAL}
    needed = {"properties": properties, "required": list(required)}
    return {"type": "object", "description": description, **needed}


SLOT_SCHEMA: Final = {
    "description": "What the field may hold: exactly one of the three members says so.",
    "anyOf": [
        _slot("one of these values", "one_of", one_of={"type": "array"}),
        _slot(
            "a whole number from the first to the second, both included",
            "between",
            between=_LENGTHS,
        ),
        _slot(
            "a list",
            "list_of",
            "length",
            list_of={
                "type": "object",
                "description": "what each entry holds: one of these three, or a member each",
            },
            length={**_LENGTHS, "description": "least and most entries"},
            distinct={
                "type": "array",
                "items": {"type": "string"},
                "description": "members of which no two entries may have the same",
            },
            spend={
                "type": ["object", "array"],
                "description": "values, each to be used only as often as it stands here: "
                "by member, or of a list of plain values the values themselves",
            },
        ),
    ],
}
"""The JSON Schema of a `Slot`: the codec knows no union of structs without tags."""


class OneOf(Struct, frozen=True, omit_defaults=True):
    """A field that holds one of these values."""

    one_of: tuple[Any, ...]
    optional: bool = False


class Between(Struct, frozen=True, omit_defaults=True):
    """A field that holds a whole number from the first to the second, both included."""

    between: tuple[int, int]
    optional: bool = False


class ListOf(Struct, frozen=True, omit_defaults=True):
    """A field that holds a list.

    `list_of`: what each entry may hold: one of these three, or an object of them by member;
    `length`: least and most entries; `distinct`: members of which no two entries may have the
    same; `spend`: values of members (of a list of plain values: the values themselves), each to
    be used only as often as it stands there.
    """

    list_of: Any
    length: tuple[int, int]
    distinct: tuple[str, ...] | UnsetType = UNSET
    spend: dict[str, tuple[Any, ...]] | tuple[Any, ...] | UnsetType = UNSET
    optional: bool = False


Slot = OneOf | Between | ListOf
"""What a field of a command may hold; `optional` where it may be left out."""


class Template(Struct, frozen=True):
    """A command with too many forms to list: its type, and what each of its fields may hold.

    `fields` has a `Slot` for each field of the command.
    """

    type: str
    fields: dict[str, Annotated[Any, Meta(extra_json_schema=SLOT_SCHEMA)]]


@dataclass(frozen=True, slots=True)
class CommandRules:
    """Everything that the rules say about one type of command.

    `phases`: the values of `state.phase` in which it may be owed; another phase refuses it
    (`wrong-phase`). `rulings`: judged in this order, the first that answers is the refusal.
    `decide(at, command)`: the events that follow from a lawful command; it never refuses.
    `forms(state, by)`: every form that could be lawful, in the fixed order of `legal` (a
    superset will do: the rulings sift it). `template(state, by)`: for commands with too many
    forms to list; where it answers, `legal` is not complete.
    """

    command: type[Command]
    phases: frozenset[str]
    rulings: tuple[Clause, ...]
    decide: Callable[[At[Any], Any], Steps[Any]]
    forms: Callable[[Any, Asker], Iterable[Command]]
    template: Callable[[Any, Asker], Template | None] | None = None


def rules_for(
    command: type[Command],
    phases: str,
    decide: Callable[[At[Any], Any], Steps[Any]],
    *rulings: Clause,
    forms: Callable[[Any, Asker], Iterable[Command]] | None = None,
    template: Callable[[Any, Asker], Template | None] | None = None,
) -> CommandRules:
    """A row of a game's commands: see `CommandRules`; `phases` has blanks between them.

    `forms` None: a template says them, or there are no fields, and so there is one.
    """
    if forms is None:
        only = () if template else (command(),)
        forms = lambda _state, _by: only  # noqa: E731 - of no more than this
    return CommandRules(command, frozenset(phases.split()), rulings, decide, forms, template)


@dataclass(frozen=True, slots=True)
class EventRules:
    """Everything that the rules say about one type of event.

    `fold(state, event)`: the next state; it never refuses. `rests`: the ids of the rulings that
    the event rests on, besides those that judged its command. `reveals`: whether it told a seat
    something new (a card drawn or turned up, a hidden choice shown), so that players alone cannot
    take it back; a card played face up does not count, and draws of chance count by themselves.
    `draws`: how many draw numbers it used up, so that folding a log knows the next one without
    drawing. The last three may depend on the event: functions of it, `draws` of the state before
    it as well.
    """

    fold: Callable[[Any, Any], Any]
    rests: Sequence[str] | Callable[[Any], Sequence[str]] = ()
    reveals: bool | Callable[[Any], bool] = False
    draws: int | Callable[[Any, Any], int] = 0


Events = Mapping[type[Event], EventRules]
"""A game's types of events, and what its rules say about each."""


class Standing(Struct, frozen=True, gc=False):
    """A row of a ranking."""

    seat: Annotated[Public[int], meaning("The seat.", 1)]
    place: Annotated[
        Public[int | None],
        meaning("Its place from 1, equal ones shared; null: withdrew, did not finish.", 1, None),
    ]
    score: Annotated[Public[int | float | None], meaning("Its score, if it has one.", 12)]


class Outcome(Struct, frozen=True):
    """How a game ended by its own rules: why, and a standing for every seat, in any order."""

    reason: Literal["played-out", "withdrawal"]
    ranking: tuple[Standing, ...]


def ranked(scores: Mapping[int, Any], rated: Mapping[int, int | float | None]) -> list[Standing]:
    """Standings by descending `scores` (any comparable key a seat), equal keys sharing a place.

    Seats in `rated` without a key have no place. The score shown is `rated[seat]`.

    >>> [(s.seat, s.place) for s in ranked({0: 5, 1: 9, 2: 5}, {0: 5, 1: 9, 2: 5, 3: None})]
    [(1, 1), (0, 2), (2, 2), (3, None)]
    """
    best_first = sorted(scores, key=lambda seat: scores[seat], reverse=True)
    best_first.sort(key=lambda seat: _place(scores, seat))
    rows = [Standing(seat, _place(scores, seat), rated[seat]) for seat in best_first]
    return rows + [Standing(seat, None, rated[seat]) for seat in sorted(set(rated) - set(scores))]


def _place(scores: Mapping[int, Any], seat: int) -> int:
    return 1 + sum(bool(scores[other] > scores[seat]) for other in scores)


@dataclass(frozen=True, slots=True)
class Piles:
    """A game's piles, which an organizer's take-back shuffles anew where they have changed.

    `of(state)`: all of them, always as many, in the order of the game's page, each in the order of
    its cards. `shuffled(piles)`: the event after which those that are not None lie so.
    """

    of: Callable[[Any], Sequence[tuple[Any, ...]]]
    shuffled: Callable[[Sequence[tuple[Any, ...] | None]], Event]


class BadOptions(ValueError):
    """A match that cannot be played: `errors` of (path, message).

    A game's paths begin with `options.`: `options.movement_deck[9]`. Core adds `seats` and
    `entropy` for a wrong number of them.
    """

    def __init__(self, errors: Sequence[tuple[str, str]]) -> None:
        super().__init__("; ".join(f"{path}: {message}" for path, message in errors))
        self.errors: Final = tuple(errors)


class NoOptions(Struct, frozen=True, forbid_unknown_fields=True):
    """There is nothing to choose."""


class GameState(Struct, frozen=True, gc=False):
    """What every game's state begins with: the phase, which says what kind of command is owed."""

    phase: Public[str]


def put(by_seat: tuple[T, ...], seat: int, value: T) -> tuple[T, ...]:
    """A state's list with another value for one seat (or at any other index).

    >>> put((0, 0, 0), 1, 5)
    (0, 5, 0)
    """
    changed = list(by_seat)
    changed[seat] = value
    return tuple(changed)


def _no_steps(at: At[S]) -> Steps[S]:
    yield from ()
    return at.state


@dataclass(frozen=True, slots=True, kw_only=True)
class Game:
    """One game at one version of its rules.

    What it is
        `id` the slug; `version` of the ruleset `id/version`; `title`, `about` (one line);
        `players`: every number of seats that it takes, ascending; gaps are allowed.
    Its types
        `options`, `state` structs; `completed`: the options with every default filled in, where
        that is another struct; `events`: each event type with all that the rules say of it
        (`EventRules`: among it the fold, `(state, event) -> state`, which never refuses);
        `commands`: their rules.
    Its rules
        `rulings`: all of them, in page order; `ranking`: the ids of those that the ranking rests
        on at the end.
        `faults(options, seats)`: what is wrong with options besides their bounds (see
        `referee.core.bounds`), as (path, message); `complete(options, seats)`: options without
        a fault, with every default filled in. `start(options, seats)`: the state before any
        event. `deal(at)`: the set-up's events, if there are any.
        `to_act(state)`: seats that owe a command, ascending; none once it is over.
        `outcome(state)`: how it ended, or None while it goes on; asked after each command of
        the game, and after what may end it besides: a withdrawal, a resume, a take-back.
        `leave(state, seat)`: the state at once after a seat's withdrawal;
        `after_leaving(at)`: events that follow from it (`at.seat` left).
        `admission`: replaces table rulings judged before the game's own, by id (`not-seated`,
        `withdrawn`, `out-of-turn`, `wrong-phase`); asked of the game's own commands only, never
        of the table's.
        `malformed(options, command)`: what no schema can say about the form of a command under
        these options, as (path, message), the path from the command's top; an answer is a 400,
        judged before everything else, and never a refusal.
        `piles`: what an organizer's take-back shuffles anew.
    The service's clock
        `deadline(state)`: Unix ms after which `overdue` is due, or None; `overdue(state)`: the
        command that the service then sends.
        `stamped(state, at)`: the state after the events of a commit made at `at` (Unix ms), for
        what begins to run with it; asked after every commit, while deciding and folding.
        `resumed(state, paused_ms)`: the state after a pause of that length; `after_resume(at)`:
        events that follow from the resume.
        `waits_while_paused`: what follows from a withdrawal waits for the resume: while the
        match is paused `after_leaving` is left out, and `after_resume` does what is due.
    At the table
        `draw_score`: the score of a seat in a match drawn by agreement.
    For people and trials
        `text(view)`, `svg(view)`: the board of a view (the whole JSON object of
        `GET /v1/matches/{match}`, hidden parts null); `tell(event, names)`: one event, as its
        viewer sees it (a JSON object), in the game's words. Without them a state is shown as a
        list, and an event as its fields. `moments`: which types of events make points or take
        something, or what tells it of one event. `chapter(view)`: what the part of the match
        is called that is being played, by default the round, if there are any.
        `vary(pick, seats)`: random lawful options for trials, as the JSON object a client would
        send; `demo_options`: options under which a demonstration by random players is soon
        over; `sample(state, by, pick)`: a random lawful command where `legal` is not complete
        or play at random would not end, else None (then any of `legal` is taken). While nobody
        is in `to_act` seats may act without owing it: then it is asked of every seat and of the
        organizer (`by.seat` None), and None means to hold still. `pick` is a Chance of the
        trial's own, never the match's.
    """

    id: str
    version: int
    title: str
    about: str
    players: Sequence[int]
    state: type[GameState]
    commands: tuple[CommandRules, ...]
    events: Events
    rulings: tuple[Ruling, ...]
    start: Callable[[Any, int], Any]
    to_act: Callable[[Any], tuple[int, ...]]
    outcome: Callable[[Any], Outcome | None]
    leave: Callable[[Any, int], Any]
    options: type[Struct] = NoOptions
    completed: type[Struct] | None = None
    faults: Callable[[Any, int], Iterable[tuple[str, str]]] = lambda _options, _seats: ()
    complete: Callable[[Any, int], Any] = lambda options, _seats: options
    deal: Callable[[At[Any]], Steps[Any]] = _no_steps
    after_leaving: Callable[[At[Any]], Steps[Any]] = _no_steps
    admission: Mapping[str, Clause] = field(default_factory=dict)
    ranking: Sequence[str] = ()
    malformed: Callable[[Any, Any], Sequence[tuple[str, str]]] = lambda _options, _command: ()
    piles: Piles | None = None
    deadline: Callable[[Any], int | None] = lambda _state: None
    overdue: Callable[[Any], Command | None] = lambda _state: None
    stamped: Callable[[Any, int], Any] = lambda state, _at: state
    resumed: Callable[[Any, int], Any] = lambda state, _paused_ms: state
    after_resume: Callable[[At[Any]], Steps[Any]] = _no_steps
    waits_while_paused: bool = False
    draw_score: float | None = None
    text: Callable[[Mapping[str, Any]], str] = plainly.text
    svg: Callable[[Mapping[str, Any]], str] = plainly.svg
    tell: Callable[[Mapping[str, Any], Sequence[str]], str] = plainly.tell
    moments: Moments = field(default_factory=dict)
    chapter: Callable[[Mapping[str, Any]], str] = plainly.chapter
    vary: Callable[[Chance, int], dict[str, Any]] = lambda _pick, _seats: {}
    demo_options: Mapping[str, Any] = field(default_factory=dict)
    sample: Callable[[Any, Asker, Chance], Command | None] | None = None

    @property
    def ruleset(self) -> str:
        """The ruleset's name, such as `dragon-dance/1`."""
        return f"{self.id}/{self.version}"

    def reveals(self, event: Event) -> bool:
        """Whether an event told a seat something new; none of the table's does."""
        rules = self.events.get(type(event))
        reveals = rules is not None and rules.reveals
        return reveals(event) if callable(reveals) else reveals

    def draws(self, state: Any, event: Event) -> int:
        """How many draw numbers an event of the game used up, in the state before it."""
        draws = self.events[type(event)].draws
        return draws(state, event) if callable(draws) else draws


def in_words(players: Sequence[int]) -> str:
    """Numbers of seats, ascending, as a sentence has them.

    >>> in_words(range(2, 6)), in_words((2, 4)), in_words((3,))
    ('2 to 5', '2 or 4', '3')
    """
    least, most = players[0], players[-1]
    if len(players) > 1 and len(players) == most - least + 1:
        return f"{least} to {most}"
    return " or ".join(map(str, players))


def seat_errors(game: Game, seats: int, entropy: Sequence[str] | str) -> list[tuple[str, str]]:
    """What is wrong with so many seats, and what each adds to chance, as (path, message)."""
    errors: list[tuple[str, str]] = []
    if seats not in game.players:
        errors.append(("seats", f"{game.id} takes {in_words(game.players)} seats, not {seats}"))
    if not isinstance(entropy, str) and len(entropy) != seats:
        errors.append(("entropy", f"must have one entry for each of the {seats} seats"))
    return errors


def complete_options(game: Game, options: Any, seats: int) -> Any:
    """Options of a game, for so many seats, with every default filled in.

    Raises:
        BadOptions: what is beyond its bounds, and what the game finds wrong besides.
    """
    errors = out_of_bounds(options, seats)
    named = {path for path, _ in errors}
    errors += [fault for fault in game.faults(options, seats) if fault[0] not in named]
    if errors:
        raise BadOptions(errors)
    return game.complete(options, seats)


def play(state: S, story: Steps[S], game: Game) -> tuple[list[Event], S]:
    """Run a story: fold each event as it comes; returns all its events and the last state.

    Raises:
        KeyError: an event type that the game does not list.
    """
    events: list[Event] = []
    rules = game.events
    try:
        event = next(story)
        while True:
            events.append(event)
            state = rules[type(event)].fold(state, event)
            event = story.send(state)
    except StopIteration:
        return events, state
