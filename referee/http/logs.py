"""Logging: structlog, a JSON object a line or lines for people, on standard error.

A line carries the request's id and, where known, match, version and seat. Nothing that is logged
holds a token, a seed, a body or what is hidden in a match.

The access log has a line a request, and must cost next to nothing: requests are noted, and
their lines written together a moment later, in order with all other lines.
"""

import asyncio
import atexit
import logging
import sys
import time
from collections.abc import Callable, MutableMapping
from contextvars import ContextVar
from datetime import UTC, datetime
from itertools import count
from secrets import token_hex
from typing import Any, Final

import msgspec
import structlog
from msgspec import Struct
from msgspec.structs import asdict

from referee.settings import LogFormat, LogLevel

log = structlog.get_logger(__name__)

Line = MutableMapping[str, Any]

_ENCODE: Final = msgspec.json.Encoder(enc_hook=repr).encode
_SHORT_TIME: Final = "%H:%M:%S"
_WAIT_S: Final = 0.1
_MOST: Final = 1000
"""Requests that are noted before their lines are written without waiting."""
ALIKE_S: Final = 60.0
ALIKE: Final = 10
"""Lines of one cause, warnings and worse, that are logged in so many seconds."""
_PROBES: Final = ("/health/", "/metrics")


class Trace:
    """The request in hand: its id, and the match, version and seat that it is about, once known."""

    __slots__ = ("cause", "match", "request_id", "seat", "version")

    def __init__(self, request_id: str) -> None:
        self.request_id = request_id
        self.match: str | None = None
        self.version: int | None = None
        self.seat: int | None = None
        self.cause: str | None = None
        """Why it was answered 503."""

    def taken_cause(self) -> str | None:
        """The cause of a 503, told once."""
        cause, self.cause = self.cause, None
        return cause

    def fields(self) -> dict[str, Any]:
        """What is known, by name."""
        known = ((name, getattr(self, name)) for name in ("match", "version", "seat"))
        return {"request_id": self.request_id} | {k: v for k, v in known if v is not None}


CURRENT: Final[ContextVar[Trace | None]] = ContextVar("request", default=None)
"""The request in hand, for every line that is logged on its way."""

_PREFIX: Final = token_hex(6)
_NUMBERS: Final = count(1)


def new_request_id() -> str:
    """An id that no other request has, of this process or another."""
    return f"{_PREFIX}-{next(_NUMBERS):x}"


def current() -> Trace:
    """The request in hand; outside of any, one that nobody looks at."""
    return CURRENT.get() or Trace("")


class Seldom:
    """Lets few lines of each kind be logged in a while, however often there is cause for one.

    `clock` gives seconds.
    """

    def __init__(
        self, wait_s: float, most: int = 1, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self._wait_s = wait_s
        self._most = most
        self._clock = clock
        self._told: dict[str, tuple[float, int, int]] = {}

    def times(self, kind: str) -> int:
        """How often there was cause since the last line of a kind; 0: there were enough."""
        now = self._clock()
        until, lines, unsaid = self._told.get(kind, (now, 0, 0))
        if now >= until:
            until, lines = now + self._wait_s, 0
        if lines == self._most:
            self._told[kind] = (until, lines, unsaid + 1)
            return 0
        self._told[kind] = (until, lines + 1, 0)
        return unsaid + 1


_SELDOM: Final = Seldom(ALIKE_S, ALIKE)


class _Answered(Struct, omit_defaults=True, gc=False):
    """A request that was answered: a line of the access log, in the order of its fields."""

    event: str
    method: str
    path: str
    status: int
    ms: float
    request_id: str
    level: str
    timestamp: Any  # Unix seconds until it is written
    match: str | None = None
    version: int | None = None
    seat: int | None = None


class _Writer:
    """Where lines go: standard error, each written at once but for those of the access log."""

    def __init__(self) -> None:
        self.least = logging.CRITICAL + 1  # of the access log
        self.form: LogFormat = "json"
        self._noted: list[_Answered] = []
        self._due: asyncio.TimerHandle | None = None
        atexit.register(self.flush)

    def note(self, answered: _Answered) -> None:
        """Have a line written soon."""
        self._noted.append(answered)
        if len(self._noted) >= _MOST:
            self.flush()
        elif self._due is None:
            self._due = asyncio.get_running_loop().call_later(_WAIT_S, self.flush)

    def flush(self) -> None:
        """Write the lines that wait."""
        if self._due is not None:
            self._due.cancel()
            self._due = None
        noted, self._noted = self._noted, []
        if noted:
            sys.stderr.write("".join(f"{self._text(line)}\n" for line in noted))
            sys.stderr.flush()

    def _text(self, line: _Answered) -> str:
        when = datetime.fromtimestamp(line.timestamp, UTC)
        if self.form == "json":
            line.timestamp = when
            return _ENCODE(line).decode()
        known = {name: value for name, value in asdict(line).items() if value is not None}
        known["timestamp"] = when.astimezone().strftime(_SHORT_TIME)
        return str(_for_people()(None, line.level, known))

    def msg(self, text: str) -> None:
        """Write a line now, after those that wait."""
        self.flush()
        sys.stderr.write(text + "\n")
        sys.stderr.flush()

    debug = info = warning = error = critical = exception = msg


_WRITER: Final = _Writer()
_LEVELS: Final = logging.getLevelNamesMapping()


def answered(method: str, path: str, status: int, seconds: float, trace: Trace) -> None:
    """Note an answered request for the access log: a warning where it failed here."""
    level = "warning" if status >= 500 else "debug" if path.startswith(_PROBES) else "info"  # noqa: PLR2004
    if _LEVELS[level.upper()] >= _WRITER.least:
        ms, now = round(1000 * seconds, 2), time.time()
        known = (trace.request_id, level, now, trace.match, trace.version, trace.seat)
        _WRITER.note(_Answered("request", method, path, status, ms, *known))


def configure(level: LogLevel, form: LogFormat) -> None:
    """Set logging up for this process, the libraries' included."""
    threshold = _LEVELS[level.upper()]
    _WRITER.least, _WRITER.form = threshold, form
    first = [_add_trace, structlog.processors.add_log_level, _stamp(form)]
    last = _last(form)
    structlog.configure(
        processors=[_rarely, *first, *last],
        wrapper_class=structlog.make_filtering_bound_logger(threshold),
        logger_factory=lambda *_: _WRITER,
        cache_logger_on_first_use=True,
    )
    root = logging.getLogger()
    root.handlers[:] = [_Foreign(first, last)]
    root.setLevel(max(threshold, logging.WARNING))


def _rarely(_logger: Any, method: str, line: Line) -> Line:
    """Drop a warning of whose cause enough was said; say how often it was not."""
    if method in {"debug", "info"}:
        return line
    fault = line.get("exc_info")
    kind = type(sys.exception() if fault is True else fault).__name__
    times = _SELDOM.times(f"{line['event']} {line.get('cause')} {kind}")
    if not times:
        raise structlog.DropEvent
    return {**line, "times": times} if times > 1 else line


class _Foreign(logging.Handler):
    """Writes what libraries log in the standard way like all other lines."""

    def __init__(
        self, first: list[structlog.typing.Processor], last: list[structlog.typing.Processor]
    ) -> None:
        super().__init__()
        chain = [structlog.stdlib.ProcessorFormatter.remove_processors_meta, *last]
        self.setFormatter(
            structlog.stdlib.ProcessorFormatter(foreign_pre_chain=first, processors=chain)
        )

    def emit(self, record: logging.LogRecord) -> None:
        """Write one, unless enough was said of its cause."""
        if _SELDOM.times(f"{record.name} {record.msg}"):
            _WRITER.msg(self.format(record))


def _stamp(form: LogFormat) -> structlog.typing.Processor:
    readable = _SHORT_TIME if form == "console" else "iso"
    return structlog.processors.TimeStamper(readable, utc=form == "json")


def _for_people() -> structlog.dev.ConsoleRenderer:
    # Plain tracebacks: the others show the values of variables, and with them what is secret.
    plain = structlog.dev.plain_traceback
    return structlog.dev.ConsoleRenderer(colors=sys.stderr.isatty(), exception_formatter=plain)


def _last(form: LogFormat) -> list[structlog.typing.Processor]:
    if form == "console":
        return [_for_people()]
    return [structlog.processors.format_exc_info, _render]


def _add_trace(_logger: Any, _method: str, line: Line) -> Line:
    trace = CURRENT.get()
    if trace is not None:
        for name, value in trace.fields().items():
            line.setdefault(name, value)
    return line


def _render(_logger: Any, _method: str, line: Line) -> str:
    return _ENCODE(line).decode()
