"""Views: a match as one viewer may see it."""

from typing import Annotated, Any, Final, Literal

from msgspec import UNSET, Struct, UnsetType

from referee.core.match import RESULT, Call, Match, Result, Status
from referee.core.randomness import commitment
from referee.core.rules import Rules
from referee.core.visibility import Scope, Viewer, meaning, redact


class SeatView(Struct, frozen=True):
    """A seat as everybody sees it."""

    seat: Annotated[int, meaning("Its number, clockwise from 0.", 0)]
    name: Annotated[str, meaning("The player's name.", "Ada")]
    withdrawn: Annotated[bool, meaning("Whether it has left the match.", False)]


class ClockView(Struct, frozen=True):
    """The clock as everybody sees it; a running seat has less by now than it says."""

    base_s: Annotated[int, meaning("Seconds a seat began with.", 300)]
    increment_s: Annotated[int, meaning("Seconds added after each command of its own.", 3)]
    on_flag: Annotated[
        Literal["forfeit", "note"],
        meaning("Whether a fallen flag ends the seat's match, or is only noted.", "forfeit"),
    ]
    left_ms: Annotated[
        tuple[int, ...], meaning("Ms left by seat, as it stood at `read_at`.", [300000, 287500])
    ]
    flagged: Annotated[
        tuple[bool, ...], meaning("By seat, whether its flag has fallen.", [False, False])
    ]
    running: Annotated[tuple[int, ...], meaning("The seats whose clocks run.", [1])]
    read_at: Annotated[int, meaning("When it was read, Unix ms.", 1767225600000)]


class DrawOffer(Struct, frozen=True):
    """A draw that is on offer."""

    seat: Annotated[int, meaning("The seat that offers it.", 0)]
    accepted: Annotated[tuple[int, ...], meaning("The seats that have accepted it.", [2])]


class PendingTakeback(Struct, frozen=True):
    """A take-back that is asked for."""

    seat: Annotated[int, meaning("The seat that asks for it.", 0)]
    to: Annotated[int, meaning("The version to go back to.", 11)]
    accepted: Annotated[tuple[int, ...], meaning("The seats that have accepted it.", [2])]


_CLOCK: Final = {
    "base_s": 300,
    "increment_s": 3,
    "on_flag": "forfeit",
    "left_ms": [300000, 287500],
    "flagged": [False, False],
    "running": [1],
    "read_at": 1767225600000,
}


class MatchView(Struct, frozen=True):
    """A match as one viewer may see it; what is hidden from the viewer is null."""

    match: Annotated[str, meaning("The match's id.", "q7m2x9c4k1v8z5b3n6t0")]
    game: Annotated[str, meaning("The game's id.", "giro-galoppo")]
    ruleset: Annotated[str, meaning("The game's rules, at their version.", "giro-galoppo/1")]
    version: Annotated[int, meaning("How many commits have led here, from 1.", 12)]
    status: Annotated[Status, meaning("Whether it goes on; `void` does not count.", "active")]
    viewer: Annotated[
        str,
        meaning(
            "Who looks: `organizer`, `seat N` or `spectator`.", "organizer", "seat 0", "spectator"
        ),
    ]
    options: Annotated[dict[str, Any], meaning("The game's options, every default filled in.")]
    seats: Annotated[
        tuple[SeatView, ...],
        meaning("The players, by seat.", [{"seat": 0, "name": "Ada", "withdrawn": False}]),
    ]
    to_act: Annotated[
        tuple[int, ...], meaning("The seats that owe a command now, ascending.", [0, 2], [])
    ]
    deadline: Annotated[
        int | None,
        meaning(
            "When the service acts by itself (a flag, a window), Unix ms; or null.",
            1767225600000,
            None,
        ),
    ]
    state: Annotated[
        dict[str, Any] | None,
        meaning("The game's state, what the viewer may not know null; null before the deal."),
    ]
    result: Annotated[
        Result | None,
        meaning("How it ended; null until it has, and where it is void.", None, RESULT),
    ]
    called: Annotated[
        int | None,
        meaning("The seat whose call to the arbiter stands, and pauses the match.", None, 1),
    ]
    seed_commitment: Annotated[
        str, meaning("`sha256:` and the SHA-256 of the seed, in hex.", "sha256:" + "5f" * 32)
    ]
    seed: Annotated[
        str | None, meaning("The seed in hex; null until it is revealed.", "07" * 32, None)
    ]
    head: Annotated[str, meaning("The head of the log at this version, in hex.", "1f" * 32)]
    clock: Annotated[
        ClockView | UnsetType, meaning("The clock, where the match has one.", _CLOCK)
    ] = UNSET
    draw_offer: Annotated[
        DrawOffer | UnsetType,
        meaning("The draw that is on offer, if one is.", {"seat": 0, "accepted": [2]}),
    ] = UNSET
    takeback: Annotated[
        PendingTakeback | UnsetType,
        meaning(
            "The take-back that is asked for, if one is.", {"seat": 0, "to": 11, "accepted": [2]}
        ),
    ] = UNSET
    call: Annotated[
        Call | UnsetType,
        meaning(
            "The call to the arbiter, if one stands: what it says is for its seat and organizers.",
            {"seat": 1, "text": "The dice were rolled twice.", "about": 11},
        ),
    ] = UNSET


def view_of(rules: Rules, match: Match, viewer: Viewer) -> MatchView:
    """The match as one viewer may see it: the object of `GET /v1/matches/{match}`."""
    setting = match.setting
    asked = match.takeback
    knows_seed = match.seed_revealed or viewer.role == "organizer"
    return MatchView(
        match=setting.match,
        game=setting.game,
        ruleset=setting.ruleset,
        version=match.version,
        status=match.status,
        viewer=str(viewer),
        options=setting.options,
        seats=tuple(SeatView(n, seat.name, seat.withdrawn) for n, seat in enumerate(match.seats)),
        to_act=match.owed,
        deadline=rules.deadline(match),
        state=redact(match.state, Scope(viewer, match.state, match.over)) if match.dealt else None,
        result=match.result,
        called=called_by(match),
        seed_commitment=commitment(setting.seed),
        seed=setting.seed.hex() if knows_seed else None,
        head=match.head.hex(),
        clock=clock_view(match),
        draw_offer=DrawOffer(match.draw.seat, match.draw.accepted) if match.draw else UNSET,
        takeback=PendingTakeback(asked.seat, asked.to or 0, asked.accepted) if asked else UNSET,
        call=redact(match.call, Scope(viewer)) if match.call else UNSET,
    )


def called_by(match: Match) -> int | None:
    """The seat whose call to the arbiter stands, if one does."""
    return match.call.seat if match.call else None


def clock_view(match: Match) -> ClockView | UnsetType:
    """The clock of a match, where it has one."""
    setting, face = match.setting.clock, match.clock
    if setting is None or face is None:
        return UNSET
    return ClockView(
        setting.base_s,
        setting.increment_s,
        setting.on_flag,
        tuple(max(0, ms) for ms in face.left),
        face.flagged,
        match.running,
        face.read_at,
    )
