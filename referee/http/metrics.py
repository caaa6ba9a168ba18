"""What is counted for Prometheus: by route template, game and ruling, never by match."""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import Final

from prometheus_client import (
    CollectorRegistry,
    Counter,
    Gauge,
    Histogram,
    PlatformCollector,
    ProcessCollector,
    generate_latest,
    multiprocess,
)

CONTENT_TYPE: Final = "text/plain; version=0.0.4"  # the framework adds the charset
SEVERAL: Final = "PROMETHEUS_MULTIPROC_DIR"
"""Where several processes of one service share what they count: the library's own variable."""

_QUICK: Final = (0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5)


class Metrics:
    """Counts requests, commands and appends; an `Observer` of the service."""

    def __init__(self) -> None:
        self._registry = CollectorRegistry()
        several = SEVERAL in os.environ
        if not several:
            ProcessCollector(registry=self._registry)
            PlatformCollector(registry=self._registry)
        self._several = several
        self._requests = Counter(
            "referee_http_requests",
            "Requests answered, by route template, method and status.",
            ("route", "method", "status"),
            registry=self._registry,
        )
        self._seconds = Histogram(
            "referee_http_request_seconds",
            "Seconds to answer a request, by route template. Live streams are left out.",
            ("route",),
            buckets=_QUICK,
            registry=self._registry,
        )
        self._accepted = Counter(
            "referee_commands_accepted",
            "Commands accepted, by game.",
            ("game",),
            registry=self._registry,
        )
        self._refused = Counter(
            "referee_commands_refused",
            "Commands refused, by game and ruling.",
            ("game", "ruling"),
            registry=self._registry,
        )
        self._appends = Histogram(
            "referee_store_append_seconds",
            "Seconds for the store to take a commit.",
            buckets=_QUICK,
            registry=self._registry,
        )
        self._residents = Gauge(
            "referee_resident_matches",
            "Matches at hand in memory.",
            registry=self._registry,
            multiprocess_mode="livesum",
        )
        self._streams = Gauge(
            "referee_live_streams",
            "Live streams that are open, by kind.",
            ("kind",),
            registry=self._registry,
            multiprocess_mode="livesum",
        )
        self._ended = Counter(
            "referee_live_streams_ended",
            "Live streams that have ended, by kind and reason.",
            ("kind", "reason"),
            registry=self._registry,
        )
        self._late = Histogram(
            "referee_deadline_late_seconds",
            "Seconds from a deadline (a flag, a window) to the commit that it called for.",
            buckets=_QUICK,
            registry=self._registry,
        )
        self._missed = Counter(
            "referee_deadlines_missed",
            "Attempts to do what was due in a match that could not be served.",
            registry=self._registry,
        )
        self._count: Callable[[], int] = int
        self._counts: dict[tuple[str, str, int], Counter] = {}
        self._times: dict[str, Histogram] = {}
        self._of_game: dict[str, Counter] = {}

    def request(self, route: str, method: str, status: int, seconds: float | None) -> None:
        """A request was answered; ``seconds`` None for a stream."""
        counter = self._counts.get((route, method, status))
        if counter is None:
            counter = self._requests.labels(_plain(route), method, str(status))
            self._counts[route, method, status] = counter
        counter.inc()
        if seconds is None:
            return
        timer = self._times.get(route)
        if timer is None:
            timer = self._times[route] = self._seconds.labels(_plain(route))
        timer.observe(seconds)

    def appended(self, seconds: float) -> None:
        """The store took a commit."""
        self._appends.observe(seconds)

    def accepted(self, game: str) -> None:
        """A command was accepted."""
        counter = self._of_game.get(game)
        if counter is None:
            counter = self._of_game[game] = self._accepted.labels(game)
        counter.inc()

    def refused(self, game: str, ruling: str) -> None:
        """A command was refused."""
        self._refused.labels(game, ruling).inc()

    def stream_opened(self, kind: str) -> None:
        """A live stream was opened."""
        self._streams.labels(kind).inc()

    def stream_ended(self, kind: str, reason: str) -> None:
        """A live stream has ended."""
        self._streams.labels(kind).dec()
        self._ended.labels(kind, reason).inc()

    def met(self, late_s: float) -> None:
        """What was due at a deadline was done, so much later."""
        self._late.observe(max(0.0, late_s))

    def missed(self) -> None:
        """What may be due in a match could not be done."""
        self._missed.inc()

    def watch_residents(self, count: Callable[[], int]) -> None:
        """Where to learn how many matches are at hand."""
        self._count = count

    def text(self) -> bytes:
        """Everything, in Prometheus's text format; of all processes where there are several."""
        self._residents.set(self._count())
        if not self._several:
            return generate_latest(self._registry)
        registry = CollectorRegistry()
        multiprocess.MultiProcessCollector(registry)  # type: ignore[no-untyped-call]
        return generate_latest(registry)


def _plain(route: str) -> str:
    """A route's template without the framework's types: ``/v1/matches/{match}``."""
    return route.replace(":str}", "}")
