"""The routes of the API's description: for programs, and as a page for people."""

from __future__ import annotations

from functools import cache

import msgspec
from litestar import get

from referee.catalogue import Catalogue
from referee.http.context import AnyRequest, site_of
from referee.http.negotiation import JSON
from referee.http.openapi import document
from referee.http.responses import Answer, file_answer
from referee.http.routes.schema_page import HEADERS, page


@cache
def _described(catalogue: Catalogue) -> tuple[bytes, bytes]:
    found = document(catalogue)
    return msgspec.json.encode(found), page(found).encode()


@get("/schema/openapi.json")
async def openapi(request: AnyRequest) -> Answer:
    """The OpenAPI document."""
    return file_answer(_described(site_of(request).service.catalogue)[0], JSON)


@get("/schema")
async def schema_page(request: AnyRequest) -> Answer:
    """The page that shows it."""
    html = _described(site_of(request).service.catalogue)[1]
    return file_answer(html, "text/html", HEADERS)


ROUTES = [openapi, schema_page]
