"""What every request handler has at hand."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, field
from typing import Any

from litestar import Request

from referee.http.metrics import Metrics
from referee.http.tokens import Tokens
from referee.service import Following, Service

AnyRequest = Request[Any, Any, Any]


@dataclass(slots=True)
class Site:
    """The service and what goes with it over HTTP.

    `draining` is set when the process is told to stop: whoever serves an endless stream ends
    it then. `following` are those who follow matches on open streams.
    """

    service: Service
    tokens: Tokens
    metrics: Metrics
    draining: asyncio.Event = field(default_factory=asyncio.Event)
    following: Following = field(init=False)

    def __post_init__(self) -> None:
        """Let matches of this site's service be followed."""
        self.following = Following(self.service, self.metrics, self.draining)


def site_of(request: AnyRequest) -> Site:
    """The site that a request came to."""
    site: Site = request.app.state.site
    return site
