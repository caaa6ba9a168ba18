"""What is counted for Prometheus: by route template, game and ruling, never by match."""

import contextlib
import os
import re
from bisect import bisect_left
from collections.abc import Callable, Generator, Iterator, Sequence
from functools import cache, partial
from importlib.metadata import version
from itertools import accumulate
from math import isnan, nan
from pathlib import Path
from typing import Final, Literal

from prometheus_client import (
    CollectorRegistry,
    Counter,
    Gauge,
    Histogram,
    PlatformCollector,
    ProcessCollector,
    generate_latest,
    multiprocess,
    start_http_server,
)
from prometheus_client.core import CounterMetricFamily, HistogramMetricFamily, Metric
from prometheus_client.registry import Collector
from prometheus_client.utils import floatToGoString

from referee.service import Primary
from referee.service.observing import Observer, Occasion

CONTENT_TYPE: Final = "text/plain; version=0.0.4"  # the framework adds the charset
SEVERAL: Final = "PROMETHEUS_MULTIPROC_DIR"
"""Where several processes of one service share what they count: the library's own variable."""

_QUICK: Final = (0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5)


class Metrics(Observer):
    """Counts requests, commands and appends; an `Observer` of the service.

    `apart`: whether only operators can read them. Otherwise anybody can, and which ruling of its
    game refuses a command may tell what a seat has in its hand: these are counted as one, `game`.
    """

    def __init__(self, *, apart: bool = False) -> None:
        self.apart = apart
        self._several = SEVERAL in os.environ
        self._registry = CollectorRegistry()
        if not self._several:
            ProcessCollector(registry=self._registry)
            PlatformCollector(registry=self._registry)
        hot = _SharedCounters if self._several else _HotCounters
        self._hot: _HotCounters | _SharedCounters = hot(self._registry)
        self._counters = {
            key: Counter(name, about, labels, registry=self._registry)
            for key, (name, about, labels) in _COUNTERS.items()
        }
        self._gauges = {
            key: Gauge(name, about, labels, registry=self._registry, multiprocess_mode=mode)
            for key, (mode, name, about, labels) in _GAUGES.items()
        }
        self._gauges["build"].labels(version("referee")).set(1)
        self._late = Histogram(*_LATE, buckets=_QUICK, registry=self._registry)
        self._named: set[str] = set()  # the primaries that there were when last looked at
        self._count: Callable[[], int] = int

    def request(self, route: str, method: str, status: int, seconds: float | None) -> None:
        """A request was answered; `seconds` None for a stream."""
        self._hot.request(route, method, status, seconds)
        if self._several:  # whichever process is asked for them knows only its own
            self._gauges["residents"].set(self._count())

    def appended(self, seconds: float) -> None:
        """The store took a commit."""
        self._hot.appended(seconds)

    def accepted(self, game: str) -> None:
        """A command was accepted."""
        self._hot.accepted(game)

    def refused(self, game: str, ruling: str, *, of_table: bool) -> None:
        """A command was refused, by a ruling of its game or of the table."""
        self._counters["refused"].labels(game, ruling if of_table or self.apart else "game").inc()

    def unserved(self, cause: str) -> None:
        """Something could not be served now."""
        self._counters["unserved"].labels(cause).inc()

    def store_examined(self, primaries: Sequence[Primary]) -> None:
        """The store was looked at: only those that answered say whether they are durable."""
        if any(primary.reached for primary in primaries):
            self._gauges["durable"].set(all(primary.durable for primary in primaries))
        gone = self._named.difference(primary.name for primary in primaries)
        for name in gone:
            if self._several:  # what is shared with other processes cannot be removed
                self._gauges["primaries"].labels(name).set(nan)
            else:
                self._gauges["primaries"].remove(name)
        for primary in primaries:
            self._gauges["primaries"].labels(primary.name).set(primary.reached)
        self._named = {primary.name for primary in primaries}

    def counted(self, occasion: Occasion) -> None:
        """Something happened that is only counted."""
        self._counters[occasion].inc()

    def waiting(self, matches: int) -> None:
        """So many matches have something due."""
        self._gauges["waiting"].set(matches)

    def stream_opened(self, kind: str) -> None:
        """A live stream was opened."""
        self._gauges["streams"].labels(kind).inc()

    def stream_ended(self, kind: str, reason: str) -> None:
        """A live stream has ended."""
        self._gauges["streams"].labels(kind).dec()
        self._counters["ended"].labels(kind, reason).inc()

    def met(self, late_s: float) -> None:
        """What was due at a deadline was done, so much later."""
        self._late.observe(max(0.0, late_s))

    def missed(self) -> None:
        """What may be due in a match could not be done."""
        self._counters["missed"].inc()

    def watch_residents(self, count: Callable[[], int]) -> None:
        """Where to learn how many matches are at hand."""
        self._count = count
        if not self._several:
            self._gauges["residents"].set_function(count)

    @property
    def registry(self) -> CollectorRegistry:
        """Everything; of all processes where there are several."""
        return registry_of_all() if self._several else self._registry

    def text(self) -> bytes:
        """Everything, in Prometheus's text format."""
        return generate_latest(self.registry)


def registry_of_all() -> CollectorRegistry:
    """What all processes of one service count."""
    registry = CollectorRegistry()
    registry.register(_AllProcesses())
    registry.register(_EachProcess())
    return registry


class _AllProcesses(Collector):
    """What the processes count together, without what they have taken back: that is no number."""

    def collect(self) -> Iterator[Metric]:
        """All metrics, over all processes."""
        every = multiprocess.MultiProcessCollector(None)  # type: ignore[no-untyped-call]
        for family in every.collect():  # type: ignore[no-untyped-call]
            family.samples = [sample for sample in family.samples if not isnan(sample.value)]
            yield family


class _EachProcess(Collector):
    """What the system knows of each process: processor, memory, files."""

    def collect(self) -> Iterator[Metric]:
        """The metrics that there are of one process, of each by its `worker`."""
        families: dict[str, Metric] = {}
        files = Path(os.environ[SEVERAL]).iterdir()
        for pid in sorted({file.stem.rpartition("_")[2] for file in files}):
            for found in ProcessCollector(pid=partial(str, pid), registry=None).collect():
                family = families.setdefault(
                    found.name, Metric(found.name, found.documentation, found.type)
                )
                (sample,) = found.samples
                family.add_sample(sample.name, {"worker": pid}, sample.value)
        yield from families.values()


@contextlib.contextmanager
def served_apart(registry: CollectorRegistry, host: str, port: int) -> Generator[None]:
    """Serve metrics on a port of their own.

    Raises:
        OSError: it cannot be had.
    """
    try:
        server, thread = start_http_server(int(port), host, registry)
    except OSError as fault:
        problem = f"cannot listen for metrics on {host}, port {port}: {fault.strerror or fault}"
        raise OSError(f"REFEREE_METRICS_PORT: {problem}") from None
    try:
        yield
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


_REQUESTS: Final = (
    "referee_http_requests",
    "Requests answered, by route template, method and status.",
)
_SECONDS: Final = (
    "referee_http_request_duration_seconds",
    "Seconds to answer a request, by route template and method. Live streams are left out.",
)
_ACCEPTED: Final = ("referee_commands_accepted", "Commands accepted, by game.")
_APPENDS: Final = (
    "referee_store_append_duration_seconds",
    "Seconds for the store to take a commit.",
)
_LATE: Final[tuple[str, str]] = (
    "referee_deadline_late_seconds",
    "Seconds from a deadline (a flag, a window) to the commit that it called for.",
)
_Labels = tuple[str, ...]
_Counted = Literal[Occasion, "refused", "unserved", "ended", "missed"]
_COUNTERS: Final[dict[_Counted, tuple[str, str, _Labels]]] = {
    "refused": (
        "referee_commands_refused",
        "Commands refused, by game and ruling.",
        ("game", "ruling"),
    ),
    "unserved": (
        "referee_unserved",
        "Requests, and commands on sockets, that could not be served, by cause.",
        ("cause",),
    ),
    "ended": (
        "referee_live_streams_ended",
        "Live streams that have ended, by kind and reason.",
        ("kind", "reason"),
    ),
    "missed": (
        "referee_deadlines_missed",
        "Attempts to do what was due in a match that could not be served.",
        (),
    ),
    "created": ("referee_matches_created", "Matches created.", ()),
    "repeated": ("referee_repeats", "Commands and creations answered again, by their keys.", ()),
    "conflict": ("referee_store_conflicts", "Commits that came too late: another was quicker.", ()),
    "loaded": (
        "referee_matches_loaded",
        "Matches that were not at hand: their logs were read.",
        (),
    ),
    "rewritten": (
        "referee_logs_rewritten",
        "Logs that no longer held what was known of them: the store has lost commits.",
        (),
    ),
}
"""The name of each, what it counts, and its labels."""
_Together = Literal["livesum", "livemax", "livemin"]
"""How the values of several processes make one."""
_Gauged = Literal["residents", "streams", "waiting", "build", "durable", "primaries"]
_GAUGES: Final[dict[_Gauged, tuple[_Together, str, str, _Labels]]] = {
    "residents": ("livesum", "referee_resident_matches", "Matches at hand in memory.", ()),
    "streams": (
        "livesum",
        "referee_live_streams",
        "Live streams that are open, by kind.",
        ("kind",),
    ),
    "waiting": (
        "livemax",
        "referee_deadlines_waiting",
        "Matches in which something is due, or will be in a moment, and is not done yet.",
        (),
    ),
    "build": (
        "livemax",
        "referee_build_info",
        "1, with the version of the service.",
        ("version",),
    ),
    "durable": (
        "livemin",
        "referee_store_durable",
        "1 where all primaries of the store keep what they are told: append-only, noeviction.",
        (),
    ),
    "primaries": (
        "livemin",
        "referee_store_primary_up",
        "1 for each primary of the store that answered when it was last looked at.",
        ("primary",),
    ),
}


class _Tally:
    """A histogram as plain numbers: one process counts, and nobody looks while it does."""

    __slots__ = ("counts", "total")

    def __init__(self) -> None:
        self.counts = [0] * (len(_QUICK) + 1)
        self.total = 0.0

    def observe(self, seconds: float) -> None:
        """Count a value into the first bucket that holds it."""
        self.counts[bisect_left(_QUICK, seconds)] += 1
        self.total += seconds

    def buckets(self) -> list[tuple[str, float]]:
        """Upper bounds, each with how many values do not exceed it."""
        bounds = [*map(floatToGoString, _QUICK), "+Inf"]
        return list(zip(bounds, map(float, accumulate(self.counts)), strict=True))


class _HotCounters(Collector):
    """What is counted with every command: plain numbers, made into metrics when asked for.

    Another thread may ask, so what it goes through are copies.

    The library's own take a lock for each number, which came to a tenth of a command's cost.
    """

    def __init__(self, registry: CollectorRegistry) -> None:
        self._requests: dict[tuple[str, str, int], int] = {}
        self._seconds: dict[tuple[str, str], _Tally] = {}
        self._accepted: dict[str, int] = {}
        self._appends = _Tally()
        registry.register(self)

    def request(self, route: str, method: str, status: int, seconds: float | None) -> None:
        key = (route, method, status)
        self._requests[key] = self._requests.get(key, 0) + 1
        if seconds is None:
            return
        tally = self._seconds.get((route, method))
        if tally is None:
            tally = self._seconds[route, method] = _Tally()
        tally.observe(seconds)

    def appended(self, seconds: float) -> None:
        self._appends.observe(seconds)

    def accepted(self, game: str) -> None:
        self._accepted[game] = self._accepted.get(game, 0) + 1

    def collect(self) -> Iterator[Metric]:
        """The metrics as they stand."""
        requests = CounterMetricFamily(*_REQUESTS, labels=("route", "method", "status"))
        for (route, method, status), count in self._requests.copy().items():
            requests.add_metric((route, method, str(status)), count)
        yield requests
        seconds = HistogramMetricFamily(*_SECONDS, labels=("route", "method"))
        for labels, tally in self._seconds.copy().items():
            seconds.add_metric(labels, tally.buckets(), tally.total)
        yield seconds
        accepted = CounterMetricFamily(*_ACCEPTED, labels=("game",))
        for game, count in self._accepted.copy().items():
            accepted.add_metric((game,), count)
        yield accepted
        appends = HistogramMetricFamily(*_APPENDS)
        appends.add_metric((), self._appends.buckets(), self._appends.total)
        yield appends


class _SharedCounters:
    """The same where all processes of one service add up what they counted."""

    def __init__(self, registry: CollectorRegistry) -> None:
        self._requests = Counter(*_REQUESTS, ("route", "method", "status"), registry=registry)
        self._seconds = Histogram(*_SECONDS, ("route", "method"), buckets=_QUICK, registry=registry)
        self._accepted = Counter(*_ACCEPTED, ("game",), registry=registry)
        self._appends = Histogram(*_APPENDS, buckets=_QUICK, registry=registry)

    def request(self, route: str, method: str, status: int, seconds: float | None) -> None:
        self._requests.labels(route, method, str(status)).inc()
        if seconds is not None:
            self._seconds.labels(route, method).observe(seconds)

    def appended(self, seconds: float) -> None:
        self._appends.observe(seconds)

    def accepted(self, game: str) -> None:
        self._accepted.labels(game).inc()


@cache
def plain(route: str) -> str:
    """A route's template without the framework's types: `/v1/matches/{match}`."""
    return re.sub(r":\w+}", "}", route)
