"""A whole match: the table and the game together, judged, decided, folded and shown.

:class:`Rules` is one ruleset made ready: everything here is a pure function of a
:class:`~referee.core.record.Match`, a command with who asks and when, and the log's bytes.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from typing import Any, Final, Literal, Union

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from referee.core import clock, table
from referee.core.commit import Commit, decoded, head_after
from referee.core.game import (
    Asker,
    BadOptions,
    Command,
    CommandRules,
    Event,
    Game,
    Template,
    play,
)
from referee.core.randomness import Chance, commitment
from referee.core.record import Match
from referee.core.ruling import Refusal, first_broken
from referee.core.table import folds, stories
from referee.core.table import rulings as table_rulings
from referee.core.table.commands import ClaimTimeout, CreateMatch
from referee.core.table.events import MatchCreated, TakenBack
from referee.core.table.stories import At, MatchSteps, NeedsHistory
from referee.core.viewer import Scope, Viewer, redact

KEY_BYTES: Final = 8
_NO_KEY: Final = bytes(KEY_BYTES)
_UNFIT: Final = (
    ArithmeticError, AssertionError, AttributeError, LookupError, TypeError, ValueError,
)  # fmt: skip
"""What a fold raises of an event that speaks of what is not there: a seat 9, a card not held."""
_SEAT: Final = re.compile(r"seat:(0|[1-9][0-9]{0,8})", re.ASCII)
_PACK: Final = msgspec.msgpack.Encoder()


class NotAllowed(Exception):
    """Whoever asks may not send this kind of command at all."""


class Malformed(ValueError):
    """A command whose shape does not fit the match's options: ``errors`` of (path, message)."""

    def __init__(self, errors: Sequence[tuple[str, str]]) -> None:
        super().__init__("; ".join(f"{path}: {message}" for path, message in errors))
        self.errors: Final = tuple(errors)


class BadLog(ValueError):
    """A commit that does not follow the one before, or that these rules cannot read."""


class Decided(Struct, frozen=True):
    """An accepted command: the commit's bytes, its events, and the match after it."""

    match: Match
    data: bytes
    events: tuple[Event, ...]


class _Asked(Struct, frozen=True):
    """A command that is being decided: who asks for it, its key, and the draws before it."""

    by: Asker
    command: Command
    key: str | None
    drawn_before: int


class Legal(Struct, frozen=True):
    """What a seat may do: commands in a fixed order; templates where there are too many."""

    commands: tuple[Command, ...]
    complete: bool
    templates: tuple[Template, ...]


class SeatView(Struct, frozen=True):
    """A seat as everybody sees it."""

    seat: int
    name: str
    withdrawn: bool


class ClockView(Struct, frozen=True):
    """The clock as everybody sees it: ms left by seat as it stood at ``read_at``, Unix ms."""

    base_s: int
    increment_s: int
    on_flag: Literal["forfeit", "note"]
    left_ms: tuple[int, ...]
    flagged: tuple[bool, ...]
    running: tuple[int, ...]
    read_at: int


def read_asker(text: str, at: int) -> Asker:
    """Who a commit's ``by`` names: ``organizer``, ``service`` or ``seat:N``.

    Raises :class:`BadLog` for anything else.
    """
    if text in ("organizer", "service"):
        return Asker(text, None, at)  # type: ignore[arg-type]
    seat = _SEAT.fullmatch(text)
    if seat:
        return Asker("seat", int(seat[1]), at)
    message = f"{text!r} names nobody: a commit is by organizer, service or seat:N"
    raise BadLog(message)


class Rules:
    """One ruleset, ready: the game's rules and the table's."""

    def __init__(self, game: Game) -> None:
        self.game: Final = game
        self.rulings: Final = {one.id: one for one in (*table_rulings.RULINGS, *game.rulings)}
        self._of_game: Final = {rules.command: rules for rules in game.commands}
        self._of_table: Final = {rules.command: rules for rules in table.TABLE}
        self._admission: Final = self._admission_in_order()
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

    # ── What there is ───────────────────────────────────────────────────────────────────────

    @property
    def commands(self) -> tuple[type[Command], ...]:
        """Every type of command: the game's, then the table's."""
        return (*self._of_game, *self._of_table)

    @property
    def events(self) -> tuple[type[Event], ...]:
        """Every type of event: the game's, then the table's."""
        return (*self.game.events, MatchCreated, TakenBack, *folds.TABLE_EVENTS)

    def read_command(self, data: bytes, *, msgpack: bool = False) -> Command:
        """The command that a client sent. Raises ``msgspec.DecodeError`` for anything else."""
        command: Command = decoded(self._msgpack if msgpack else self._json, data)
        return command

    def read_stored_command(self, data: bytes | msgspec.Raw) -> Command:
        """A command as it stands in a commit. Raises ``msgspec.DecodeError``."""
        command: Command = decoded(self._stored, data)
        return command

    def read_events(self, data: bytes | msgspec.Raw) -> tuple[Event, ...]:
        """Events as they stand in a commit. Raises ``msgspec.DecodeError``."""
        events: tuple[Event, ...] = decoded(self._events, data)
        return events

    def read_commit(self, data: bytes) -> Commit[Any, Any]:
        """A commit with its command and events. Raises :class:`BadLog` for anything else."""
        try:
            commit: Commit[Any, Any] = decoded(self._commits, data)
        except msgspec.DecodeError as error:
            message = f"not a commit of {self.game.ruleset}: {error}"
            raise BadLog(message) from error
        return commit

    # ── Judging ─────────────────────────────────────────────────────────────────────────────

    def judge(self, match: Match, by: Asker, command: Command) -> None:
        """Return where the command is lawful.

        Raises :class:`~referee.core.ruling.Refusal` naming the first ruling that it breaks,
        :class:`NotAllowed` where ``by`` may not send its kind, :class:`Malformed` where its
        shape does not fit the match's options.
        """
        rules = self._of_game.get(type(command))
        if rules is None:
            self._judge_table_command(match, by, command)
            return
        errors = self.game.malformed(match.setting.options, command)
        if errors:
            raise Malformed(errors)
        broken = self._broken(match, by, command, rules)
        if broken is not None:
            raise broken

    def judged(
        self, match: Match, by: Asker, command: Command
    ) -> tuple[tuple[str, str | None], ...]:
        """The rulings that judge a command, in order, as (id, what is wrong or None).

        The last one is the first that is broken, where one is. Raises what :meth:`judge` raises
        besides a refusal.
        """
        with suppress(Refusal):
            self.judge(match, by, command)
        judged: list[tuple[str, str | None]] = []
        for clause, judge, subject in self._clauses(match, command):
            judged.append((clause, judge(subject, by, command)))
            if judged[-1][1] is not None:
                break
        return tuple(judged)

    def _clauses(
        self, match: Match, command: Command
    ) -> Iterator[tuple[str, Callable[..., str | None], Any]]:
        of_game = self._of_game.get(type(command))
        if of_game is None:
            for clause in self._of_table[type(command)].rulings:
                yield clause.id, clause, match
            return
        for ruling, judges_state, judge in self._admission:
            yield ruling, judge, match.state if judges_state else match
        for clause in of_game.rulings:
            yield clause.id, clause, match.state

    def _judge_table_command(self, match: Match, by: Asker, command: Command) -> None:
        rules = self._of_table[type(command)]
        if by.role not in rules.roles and not (by.role == "organizer" and "seat" in rules.roles):
            message = f"A {by.role} may not send {_tag(command)}."
            raise NotAllowed(message)
        broken = first_broken(rules.rulings, match, by, command)
        if broken is not None:
            raise broken

    def _broken(
        self, match: Match, by: Asker, command: Command, rules: CommandRules
    ) -> Refusal | None:
        return self._not_admitted(match, by, command) or first_broken(
            rules.rulings, match.state, by, command
        )

    def _not_admitted(self, match: Match, by: Asker, command: Command) -> Refusal | None:
        for ruling, judges_state, judge in self._admission:
            detail = judge(match.state if judges_state else match, by, command)
            if detail is not None:
                return Refusal(ruling, detail)
        return None

    def _admission_in_order(self) -> tuple[tuple[str, bool, Callable[..., str | None]], ...]:
        ours: dict[str, Callable[..., str | None]] = {
            "not-seated": _asks_from_a_seat,
            "match-over": table_rulings.match_over,
            "match-paused": table_rulings.match_paused,
            "withdrawn": _asks_still_in,
            "out-of-turn": _asks_in_turn,
            "wrong-phase": self._asks_in_phase,
        }
        theirs: Mapping[str, Callable[..., str | None]] = self.game.admission
        return tuple(
            (ruling, ruling in theirs, theirs.get(ruling, judge)) for ruling, judge in ours.items()
        )

    def _asks_in_phase(self, match: Match, _by: Asker, command: Command) -> str | None:
        phase = match.state.phase
        if phase in self._of_game[type(command)].phases:
            return None
        owed = [_tag_of(rules.command) for rules in self.game.commands if phase in rules.phases]
        return f"In phase {phase} the seat owes {' or '.join(owed)}, not {_tag(command)}."

    def legal(self, match: Match, by: Asker) -> Legal:
        """Every lawful command of the game for ``by``, in a fixed order."""
        if match.status != "active":
            return Legal((), complete=True, templates=())
        commands: list[Command] = []
        templates: list[Template] = []
        for rules in self.game.commands:
            if match.state.phase not in rules.phases or not self._may_owe(match, by):
                continue
            commands += self._lawful(match, by, rules)
            template = rules.template(match.state, by) if rules.template else None
            templates += [template] if template else []
        return Legal(tuple(commands), not templates, tuple(templates))

    def _may_owe(self, match: Match, by: Asker) -> bool:
        return "out-of-turn" in self.game.admission or by.seat in match.owed

    def _lawful(self, match: Match, by: Asker, rules: CommandRules) -> list[Command]:
        options, malformed = match.setting.options, self.game.malformed
        forms = [form for form in rules.forms(match.state, by) if not malformed(options, form)]
        if self.game.admission:
            return [form for form in forms if self._broken(match, by, form, rules) is None]
        # The table admits by seat and kind alone: what holds for one form holds for all.
        if not forms or self._not_admitted(match, by, forms[0]):
            return []
        state, clauses = match.state, rules.rulings
        return [form for form in forms if first_broken(clauses, state, by, form) is None]

    # ── Deciding ────────────────────────────────────────────────────────────────────────────

    def create(self, order: CreateMatch, at: int) -> Decided:
        """The first commit of a match, and the match after it.

        Raises :class:`~referee.core.game.BadOptions` for options that cannot be played (or a
        number of seats, or of entropies, that the game does not take), and
        ``msgspec.ValidationError`` for options of the wrong shape.
        """
        order = self._completed(order)
        announced = folds.announced(order)
        match = folds.created(announced, at, self.game, order.options)
        chance = self._chance(match)
        by = Asker("organizer", None, at)
        story = stories.by_the_game(match, self.game.deal(match.state, by, chance))
        dealt, match = self._tell(match, story, at, None)
        return self._sealed(match, chance, _Asked(by, order, None, 0), (announced, *dealt))

    def _completed(self, order: CreateMatch) -> CreateMatch:
        """The order with all defaults filled in, and its hex digits as draws spell them."""
        seats = len(order.seats)
        errors = _seat_errors(self.game.players, seats, len(order.entropy))
        if errors:
            raise BadOptions(errors)
        options = msgspec.convert(
            order.options, self.game.options, strict=True, from_attributes=True
        )
        return replace(
            order,
            options=self.game.complete(options, seats),
            entropy=tuple(map(str.lower, order.entropy)),
            seed=order.seed.lower(),
        )

    def decide(
        self,
        match: Match,
        by: Asker,
        command: Command,
        *,
        key: str | None = None,
        past: Match | None = None,
    ) -> Decided:
        """Judge a command and let it happen: the next commit, and the match after it.

        ``by.at`` must not be before ``match.at``; ``past`` is the match at the version to which
        a take-back goes (:class:`~referee.core.table.NeedsHistory` asks for it). Raises what
        :meth:`judge` raises.
        """
        self.judge(match, by, command)
        chance, asked = self._chance(match), _Asked(by, command, key, match.draws)
        if type(command) in self._of_game and match.clock is None and not _offers(match):
            return self._decide_plainly(match, chance, asked)
        begun = self._begun(match, by.at, command)
        story = self._story(begun, At(self.game, by, chance, past), command)
        events, after = self._tell(begun, story, by.at, past)
        if type(command) in self._of_game:
            after = _with_increment(after, by)
        return self._sealed(after, chance, asked, tuple(events))

    def _decide_plainly(self, match: Match, chance: Chance, asked: _Asked) -> Decided:
        """A game command where nothing of the table can follow but the end: the common case."""
        by, command = asked.by, asked.command
        decide = self._of_game[type(command)].decide
        events, state = play(match.state, decide(match.state, by, command, chance), self.game)
        after = replace(match, state=state, draws=chance.draws, at=by.at)
        if self.game.outcome(state) is not None:
            ending, after = self._tell(after, stories.ending(self.game, after), by.at, None)
            events += ending
        return self._sealed(after, chance, asked, tuple(events))

    def _story(self, match: Match, at: At, command: Command) -> MatchSteps:
        if type(command) in self._of_table:
            return self._of_table[type(command)].decide(match, at, command)
        return self._game_story(match, at, command)

    def _game_story(self, match: Match, at: At, command: Command) -> MatchSteps:
        decide = self._of_game[type(command)].decide
        owed_before = match.owed
        story = decide(match.state, at.by, command, at.chance)
        match = yield from stories.by_the_game(match, story)
        match = yield from stories.ending(self.game, match)
        return (yield from stories.lapses(match, at.by.seat, owed_before, self.game))

    def _tell(
        self, match: Match, story: MatchSteps, at: int, past: Match | None
    ) -> tuple[list[Event], Match]:
        events: list[Event] = []
        try:
            event = next(story)
            while True:
                events.append(event)
                match = self._evolve(match, event, at, past)
                event = story.send(match)
        except StopIteration as told:
            return events, match if told.value is None else told.value

    def _chance(self, match: Match) -> Chance:
        setting = match.setting
        return Chance(setting.seed, setting.match, setting.entropy, match.draws)

    def _sealed(
        self, match: Match, chance: Chance, asked: _Asked, events: tuple[Event, ...]
    ) -> Decided:
        if chance.draws != match.draws:
            message = f"{_tag(asked.command)} drew {chance.draws} numbers, its events {match.draws}"
            raise AssertionError(message)
        by = asked.by
        commit = Commit(
            match.version + 1, by.at, str(by), asked.key, asked.command, events, match.head
        )
        data = _PACK.encode(commit)
        drew = chance.draws > asked.drawn_before
        return Decided(self._after(match, commit, data, drew=drew), data, events)

    # ── Folding ─────────────────────────────────────────────────────────────────────────────

    def fold(self, match: Match | None, data: bytes, *, past: Match | None = None) -> Match:
        """The match after one more commit of its log; None stands before the first.

        Raises :class:`BadLog` where the commit does not follow, or is unknown to these rules;
        :class:`~referee.core.table.NeedsHistory` where it goes back and ``past`` is not given.
        """
        commit = self.read_commit(data)
        try:
            return self._folded(match, commit, data, past)
        except _UNFIT as error:
            if isinstance(error, (BadLog, NeedsHistory)):
                raise
            message = f"commit {commit.v} does not fit the match before it: {error!r}"
            raise BadLog(message) from error

    def _folded(
        self, match: Match | None, commit: Commit[Any, Any], data: bytes, past: Match | None
    ) -> Match:
        events = commit.ev
        if match is None:
            match, events = self._first(commit)
        if commit.v != match.version + 1 or commit.prev != match.head:
            message = f"commit {commit.v} does not follow commit {match.version}"
            raise BadLog(message)
        drawn_before = match.draws
        match = self._begun(match, commit.at, commit.cmd)
        for event in events:
            match = self._evolve(match, event, commit.at, past)
        if type(commit.cmd) in self._of_game:
            match = _with_increment(match, read_asker(commit.by, commit.at))
        drew = match.draws > drawn_before
        return self._after(match, commit, data, drew=drew)

    def _first(self, commit: Commit[Any, Any]) -> tuple[Match, tuple[Event, ...]]:
        if not commit.ev or not isinstance(commit.ev[0], MatchCreated):
            message = "the first commit does not create a match"
            raise BadLog(message)
        announced = commit.ev[0]
        options = msgspec.convert(announced.options, self.game.options)
        return folds.created(announced, commit.at, self.game, options), commit.ev[1:]

    def _begun(self, match: Match, at: int, command: Command) -> Match:
        face = match.clock
        if face is None:
            return replace(match, at=at)
        running = match.owed if match.status == "active" else ()
        charged = clock.spend(face, running, at, folds.excused_ms(command))
        return replace(match, at=at, clock=charged)

    def _evolve(self, match: Match, event: Event, at: int, past: Match | None) -> Match:
        fold = self.game.events.get(type(event))
        if fold is not None:
            draws = match.draws + self.game.draws(match.state, event)
            return replace(match, state=fold(match.state, event), draws=draws)
        if type(event) is TakenBack:
            if past is None or past.version != event.to:
                raise NeedsHistory(event.to)
            return folds.gone_back(match, past, at, self.game)
        return folds.TABLE_EVENTS[type(event)](match, event, self.game)

    def _after(self, match: Match, commit: Commit[Any, Any], data: bytes, *, drew: bool) -> Match:
        """The match with its new commit counted in: what is the same for decided and folded."""
        version, state = match.version + 1, self.game.stamped(match.state, match.at)
        told = drew or any(map(self.game.reveals, commit.ev))
        return replace(
            match,
            version=version,
            head=head_after(match.head, data),
            state=state,
            keys=match.keys + _key_mark(commit),
            owed=() if match.over else self.game.to_act(state),
            revealed=version if told else match.revealed,
        )

    # ── Showing ─────────────────────────────────────────────────────────────────────────────

    def view(self, match: Match, viewer: Viewer) -> dict[str, Any]:
        """The match as one viewer may see it: the object of ``GET /v1/matches/{match}``."""
        setting = match.setting
        knows_seed = match.seed_revealed or viewer.role == "organizer"
        view: dict[str, Any] = {
            "match": setting.match,
            "game": self.game.id,
            "ruleset": setting.ruleset,
            "version": match.version,
            "status": match.status,
            "viewer": str(viewer),
            "options": setting.options,
            "seats": [
                SeatView(number, seat.name, seat.withdrawn)
                for number, seat in enumerate(match.seats)
            ],
            "to_act": match.owed,
            "deadline": self.deadline(match),
            "state": redact(match.state, Scope(viewer, match.state, match.over)),
            "result": match.result,
            "seed_commitment": commitment(setting.seed),
            "seed": setting.seed.hex() if knows_seed else None,
            "head": match.head.hex(),
        }
        return view | _extras(match)

    def seen(
        self, version: int, at: int, events: Iterable[Event], viewer: Viewer
    ) -> list[dict[str, Any]]:
        """A commit's events as one viewer may see them, each with its place in the log."""
        scope = Scope(viewer)
        return [
            {"version": version, "index": index, "at": at} | _as_map(redact(event, scope))
            for index, event in enumerate(events)
        ]

    def deadline(self, match: Match) -> int | None:
        """When, in Unix ms, something is due without anybody's command; None for never."""
        if match.status != "active":
            return None
        due = [self.game.deadline(match.state)]
        if match.clock is not None:
            due.append(clock.first_flag(match.clock, match.owed))
        return min((at for at in due if at is not None), default=None)

    def overdue(self, match: Match, at: int) -> Command | None:
        """The command that the service owes the match at ``at``, Unix ms, or None."""
        if match.status != "active":
            return None
        game_deadline = self.game.deadline(match.state)
        if game_deadline is not None and game_deadline <= at:
            return self.game.overdue(match.state)
        face = match.clock
        if face is not None:
            for seat in match.owed:
                if not face.flagged[seat] and clock.left_at(face, seat, match.owed, at) <= 0:
                    return ClaimTimeout(seat)
        return None


def key_version(match: Match, by: Asker, key: str) -> int | None:
    """The version that ``by`` was answered with this idempotency key, or None.

    Eight bytes of a digest stand for each key: compare the commit's own key before use.
    """
    digest = _key_digest(str(by), key)
    at = match.keys.find(digest)
    while at > 0 and at % KEY_BYTES:
        at = match.keys.find(digest, at + 1)
    return None if at < 0 else at // KEY_BYTES + 1


def _key_mark(commit: Commit[Any, Any]) -> bytes:
    return _NO_KEY if commit.key is None else _key_digest(commit.by, commit.key)


def _key_digest(by: str, key: str) -> bytes:
    return hashlib.sha256(f"{by}|{key}".encode()).digest()[:KEY_BYTES]


def _offers(match: Match) -> bool:
    return match.draw is not None or match.takeback is not None


def _with_increment(match: Match, by: Asker) -> Match:
    setting = match.setting.clock
    if match.clock is None or setting is None or by.seat is None or match.over:
        return match
    return replace(match, clock=clock.add(match.clock, by.seat, setting.increment_s * clock.SECOND))


def _extras(match: Match) -> dict[str, Any]:
    """What only some matches have to show: a clock, offers on the table."""
    extras: dict[str, Any] = {}
    setting, face = match.setting.clock, match.clock
    if setting is not None and face is not None:
        extras["clock"] = ClockView(
            setting.base_s,
            setting.increment_s,
            setting.on_flag,
            face.left,
            face.flagged,
            match.owed if match.status == "active" else (),
            face.read_at,
        )
    if match.draw is not None:
        extras["draw_offer"] = {"seat": match.draw.seat, "accepted": match.draw.accepted}
    if match.takeback is not None:
        asked = match.takeback
        extras["takeback"] = {"seat": asked.seat, "to": asked.to, "accepted": asked.accepted}
    return extras


def _as_map(event: Event | dict[str, Any]) -> dict[str, Any]:
    if isinstance(event, dict):
        return event
    as_map: dict[str, Any] = msgspec.to_builtins(event)
    return as_map


def _tag_of(command: type[Command]) -> str:
    return str(command.__struct_config__.tag)


def _tag(command: Command) -> str:
    return _tag_of(type(command))


def _seat_errors(players: tuple[int, int], seats: int, entropies: int) -> list[tuple[str, str]]:
    errors: list[tuple[str, str]] = []
    fewest, most = players
    if not fewest <= seats <= most:
        errors.append(("seats", f"must be {fewest} to {most} of them, not {seats}"))
    if entropies != seats:
        errors.append(("entropy", f"must be one a seat, {seats}, not {entropies}"))
    return errors


# The table's admission to a game command, judged before the game's own rulings.


def _asks_from_a_seat(match: Match, by: Asker, _command: Command) -> str | None:
    if by.seat is None:
        return "This command is a seat's, and no seat was named."
    if not 0 <= by.seat < len(match.seats):
        return f"There is no seat {by.seat}: the seats are 0 to {len(match.seats) - 1}."
    return None


def _asks_still_in(match: Match, by: Asker, _command: Command) -> str | None:
    if by.seat is not None and match.seats[by.seat].withdrawn:
        return f"Seat {by.seat} has withdrawn from the match."
    return None


def _asks_in_turn(match: Match, by: Asker, _command: Command) -> str | None:
    if by.seat in match.owed:
        return None
    owed = ", ".join(map(str, match.owed)) or "nobody"
    return f"Seat {by.seat} is not to act now: {owed} is."
