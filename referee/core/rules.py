"""A whole match: the table and the game together, judged, decided, folded and shown.

`Rules` is one ruleset made ready: everything here is a pure function of a
`Match`, a command with who asks and when, and the log's bytes.
"""

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import lru_cache
from typing import Any, Final, Union

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from referee.core import clock, table
from referee.core.bounds import out_of_bounds
from referee.core.commit import Commit, decoded, head_after, written
from referee.core.game import (
    Asker,
    At,
    BadOptions,
    Command,
    Event,
    Game,
    Role,
    complete_options,
    play,
    seat_errors,
)
from referee.core.judging import Judge, tag
from referee.core.match import GOES_ON, Entropy, Match
from referee.core.patterns import ORGANIZER_NAME
from referee.core.randomness import Chance
from referee.core.table import folds, stories
from referee.core.table.commands import (
    IDLE,
    ClaimTimeout,
    CreateMatch,
    ExcuseOutage,
    TakeBack,
    Void,
    term_errors,
)
from referee.core.table.events import MatchCreated, MatchEnded, TakenBack
from referee.core.table.rulings import idle_at
from referee.core.table.stories import MatchSteps, TableAt
from referee.core.visibility import hides_something

_UNFIT: Final = (
    ArithmeticError, AssertionError, AttributeError, LookupError, TypeError, ValueError,
)  # fmt: skip
"""What a fold raises of an event that speaks of what is not there: a seat 9, a card not held."""
_BY: Final = re.compile(
    rf"service|(?P<organizer>organizer(?::{ORGANIZER_NAME.pattern})?)"
    r"(?:/seat:(?P<acted_for>0|[1-9]\d{0,8}))?"
    r"|seat:(?P<seat>0|[1-9]\d{0,8})",
    re.ASCII,
)

Past = Callable[[int], Match]
"""The match as it stood after a commit, by its version: where a take-back goes."""


def past_among(kept: Mapping[int, Match]) -> Past:
    """The `Past` of whoever keeps states by version; it raises `LookupError` for any other."""

    def past(version: int) -> Match:
        if version not in kept:
            message = f"the state after commit {version} is not at hand"
            raise LookupError(message)
        return kept[version]

    return past


NO_PAST: Final = past_among({})
"""The `Past` of whoever has no log at hand."""


class BadLog(ValueError):
    """A commit that does not follow the one before, or that these rules cannot read."""


class Decided(Struct, frozen=True):
    """An accepted command: the commit, its bytes, and the match after it."""

    match: Match
    data: bytes
    commit: Commit[Any, Any]

    @property
    def events(self) -> tuple[Event, ...]:
        """What it led to."""
        events: tuple[Event, ...] = self.commit.ev
        return events


class Unsealed(Struct, frozen=True):
    """A commit that is not counted in yet (see `Rules.counted`), and what it leads to.

    `match` has the events of the table in it; the game's `state` and the `draws` are those after
    all events. `drew` says whether the commit drew from chance.
    """

    commit: Commit[Any, Any]
    match: Match
    state: Any
    draws: int
    drew: bool


def read_asker(text: str, at: int) -> Asker:
    """Who a commit's `by` names: `seat:N`, `service`, `organizer`, `organizer:NAME/seat:N`.

    Raises:
        BadLog: anything else.
    """
    role, seat, organizer = _who(text)
    return Asker(role, seat, at, organizer)


@lru_cache(1024)
def _who(text: str) -> tuple[Role, int | None, str | None]:
    by = _BY.fullmatch(text)
    if by is None:
        raise BadLog(f"{text!r} names nobody: a commit is by service, seat:N or organizer:NAME")
    organizer, seat = by["organizer"], by["seat"] or by["acted_for"]
    if seat is not None:
        return "seat", int(seat), organizer
    if organizer is None:
        return "service", None, None
    return "organizer", None, organizer if ":" in organizer else None


class Rules(Judge):
    """One ruleset, ready: the game's rules and the table's."""

    def __init__(self, game: Game) -> None:
        super().__init__(game, table.TABLE, table.rulings.RULINGS)
        sent = [kind for kind in self.commands if kind not in table.BEHIND_ROUTES]
        union: Any = Union[tuple(sent)]  # noqa: UP007 -- made of types known only now
        self.sent: Final = union
        self._json: Final = msgspec.json.Decoder(union)
        self._msgpack: Final = msgspec.msgpack.Decoder(union)
        stored: Any = Union[(*self.commands, CreateMatch)]
        events: Any = Union[self.events]  # noqa: UP007 -- likewise
        self._stored: Final = msgspec.msgpack.Decoder(stored)
        self._commits: Final = msgspec.msgpack.Decoder(Commit[stored, events])
        self._events: Final = msgspec.msgpack.Decoder(tuple[events, ...])
        self._hiding: Final = frozenset(filter(hides_something, self.events))
        self._telling: Final = frozenset(kind for kind, of in game.events.items() if of.reveals)

    # ── What there is ─────────────────────────────────────────────────────────────────────────────

    @property
    def events(self) -> tuple[type[Event], ...]:
        """Every type of event: the game's, then the table's."""
        return (*self.game.events, MatchCreated, TakenBack, *folds.TABLE_EVENTS)

    def read_command(self, data: bytes, *, msgpack: bool = False) -> Command:
        """The command that a client sent, or `msgspec.DecodeError` for anything else."""
        command: Command = decoded(self._msgpack if msgpack else self._json, data)
        return command

    def read_stored_command(self, data: bytes | msgspec.Raw) -> Command:
        """A command as it stands in a commit, or `msgspec.DecodeError`."""
        command: Command = decoded(self._stored, data)
        return command

    def read_events(self, data: bytes | msgspec.Raw) -> tuple[Event, ...]:
        """Events as they stand in a commit, or `msgspec.DecodeError`."""
        events: tuple[Event, ...] = decoded(self._events, data)
        return events

    def read_commit(self, data: bytes) -> Commit[Any, Any]:
        """A commit with its command and events, or `BadLog` for anything else."""
        try:
            commit: Commit[Any, Any] = decoded(self._commits, data)
        except msgspec.DecodeError as error:
            message = f"not a commit of {self.game.ruleset}: {error}"
            raise BadLog(message) from error
        return commit

    def rests_on(self, event: Event) -> Sequence[str]:
        """The ids of the game's rulings that an event rests on; of the table's the end has some."""
        if isinstance(event, MatchEnded):
            return self.game.ranking
        of_game = self.game.events.get(type(event))
        rests = () if of_game is None else of_game.rests
        return rests(event) if callable(rests) else rests

    # ── Deciding ──────────────────────────────────────────────────────────────────────────────────

    def create(
        self,
        order: CreateMatch,
        at: int,
        *,
        by: str = "organizer",
        key: str | None = None,
        salt: bytes | None = None,
    ) -> Decided:
        """The first commit of a match, and the match after it.

        `by`: the organizer, as a commit names one; `key`, `salt`: as for `decide`.

        Raises:
            BadOptions: options that cannot be played, or a number of seats, or of entropies, that
                the game does not take.
            msgspec.ValidationError: options of the wrong shape.
        """
        return self._sealed(self.unsealed_first(order, at, by=by, key=key, salt=salt))

    def unsealed_first(
        self,
        order: CreateMatch,
        at: int,
        *,
        by: str = "organizer",
        key: str | None = None,
        salt: bytes | None = None,
    ) -> Unsealed:
        """What `create` makes a commit of; it raises what that does."""
        order = self._completed(order)
        announced = folds.announced(order)
        match = folds.created(announced, at, self.game, order.options)
        chance = self.chance_at(match)
        asker = read_asker(by, at)
        story = stories.dealt(match, TableAt(match, asker, chance, self.game))
        dealt, after = self._tell(match, story, at)
        _check_draws(order, chance, after)
        events = (announced, *dealt)
        commit = Commit(1, at, by, key, self._salted(events, salt), order, events, match.head)
        return Unsealed(commit, after, after.state, after.draws, after.draws > 0)

    def _completed(self, order: CreateMatch) -> CreateMatch:
        """The order with all defaults filled in, and its hex digits as draws spell them."""
        seats = len(order.seats)
        errors = seat_errors(self.game, seats, order.entropy)
        errors += term_errors(order.tournament, order.round, order.idle_s)
        if errors:
            raise BadOptions(errors)
        options = msgspec.convert(
            order.options, self.game.options, strict=True, from_attributes=True
        )
        return replace(
            order,
            options=complete_options(self.game, options, seats),
            entropy=_in_lower_case(order.entropy),
            seed=order.seed.lower(),
        )

    def recalls(self, match: Match, command: Command) -> int | None:
        """The version whose state a lawful command may go back to; None where it cannot.

        For whoever has to fetch that state before it can give it to `decide`.
        """
        if type(command) is TakeBack:
            return command.to
        if match.takeback is None or type(command) in self._of_game:
            return None
        return match.takeback.to

    def decide(
        self,
        match: Match,
        by: Asker,
        command: Command,
        *,
        key: str | None = None,
        salt: bytes | None = None,
        past: Past = NO_PAST,
    ) -> Decided:
        """Judge a command and let it happen: the next commit, and the match after it.

        `salt`, 12 random bytes, enters a commit that can hide something, and nothing but its head:
        heads are public, and whoever knows all of a commit but one card could try them all.
        `by.at` must not be before `match.at`; `past` is asked for the match at the version
        to which a take-back goes. It raises what `judge` raises, and what `past` does.
        """
        return self._sealed(self.unsealed(match, by, command, key=key, salt=salt, past=past))

    def unsealed(
        self,
        match: Match,
        by: Asker,
        command: Command,
        *,
        key: str | None = None,
        salt: bytes | None = None,
        past: Past = NO_PAST,
    ) -> Unsealed:
        """What `decide` makes a commit of; it raises what that does."""
        self.judge(match, by, command)
        chance, of_game = self.chance_at(match), type(command) in self._of_game
        if of_game and not (match.clock or match.draw or match.takeback or match.spent):
            events, after, state = self._told_plainly(match, by, command, chance)
        else:
            events, after, state = self._told(match, by, command, chance, past)
        version, salt = match.version + 1, self._salted(events, salt)
        commit = Commit(version, by.at, str(by), key, salt, command, tuple(events), match.head)
        return Unsealed(commit, after, state, chance.draws, chance.draws > match.draws)

    def _told_plainly(
        self, match: Match, by: Asker, command: Command, chance: Chance
    ) -> tuple[list[Event], Match, Any]:
        """A game command where nothing of the table can follow but the end: the common case."""
        decide = self._of_game[type(command)].decide
        events, state = play(match.state, decide(At(match.state, by, chance), command), self.game)
        if self.game.outcome(state) is None:
            return events, match, state
        after = replace(match, state=state, draws=chance.draws)
        ending, after = self._tell(after, stories.ending(self.game, after), by.at)
        return events + ending, after, state

    def _told(
        self, match: Match, by: Asker, command: Command, chance: Chance, past: Past
    ) -> tuple[list[Event], Match, Any]:
        begun = self._begun(match, by.at, command)
        story = self._story(TableAt(begun, by, chance, self.game), command)
        events, after = self._tell(begun, story, by.at, past)
        _check_draws(command, chance, after)
        after = _with_increment(after, by) if type(command) in self._of_game else after
        return events, after, after.state

    def _story(self, at: TableAt, command: Command) -> MatchSteps:
        of_table = self._of_table.get(type(command))
        return of_table.decide(at, command) if of_table else self._game_story(at, command)

    def _game_story(self, at: TableAt, command: Command) -> MatchSteps:
        match, owed_before = at.state, at.state.owed
        story = self._of_game[type(command)].decide(at.in_game(match), command)
        match = yield from stories.by_the_game(match, story)
        match = yield from stories.ending(self.game, match)
        return (yield from stories.lapses(match, at.by.seat, owed_before, self.game))

    def _tell(
        self, match: Match, story: MatchSteps, at: int, past: Past = NO_PAST
    ) -> tuple[list[Event], Match]:
        events: list[Event] = []
        try:
            event = next(story)
            while True:
                events.append(event)
                match, state, draws = self._evolved(match, (event,), at, past)
                match = replace(match, state=state, draws=draws)
                event = story.send(match)
        except StopIteration as told:
            return events, match if told.value is None else told.value

    def chance_at(self, match: Match) -> Chance:
        """What deciding draws from; whoever wants to hear it gives one that tells."""
        setting = match.setting
        return Chance(setting.seed, setting.match, match.entropy, match.draws)

    def _salted(self, events: Iterable[Event], salt: bytes | None) -> bytes | None:
        """The salt of a commit with these events: one where any of them can hide something."""
        if self._hiding.isdisjoint(map(type, events)):
            return None
        if salt is None:
            raise ValueError("a commit that can hide something takes a salt")
        return salt

    def _sealed(self, unsealed: Unsealed) -> Decided:
        data = written(unsealed.commit)
        match = self.counted(unsealed, head_after(unsealed.match.head, data))
        return Decided(match, data, unsealed.commit)

    def counted(self, unsealed: Unsealed, head: bytes) -> Match:
        """The match with a commit counted in, decided or folded, and the head after it."""
        match, commit = unsealed.match, unsealed.commit
        state = self.game.stamped(unsealed.state, commit.at)
        told = unsealed.drew
        if not told and not self._telling.isdisjoint(map(type, commit.ev)):
            told = any(map(self.game.reveals, commit.ev))
        owed = self.game.to_act(state) if match.dealt else match.owed
        return replace(
            match,
            version=commit.v,
            head=head,
            at=commit.at,
            state=state,
            draws=unsealed.draws,
            owed=owed if match.status in GOES_ON else (),
            revealed=commit.v if told else match.revealed,
        )

    # ── Folding ───────────────────────────────────────────────────────────────────────────────────

    def fold(self, match: Match | None, data: bytes, *, past: Past = NO_PAST) -> Match:
        """The match after one more commit of its log; None stands before the first.

        `past` is asked for the match to which the commit goes back.

        Raises:
            BadLog: the commit does not follow, or is unknown to these rules.
        """
        return self.fold_commit(match, self.read_commit(data), data, past=past)

    def fold_commit(
        self, match: Match | None, commit: Commit[Any, Any], data: bytes, *, past: Past = NO_PAST
    ) -> Match:
        """As `fold`, for whoever has read the commit in `data` already."""
        try:
            return self._folded(match, commit, data, past)
        except BadLog:
            raise
        except _UNFIT as error:
            message = f"commit {commit.v} does not fit the match before it: {error!r}"
            raise BadLog(message) from error

    def _folded(
        self, match: Match | None, commit: Commit[Any, Any], data: bytes, past: Past
    ) -> Match:
        events = commit.ev
        if match is None:
            match, events = self._first(commit)
        if commit.v != match.version + 1 or commit.prev != match.head:
            message = f"commit {commit.v} does not follow commit {match.version}"
            raise BadLog(message)
        drawn_before = match.draws
        match = self._begun(match, commit.at, commit.cmd)
        match, state, draws = self._evolved(match, events, commit.at, past)
        if match.clock and type(commit.cmd) in self._of_game:
            match = _with_increment(match, read_asker(commit.by, commit.at))
        unsealed = Unsealed(commit, match, state, draws, draws > drawn_before)
        return self.counted(unsealed, head_after(match.head, data))

    def _first(self, commit: Commit[Any, Any]) -> tuple[Match, tuple[Event, ...]]:
        if not commit.ev or not isinstance(commit.ev[0], MatchCreated):
            message = "the first commit does not create a match"
            raise BadLog(message)
        announced = commit.ev[0]
        kind = self.game.completed or self.game.options
        options = msgspec.convert(announced.options, kind)
        # A course of 10^15 spaces would be folded and drawn for ever.
        if beyond := out_of_bounds(options, len(announced.seats)):
            raise BadLog(f"the first commit's {beyond[0][0]} {beyond[0][1]}")
        return folds.created(announced, commit.at, self.game, options), commit.ev[1:]

    def _begun(self, match: Match, at: int, command: Command) -> Match:
        """The match as a commit finds it: the clocks have run, and offers may be made again."""
        if match.spent and type(command) in self._of_game:
            match = replace(match, spent=())
        if match.clock is None:
            return match
        charged = clock.spend(match.clock, match.running, at, folds.excused_ms(command))
        return replace(match, clock=charged)

    def _evolved(
        self, match: Match, events: Iterable[Event], at: int, past: Past
    ) -> tuple[Match, Any, int]:
        """The match with the table's events in it, and the game's state and draws after all."""
        state, draws, of_game = match.state, match.draws, self.game.events
        for event in events:
            rules = of_game.get(type(event))
            if rules is not None:
                draws += self.game.draws(state, event) if rules.draws else 0
                state = rules.fold(state, event)
                continue
            match = replace(match, at=at, state=state, draws=draws)
            match = self._around(match, event, at, past)
            state, draws = match.state, match.draws
        return match, state, draws

    def _around(self, match: Match, event: Event, at: int, past: Past) -> Match:
        """The match with an event of the table folded in."""
        if type(event) is TakenBack:
            return folds.gone_back(match, past(event.to), at, self.game)
        return folds.TABLE_EVENTS[type(event)](match, event, self.game)

    # ── What is due ───────────────────────────────────────────────────────────────────────────────

    def deadline(self, match: Match) -> int | None:
        """When, in Unix ms, something is due without anybody's command; None for never."""
        if match.status != "active" or not match.dealt:
            return None
        due = self.game.deadline(match.state)
        if match.clock is None:
            return due
        first = clock.first_flag(match.clock, match.running)
        return _sooner(due, None if first is None else first[0])

    def awaited(self, match: Match) -> int | None:
        """When, in Unix ms, the service is to look at the match: idleness falls due as well."""
        return _sooner(self.deadline(match), idle_at(match))

    def overdue(self, match: Match, at: int) -> Command | None:
        """The command that the service owes the match at `at`, Unix ms, or None: flags first."""
        if match.status != "active":
            return None
        flag = self._flag(match, at)
        if flag is not None:
            return flag
        game_deadline = self.game.deadline(match.state) if match.dealt else None
        if game_deadline is not None and game_deadline <= at:
            return self.game.overdue(match.state)
        idle = idle_at(match)
        return Void(IDLE) if idle is not None and idle <= at else None

    def flag_before(self, match: Match, at: int, command: Command | None) -> ClaimTimeout | None:
        """The claim that stands before a command stamped `at`, Unix ms: the stamp decides.

        It is of the first clock that has run out by then, whoever asks for what (None: for what is
        legal). None where none has, and before an outage that is excused, or a claim of that very
        flag.
        """
        if match.clock is None or type(command) is ExcuseOutage or match.status != "active":
            return None
        flag = self._flag(match, at)
        return None if flag == command else flag

    def _flag(self, match: Match, at: int) -> ClaimTimeout | None:
        first = None if match.clock is None else clock.first_flag(match.clock, match.running)
        return ClaimTimeout(first[1]) if first is not None and first[0] <= at else None


def _sooner(one: int | None, other: int | None) -> int | None:
    """The earlier of two times; None is never."""
    return one if other is None else other if one is None else min(one, other)


def _in_lower_case(entropy: Entropy) -> Entropy:
    return entropy if isinstance(entropy, str) else tuple(map(str.lower, entropy))


def _check_draws(command: Command, chance: Chance, after: Match) -> None:
    """Whether the events of a command tell how many numbers it drew."""
    if chance.draws != after.draws:
        message = f"{tag(command)} drew {chance.draws} numbers, its events {after.draws}"
        raise AssertionError(message)


def _with_increment(match: Match, by: Asker) -> Match:
    """The increment for a command that was owed: one that was not has spent no time.

    `match.owed` still tells who owed one before the commit: it is counted in afterwards.
    """
    setting = match.setting.clock
    if match.clock is None or setting is None or match.over:
        return match
    if by.seat is None or by.seat not in match.owed:
        return match
    return replace(match, clock=clock.add(match.clock, by.seat, setting.increment_s * clock.SECOND))
