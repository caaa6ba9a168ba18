"""The routes of a match as people see it, and of whether it holds: board, report, verdict."""

from typing import Annotated, Final

import msgspec
from litestar import Response, Router, get
from litestar.datastructures import ResponseHeader
from litestar.di import NamedDependency
from litestar.openapi import ResponseSpec
from litestar.params import HeaderParameter, QueryParameter

from referee.core.told import drawn
from referee.http.context import Site
from referee.http.negotiation import none_match, tag_of
from referee.http.openapi import problems
from referee.http.parameters import FAR, MatchId
from referee.http.reports import Judgement, judged, reported
from referee.http.responses import PRIVATE
from referee.http.tokens import Tokens
from referee.report.page import policy
from referee.service import Bearer
from referee.service.errors import Unauthorized

SVG: Final = "image/svg+xml"
FRAMED: Final = {
    # Anybody may frame it, so that it can do nothing: no script, no link, no other host.
    "Content-Security-Policy": "sandbox; default-src 'none'; style-src 'unsafe-inline'; "
    "img-src data:",
    "Referrer-Policy": "no-referrer",
}
"""The headers of what other pages may embed."""

AccessToken = Annotated[
    str | None,
    QueryParameter(
        description="A spectator's token: what a page embeds is asked for without headers. "
        "No other token is taken here: addresses are kept and shown."
    ),
]


def watcher(tokens: Tokens, visitor: Bearer | None, access_token: str | None) -> Bearer | None:
    """Who looks: whom the header names, else the spectator of `?access_token=`.

    Raises:
        Unauthorized: the token is not good, or not a spectator's.
    """
    if visitor is not None or access_token is None:
        return visitor
    bearer = tokens.must(b"Bearer " + access_token.encode("utf-8", "replace"))
    if bearer.role != "spectator":
        raise Unauthorized("In an address only a spectator's token is taken.")
    return bearer


@get(
    "/v1/matches/{match:str}/board.svg",
    media_type=SVG,
    response_headers=[
        ResponseHeader(name="ETag", documentation_only=True, description="As of the match itself.")
    ],
    responses={304: ResponseSpec(None, description="The client has this version.")},
)
async def get_board(
    site: NamedDependency[Site],
    visitor: NamedDependency[Bearer | None],
    match: MatchId,
    at: Annotated[
        int | None,
        QueryParameter(
            description="The board as it stood after this commit.",
            schema_extra={"minimum": 1, "maximum": FAR},
        ),
    ] = None,
    access_token: AccessToken = None,
    if_none_match: Annotated[
        str | None,
        HeaderParameter(
            name="If-None-Match",
            description="Tags, or bare versions, that the client has: 304 if it is one of them.",
        ),
    ] = None,
) -> Response[str]:
    """The board, drawn as the bearer may see it, to be embedded by other pages."""
    seen = await site.service.view(match, watcher(site.tokens, visitor, access_token), at)
    headers = {"ETag": tag_of(seen.version, seen.head), **PRIVATE, **FRAMED}
    if none_match(if_none_match, seen.version, seen.head):
        return Response("", status_code=304, headers=headers)
    game = site.service.catalogue.rules(seen.ruleset).game
    return Response(drawn.svg(game, msgspec.to_builtins(seen)), media_type=SVG, headers=headers)


@get(
    "/v1/matches/{match:str}/report",
    media_type="text/html",
    responses=problems(403, 429),
)
async def get_report(
    site: NamedDependency[Site],
    visitor: NamedDependency[Bearer | None],
    match: MatchId,
    access_token: AccessToken = None,
) -> Response[str]:
    """The match as a page for people, with its verdict: for whoever may read the log.

    Drawn as the bearer may see it; one at a time a process.
    """
    html = await reported(site, match, watcher(site.tokens, visitor, access_token))
    own = {"Content-Security-Policy": f"sandbox allow-scripts; {policy()}"}
    return Response(html, media_type="text/html", headers={**PRIVATE, **FRAMED, **own})


@get("/v1/matches/{match:str}/verdict", response_headers=PRIVATE, responses=problems(403, 429))
async def get_verdict(
    site: NamedDependency[Site], visitor: NamedDependency[Bearer | None], match: MatchId
) -> Judgement:
    """Whether the match's log holds, as `replay verify --json` says it.

    For whoever may read the log; one at a time a process.
    """
    return await judged(site, match, visitor)


ROUTES: Final = Router("/", route_handlers=[get_board, get_report, get_verdict], tags=["matches"])
