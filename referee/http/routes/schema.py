"""The routes of the API's description: for programs, and as a page for people."""

from functools import cache
from typing import Any, Final

import msgspec
from litestar import Litestar, Response, get
from litestar.di import NamedDependency

from referee.catalogue import Catalogue
from referee.http.context import DEPENDENCIES, Site
from referee.http.negotiation import JSON
from referee.http.openapi import Description
from referee.http.routes import games, matches, operations, pages, play
from referee.http.routes.schema_page import HEADERS, page
from referee.slicing import aside

DESCRIBED: Final[list[Any]] = [
    games.ROUTES, matches.ROUTES, pages.ROUTES, play.ROUTES, operations.ROUTES,
]  # fmt: skip
"""The routes that are the API."""


def document(catalogue: Catalogue) -> dict[str, Any]:
    """The OpenAPI document of the API by which these games are played."""
    description = Description()
    app = Litestar(
        DESCRIBED,
        dependencies=DEPENDENCIES,
        plugins=[description],
        openapi_config=description.CONFIG,
        logging_config=None,
    )
    return description.finish(app.openapi_schema.to_schema(), catalogue)


@cache
def _made(catalogue: Catalogue) -> tuple[bytes, bytes]:
    found = document(catalogue)
    return msgspec.json.encode(found), page(found).encode()


@get("/schema/openapi.json", include_in_schema=False)
async def openapi(site: NamedDependency[Site]) -> Response[bytes]:
    """The OpenAPI document."""
    data, _ = await aside(_made, site.service.catalogue)
    return Response(data, media_type=JSON)


@get("/schema", include_in_schema=False)
async def schema_page(site: NamedDependency[Site]) -> Response[bytes]:
    """The page that shows it."""
    _, html = await aside(_made, site.service.catalogue)
    return Response(html, media_type="text/html", headers=HEADERS)


ROUTES: Final[list[Any]] = [openapi, schema_page]
