"""The application: every route on one site, behind the front door."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Callable, Sequence
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from typing import TYPE_CHECKING, Any

from litestar import Litestar
from litestar.datastructures import State

from referee.http.context import Site
from referee.http.metrics import Metrics
from referee.http.middleware import Front
from referee.http.responses import on_error
from referee.http.routes import games, matches, operations, schema

if TYPE_CHECKING:
    from litestar.types import ControllerRouterHandler

OpenSite = Callable[[Metrics], AbstractAsyncContextManager[Site]]
"""Opens what the routes work with, in the event loop that will serve, and closes it again."""


def create_app(open_site: OpenSite, more: Sequence[ControllerRouterHandler] = ()) -> Front:
    """The ASGI application.

    ``more``: further route handlers; they find the site as ``request.app.state.site``.
    """
    metrics = Metrics()

    @asynccontextmanager
    async def lifespan(app: Litestar) -> AsyncGenerator[None]:
        async with open_site(metrics) as site:
            app.state.site = front.site = site
            metrics.watch_residents(lambda: site.service.residents)
            yield
            await site.service.settle()

    routes: list[Any] = [
        *matches.ROUTES,
        *games.ROUTES,
        *operations.ROUTES,
        *schema.ROUTES,
        *more,
    ]
    app = Litestar(
        routes,
        lifespan=[lifespan],
        exception_handlers={Exception: on_error},
        openapi_config=None,
        logging_config=None,
        state=State(),
    )
    front = Front(app, metrics)
    return front
