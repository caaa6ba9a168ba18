"""What every request handler has at hand."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, field
from typing import Any

from litestar import Request

from referee.http.live import Live
from referee.http.metrics import Metrics
from referee.http.tokens import Tokens
from referee.service import Service

AnyRequest = Request[Any, Any, Any]


@dataclass(slots=True)
class Site:
    """The service and what goes with it over HTTP.

    ``draining`` is set when the process is told to stop: whoever serves an endless stream ends
    it then. ``live`` are the streams that are open.
    """

    service: Service
    tokens: Tokens
    metrics: Metrics
    draining: asyncio.Event = field(default_factory=asyncio.Event)
    live: Live = field(init=False)

    def __post_init__(self) -> None:
        """Have streams of this site's service."""
        self.live = Live(self.service, self.metrics, self.draining)


def site_of(request: AnyRequest) -> Site:
    """The site that a request came to."""
    site: Site = request.app.state.site
    return site
