"""The application: every route, what they depend on, and the middleware around them."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from typing import Any

from litestar import Litestar
from litestar.datastructures import State

from referee.catalogue import Catalogue
from referee.http import problems
from referee.http.context import DEPENDENCIES, Site, judge_where_nobody_is_asked
from referee.http.metrics import Metrics
from referee.http.middleware import Middleware
from referee.http.openapi import Description
from referee.http.responses import Answer
from referee.http.routes import games, matches, operations
from referee.http.routes.schema_page import HEADERS, SchemaPage

OpenSite = Callable[[Metrics], AbstractAsyncContextManager[Site]]
"""Opens what the routes work with, in the event loop that will serve, and closes it again."""


def create_app(catalogue: Catalogue, open_site: OpenSite) -> Middleware:
    """The ASGI application by which these games are played."""
    metrics = Metrics()

    @asynccontextmanager
    async def lifespan(app: Litestar) -> AsyncGenerator[None]:
        async with open_site(metrics) as site:
            app.state.site = served.site = site
            metrics.watch_residents(lambda: site.service.residents)
            yield
            await site.service.settle()

    app = _litestar(catalogue, lifespan)
    served = Middleware(app, metrics)
    return served


def document(catalogue: Catalogue) -> dict[str, Any]:
    """The OpenAPI document of the API by which these games are played."""
    return _litestar(catalogue).openapi_schema.to_schema()


def _litestar(catalogue: Catalogue, *lifespan: Any) -> Litestar:
    description = Description(catalogue)
    return Litestar(
        [*matches.ROUTES, *games.ROUTES, *operations.ROUTES],
        lifespan=lifespan,
        dependencies=DEPENDENCIES,
        guards=[judge_where_nobody_is_asked],
        response_class=Answer,
        plugins=[problems.PLUGIN, description],
        openapi_config=description.config(SchemaPage(), HEADERS),
        logging_config=None,
        state=State(),
    )
