"""The routes of matches, but the one that takes commands."""

from __future__ import annotations

from typing import Any, get_args

from litestar import HttpMethod, Response, get, post, route
from litestar.params import FromPath
from msgspec import Struct

from referee.core.match import Status
from referee.http.context import AnyRequest, Site, site_of
from referee.http.negotiation import Headers, Query, accepts, headers_of, none_match, read_body
from referee.http.responses import Answer, answer, bearer_of, file_answer, known_bearer
from referee.http.streams.places import holder_of, place_in
from referee.http.streams.sse import BEGINNING, EVENT_STREAM, EventStream
from referee.http.tokens import Tokens
from referee.http.trace import current
from referee.service import Bearer
from referee.service.answers import Created, Judged, RefusedCommand
from referee.service.errors import BadRequest, Fault, UnknownThing

MATCH_FILE = "application/octet-stream"
PAGE = 50
LARGEST_PAGE = 500
EVENTS = 100
LARGEST_EVENTS = 500
FAR = 10**18

# What a match shows depends on who looks, and may be another thing the next moment.
_PRIVATE = {"Cache-Control": "private, no-cache", "Vary": "Authorization, Accept"}


class SeatToken(Struct, frozen=True):
    """A seat of a new match, with its token."""

    seat: int
    name: str
    token: str


class NewMatchAnswer(Struct, frozen=True):
    """The answer to the creation of a match."""

    match: str
    game: str
    ruleset: str
    version: int
    seats: list[SeatToken]
    spectator_token: str
    seed_commitment: str
    head: str


class NewToken(Struct, frozen=True):
    """A seat's new token; every older one is dead from ``version`` on."""

    match: str
    seat: int
    version: int
    token: str


class Refusals(Struct, frozen=True):
    """The refused commands of a match, newest last."""

    refusals: list[RefusedCommand]


@route("/v1/matches", http_method=[HttpMethod.GET, HttpMethod.POST], status_code=200)
async def all_matches(request: AnyRequest) -> Answer:
    """Create a match, or page through those there are.

    One handler, so that the framework's answer to OPTIONS names both methods.
    """
    return await (_create(request) if request.method == "POST" else _page(request))


async def _create(request: AnyRequest) -> Answer:
    site, headers = site_of(request), headers_of(request.scope["headers"])
    bearer = known_bearer(request)
    body = await read_body(headers, request.receive)
    created = await site.service.create(bearer, body)
    trace = current()
    trace.match, trace.version = created.match, created.version
    place = {"Location": f"/v1/matches/{created.match}", "Cache-Control": "no-store"}
    return answer(request, _with_tokens(created, site.tokens), status=201, headers=place)


async def _page(request: AnyRequest) -> Answer:
    bearer, query = known_bearer(request), Query(request.scope["query_string"])
    status: Any = query.text("status")
    if status not in (None, *get_args(Status)):
        raise _bad("status", f"must be one of {', '.join(get_args(Status))}")
    found = await site_of(request).service.matches(
        bearer,
        game=query.text("game"),
        tournament=query.text("tournament"),
        status=status,
        cursor=query.text("cursor"),
        limit=query.within("limit", 1, LARGEST_PAGE, PAGE),
    )
    return answer(request, found, headers=_PRIVATE)


def _with_tokens(created: Created, tokens: Tokens) -> NewMatchAnswer:
    seats = [
        SeatToken(seat, name, tokens.issue(Bearer("seat", created.match, seat)))
        for seat, name in enumerate(created.seats)
    ]
    return NewMatchAnswer(
        match=created.match,
        game=created.game,
        ruleset=created.ruleset,
        version=created.version,
        seats=seats,
        spectator_token=tokens.issue(Bearer("spectator", created.match)),
        seed_commitment=created.seed_commitment,
        head=created.head.hex(),
    )


def _bad(name: str, message: str) -> BadRequest:
    fault: Fault = (name, message)
    return BadRequest("A parameter is not what it may be.", [fault])


@get("/v1/matches/{match:str}")
async def view(request: AnyRequest, match: FromPath[str]) -> Response[Any]:
    """The match as the bearer may see it, now or at an earlier version."""
    current().match = match
    headers = headers_of(request.scope["headers"])
    bearer = bearer_of(request)
    at = Query(request.scope["query_string"]).integer("at")
    seen = await site_of(request).service.view(match, bearer, at)
    current().version = seen.version
    tagged = {"ETag": f'"{seen.version}"', **_PRIVATE}
    if none_match(headers, seen.version):
        return Response(b"", status_code=304, headers=tagged)
    return answer(request, seen, headers=tagged)


@get("/v1/matches/{match:str}/legal")
async def legal(request: AnyRequest, match: FromPath[str]) -> Answer:
    """Every legal command of the bearer's seat."""
    current().match = match
    bearer = known_bearer(request)
    seat = Query(request.scope["query_string"]).integer("seat")
    found = await site_of(request).service.legal(match, bearer, seat)
    current().version = found.version
    return answer(request, found, headers=_PRIVATE)


@post("/v1/matches/{match:str}/check", status_code=200)
async def check(request: AnyRequest, match: FromPath[str]) -> Answer:
    """Judge a command without taking it."""
    current().match = match
    headers = headers_of(request.scope["headers"])
    bearer = known_bearer(request)
    seat = Query(request.scope["query_string"]).integer("seat")
    body = await read_body(headers, request.receive)
    await site_of(request).service.check(match, bearer, body, seat=seat)
    return answer(request, Judged())


@get("/v1/matches/{match:str}/events")
async def events(request: AnyRequest, match: FromPath[str]) -> Response[Any]:
    """Events after a version, or a live stream of them."""
    current().match = match
    site, headers = site_of(request), headers_of(request.scope["headers"])
    query = Query(request.scope["query_string"])
    if accepts(headers, EVENT_STREAM.encode()):
        return await _stream(site, match, headers, query)
    bearer = bearer_of(request)
    after = query.within("after", 0, FAR, 0)
    limit = query.within("limit", 1, LARGEST_EVENTS, EVENTS)
    seen = await site.service.events(match, bearer, after, limit)
    return answer(request, seen, headers=_PRIVATE)


async def _stream(site: Site, match: str, headers: Headers, query: Query) -> EventStream:
    place, holder = place_in(headers, query), holder_of(site.tokens, headers, query)
    bearer, until = (None, None) if holder is None else (holder.bearer, holder.expires)
    current().seat = None if bearer is None else bearer.seat
    follower = await site.following.follow(match, bearer, place or BEGINNING, until=until)
    return EventStream(site.following, follower, resumed=b"last-event-id" in headers)


@get("/v1/matches/{match:str}/log")
async def log(request: AnyRequest, match: FromPath[str]) -> Answer:
    """The match file."""
    current().match = match
    data = await site_of(request).service.log(match, bearer_of(request))
    name = {"Content-Disposition": f'attachment; filename="{match}.match"', **_PRIVATE}
    return file_answer(data, MATCH_FILE, name)


@get("/v1/matches/{match:str}/refusals")
async def refusals(request: AnyRequest, match: FromPath[str]) -> Answer:
    """The refused commands of the match."""
    current().match = match
    found = await site_of(request).service.refusals(match, known_bearer(request))
    return answer(request, Refusals(found), headers=_PRIVATE)


@post("/v1/matches/{match:str}/seats/{seat:str}/token", status_code=200)
async def new_token(request: AnyRequest, match: FromPath[str], seat: FromPath[str]) -> Answer:
    """A new token for a seat; those it had are dead at once."""
    current().match = match
    bearer = known_bearer(request)
    site = site_of(request)
    if not (seat.isascii() and seat.isdecimal() and len(seat) < 4):  # noqa: PLR2004 - digits
        raise UnknownThing(f"There is no seat {seat!r}.")
    made = await site.service.reissue_token(match, bearer, int(seat))
    current().version = made.version
    token = site.tokens.issue(Bearer("seat", match, made.seat, made.generation))
    new = NewToken(match, made.seat, made.version, token)
    return answer(request, new, headers={"Cache-Control": "no-store"})


ROUTES = [all_matches, view, legal, check, events, log, refusals, new_token]
