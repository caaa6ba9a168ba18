"""The routes of matches: creating, watching and auditing them."""

from typing import Annotated, Final, Literal

from litestar import Response, Router, get, post
from litestar.datastructures import ResponseHeader
from litestar.di import NamedDependency
from litestar.openapi import ResponseSpec
from litestar.params import HeaderParameter, PathParameter, QueryParameter
from litestar.response import Stream
from msgspec import Struct

from referee.core.match import Status
from referee.core.patterns import KEY, MATCH_ID
from referee.core.randomness import commitment
from referee.core.views import MatchView
from referee.http.context import Holds, Site
from referee.http.negotiation import (
    PLACE,
    idempotency_key,
    if_match,
    none_match,
    tag_of,
)
from referee.http.openapi import problems
from referee.http.parameters import FAR, IfMatch, MatchId, whole
from referee.http.responses import MATCHES, NO_STORE, PRIVATE, Answer
from referee.http.tokens import Tokens
from referee.service import Bearer, Body
from referee.service.answers import (
    Created,
    Page,
    RefusedCommand,
    SeenEvents,
)
from referee.service.errors import BadRequest
from referee.service.lists import Wanted

MATCH_FILE: Final = "application/octet-stream"


class SeatToken(Struct, frozen=True):
    """A seat of a new match, with its token."""

    seat: int
    name: str
    token: str


class CreatedMatch(Struct, frozen=True):
    """The answer to the creation of a match."""

    match: str
    game: str
    ruleset: str
    version: int
    seats: list[SeatToken]
    spectator_token: str
    seed_commitment: str
    head: str

    @property
    def path(self) -> str:
        """Where it is found."""
        return f"{MATCHES}/{self.match}"


class NewToken(Struct, frozen=True):
    """A seat's new token; every older one is dead from `version` on."""

    match: str
    seat: int
    version: int
    token: str


class Refusals(Struct, frozen=True):
    """The refused commands of a match, newest last."""

    refusals: list[RefusedCommand]


@post(
    "/v1/matches",
    response_headers=[
        ResponseHeader(name="Location", documentation_only=True, description="The match's path.")
    ],
    responses=problems(404, 409, 422),
)
async def create_match(
    site: NamedDependency[Site],
    bearer: NamedDependency[Bearer],
    sent: NamedDependency[Annotated[Body, Holds("NewMatch")]],
    key: Annotated[
        str | None,
        HeaderParameter(
            name="Idempotency-Key",
            description="The same order with the same key, of whichever organizer, gets the first "
            "answer again for 24 hours, and makes no second match.",
            schema_extra={"pattern": f"^{KEY.pattern}$"},
        ),
    ] = None,
) -> Answer[CreatedMatch]:
    """Create a match. For organizers."""
    made = await new_match(site, bearer, sent, key)
    return Answer(made, headers={"Location": made.path, **NO_STORE})


async def new_match(site: Site, bearer: Bearer, order: Body, key: str | None) -> CreatedMatch:
    """A match as ordered, with its tokens. Raises what `Service.create` raises."""
    created = await site.service.create(bearer, order, idempotency_key(key))
    return _with_tokens(created, site.tokens)


def _with_tokens(created: Created, tokens: Tokens) -> CreatedMatch:
    match, first, setting = created.match, created.first, created.first.setting
    seats = [
        SeatToken(n, seat.name, tokens.issue(Bearer("seat", match, n, seat.generation)))
        for n, seat in enumerate(created.seats)
    ]
    return CreatedMatch(
        match=match,
        game=setting.game,
        ruleset=setting.ruleset,
        version=first.version,
        seats=seats,
        spectator_token=tokens.issue(Bearer("spectator", match)),
        seed_commitment=commitment(setting.seed),
        head=first.head.hex(),
    )


@get("/v1/matches", response_headers=NO_STORE)
async def list_matches(
    site: NamedDependency[Site],
    bearer: NamedDependency[Bearer],
    game: Annotated[str | None, QueryParameter(description="Only matches of this game.")] = None,
    tournament: Annotated[
        str | None,
        QueryParameter(
            description="Only matches of this tournament, with how they go: a list fit to be asked "
            "for every two seconds."
        ),
    ] = None,
    round: Annotated[  # noqa: A002 - as the parameter is called
        int | None, QueryParameter(ge=1, le=1000, description="Only matches of this round.")
    ] = None,
    status: Annotated[
        Status | None,
        QueryParameter(
            description="Only matches of this status. A page may then be short and still have a "
            "cursor."
        ),
    ] = None,
    archived: Annotated[
        Literal["true", "false"] | None,
        QueryParameter(
            description="Only matches that are in the archive, or are not; without it both."
        ),
    ] = None,
    cursor: Annotated[
        str | None,
        QueryParameter(
            description="The `cursor` of the page before; what it is made of may change.",
            schema_extra={"pattern": rf"^[0-9]{{1,15}}\.{MATCH_ID.pattern}$"},
        ),
    ] = None,
    limit: Annotated[
        int, QueryParameter(ge=1, le=500, description="Matches on the page, at most.")
    ] = 50,
) -> Page:
    """The matches there are, newest first. For organizers.

    `incomplete`, true, says that a part of the store is away, or the archive, and its matches are
    left out.
    """
    kept = None if archived is None else archived == "true"
    wanted = Wanted(game=game, tournament=tournament, round=round, status=status, archived=kept)
    return await site.service.matches(bearer, wanted, cursor=cursor, limit=limit)


@get(
    "/v1/matches/{match:str}",
    response_headers=[
        ResponseHeader(
            name="ETag",
            documentation_only=True,
            description='The version and how the head after it begins: `"7.1f3a9c20d4e5f607"`.',
        )
    ],
    responses={
        304: ResponseSpec(None, description="The client has this version."),
        **problems(412),
    },
)
async def get_match(
    site: NamedDependency[Site],
    visitor: NamedDependency[Bearer | None],
    match: MatchId,
    at: Annotated[
        int | None,
        QueryParameter(
            description="The match as it stood after this commit.",
            schema_extra={"minimum": 1, "maximum": FAR},
        ),
    ] = None,
    if_none_match: Annotated[
        str | None,
        HeaderParameter(
            name="If-None-Match",
            description="Tags, or bare versions, that the client has: 304 if it is one of them.",
        ),
    ] = None,
    if_match_: IfMatch = None,
) -> Answer[MatchView]:
    """The match as the bearer may see it."""
    seen = await site.service.view(match, visitor, at, expected=if_match(if_match_))
    headers = {"ETag": tag_of(seen.version, seen.head), **PRIVATE}
    if none_match(if_none_match, seen.version, seen.head):
        return Answer(None, status_code=304, headers=headers)  # type: ignore[arg-type]
    return Answer(seen, headers=headers)


@get("/v1/matches/{match:str}/events")
async def list_events(
    site: NamedDependency[Site],
    visitor: NamedDependency[Bearer | None],
    match: MatchId,
    after: Annotated[
        str,
        QueryParameter(
            description="The version after which to begin; of a stream also a message's id.",
            schema_extra={"type": "integer", "minimum": 0, "maximum": FAR, "default": 0},
        ),
    ] = "0",
    limit: Annotated[int, QueryParameter(ge=1, le=500, description="Commits, at most.")] = 100,
    access_token: Annotated[  # noqa: ARG001 - of a stream
        str | None,
        QueryParameter(description="The token of a stream: browsers can send no header there."),
    ] = None,
    last_event_id: Annotated[  # noqa: ARG001 - likewise
        str | None,
        HeaderParameter(
            name="Last-Event-ID",
            description="Of a stream: the id of the last message that the client has.",
            schema_extra={"pattern": PLACE.pattern},
        ),
    ] = None,
) -> Answer[SeenEvents]:
    """The events after a version, as the bearer may see them, commit by whole commit.

    With `Accept: text/event-stream` a live stream of them, one message a commit, its data a
    `StreamMessage`: resumed by `Last-Event-ID`, ended after the match, and taking its token from
    `?access_token=` too, for browsers. The same comes over a WebSocket at
    `/v1/matches/{match}/live`, as frames of `SocketMessage`; it takes those of `CommandFrame`.
    """
    seen = await site.service.events(match, visitor, _version(after), limit)
    return Answer(seen, headers=NO_STORE)


def _version(after: str) -> int:
    wrong = whole(after, 0, FAR)
    if wrong is not None:
        raise BadRequest(wrong[0], [("after", wrong[1])])
    return int(after)


@get(
    "/v1/matches/{match:str}/log",
    media_type=MATCH_FILE,
    response_headers=NO_STORE,
    responses=problems(403),
)
async def get_log(
    site: NamedDependency[Site], visitor: NamedDependency[Bearer | None], match: MatchId
) -> Response[bytes]:
    """The match file: the whole log, for `replay`. The organizer's until the match has finished."""
    pieces = await site.service.log(match, visitor)
    name = f'attachment; filename="{match}.match"'
    return Stream(pieces, headers={"Content-Disposition": name})  # type: ignore[return-value]


@get("/v1/matches/{match:str}/refusals", response_headers=NO_STORE)
async def list_refusals(
    site: NamedDependency[Site], bearer: NamedDependency[Bearer], match: MatchId
) -> Refusals:
    """The refused commands of the match. For organizers.

    The last 50 of each seat's, and of organizers'. A command that would make a record of more than
    2 KiB is cut: its `type`, and how it began.
    """
    return Refusals(await site.service.refusals(match, bearer))


@post(
    "/v1/matches/{match:str}/seats/{seat:int}/token",
    status_code=200,
    response_headers=NO_STORE,
    responses=problems(409, 422, 429),
)
async def reissue_token(
    site: NamedDependency[Site],
    bearer: NamedDependency[Bearer],
    match: MatchId,
    seat: Annotated[int, PathParameter(description="The seat.", schema_extra={"minimum": 0})],
) -> NewToken:
    """A new token for a seat; the old ones are dead at once. For organizers."""
    made = await site.service.reissue_token(match, bearer, seat)
    token = site.tokens.issue(Bearer("seat", match, made.seat, made.generation))
    return NewToken(match, made.seat, made.version, token)


ROUTES: Final = Router(
    "/",
    route_handlers=[
        create_match, list_matches, get_match, list_events, get_log, list_refusals, reissue_token,
    ],
    tags=["matches"],
)  # fmt: skip
