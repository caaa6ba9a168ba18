"""The application: every route, what they depend on, and the middleware around them."""

from collections.abc import AsyncGenerator, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager

from litestar import Litestar
from litestar.datastructures import State

from referee.http import problems
from referee.http.context import DEPENDENCIES, Site, judge_where_nobody_is_asked
from referee.http.metrics import Metrics
from referee.http.middleware import Middleware
from referee.http.responses import Answer
from referee.http.routes import desk, schema
from referee.http.tracing import Spans

OpenSite = Callable[[Metrics], AbstractAsyncContextManager[Site]]
"""Opens what the routes work with, in the event loop that will serve, and closes it again."""


def create_app(
    open_site: OpenSite, *, metrics_apart: bool = False, spans: Spans | None = None
) -> Middleware:
    """The ASGI application, whose metrics may have a port of their own."""
    metrics = Metrics(apart=metrics_apart)

    @asynccontextmanager
    async def lifespan(app: Litestar) -> AsyncGenerator[None]:
        async with open_site(metrics) as site:
            app.state.site = served.site = site
            metrics.watch_residents(lambda: site.service.residents)
            yield
            await site.service.settle()
        if spans is not None:
            spans.close()

    app = Litestar(
        [*schema.DESCRIBED, *schema.ROUTES, desk.ROUTES],
        lifespan=[lifespan],
        dependencies=DEPENDENCIES,
        guards=[judge_where_nobody_is_asked],
        response_class=Answer,
        plugins=[problems.PLUGIN],
        openapi_config=None,
        logging_config=None,
        state=State(),
    )
    served = Middleware(app, metrics, spans)
    return served
