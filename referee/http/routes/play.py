"""The routes of playing.

Commands are taken by `fast_routes`, before the framework sees them: `send_command` is what
describes that route to the API's document, and what tests hold the faster way against.
"""

from typing import Annotated, Final

from litestar import Router, get, post
from litestar.di import NamedDependency
from litestar.params import HeaderParameter, QueryParameter

from referee.core.patterns import KEY
from referee.http.context import Holds, Site
from referee.http.negotiation import idempotency_key, if_match
from referee.http.openapi import problems
from referee.http.parameters import FAR, IfMatch, MatchId
from referee.http.responses import NO_STORE
from referee.service import Bearer, Body
from referee.service.answers import Accepted, Judged, LegalCommands

ForSeat = Annotated[
    int | None,
    QueryParameter(
        description="For an organizer: the seat to act for. A seat may name itself.",
        schema_extra={"minimum": 0, "maximum": FAR},
    ),
]
Command = Annotated[Body, Holds("Command")]


@get("/v1/matches/{match:str}/legal", response_headers=NO_STORE, responses=problems(422))
async def list_legal_commands(
    site: NamedDependency[Site],
    bearer: NamedDependency[Bearer],
    match: MatchId,
    seat: ForSeat = None,
) -> LegalCommands:
    """Every legal command of the bearer's seat, or of the one an organizer acts for."""
    return await site.service.legal(match, bearer, seat)


@post("/v1/matches/{match:str}/commands", status_code=200, responses=problems(409, 412, 422, 429))
async def send_command(
    site: NamedDependency[Site],
    bearer: NamedDependency[Bearer],
    sent: NamedDependency[Command],
    match: MatchId,
    seat: ForSeat = None,
    if_match_: IfMatch = None,
    key: Annotated[
        str | None,
        HeaderParameter(
            name="Idempotency-Key",
            description="A repeat with the same key and body gets the first answer again, and is "
            "not taken twice.",
            schema_extra={"pattern": f"^{KEY.pattern}$"},
        ),
    ] = None,
) -> Accepted:
    """Send a command. What breaks a ruling is refused (422), and nothing is recorded."""
    return await site.service.command(
        match, bearer, sent, seat=seat, expected=if_match(if_match_), key=idempotency_key(key)
    )


@post("/v1/matches/{match:str}/check", status_code=200, responses=problems(409, 412, 422, 429))
async def check_command(
    site: NamedDependency[Site],
    bearer: NamedDependency[Bearer],
    sent: NamedDependency[Command],
    match: MatchId,
    seat: ForSeat = None,
    if_match_: IfMatch = None,
) -> Judged:
    """Judge a command without taking it."""
    await site.service.check(match, bearer, sent, seat=seat, expected=if_match(if_match_))
    return Judged()


ROUTES: Final = Router(
    "/", route_handlers=[list_legal_commands, send_command, check_command], tags=["play"]
)
