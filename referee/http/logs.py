"""Logging: structlog, a JSON object a line or lines for people, on standard error.

A line carries the request's id and, where known, match, version and seat. Nothing that is logged
holds a token, a seed, a body or what is hidden in a match.
"""

from __future__ import annotations

import logging
import sys
from collections.abc import MutableMapping
from typing import Any, Final

import msgspec
import structlog

from referee.http.trace import CURRENT
from referee.settings import LogFormat, LogLevel

log = structlog.get_logger(__name__)

Line = MutableMapping[str, Any]

_ENCODE: Final = msgspec.json.Encoder(enc_hook=repr).encode


def configure(level: LogLevel, form: LogFormat) -> None:
    """Set logging up for this process, the libraries' included."""
    threshold = logging.getLevelNamesMapping()[level.upper()]
    first = [_add_trace, structlog.processors.add_log_level, _stamp(form)]
    last = _last(form)
    structlog.configure(
        processors=[*first, *last],
        wrapper_class=structlog.make_filtering_bound_logger(threshold),
        logger_factory=structlog.WriteLoggerFactory(sys.stderr),
        cache_logger_on_first_use=True,
    )
    handler = logging.StreamHandler(sys.stderr)
    chain = [structlog.stdlib.ProcessorFormatter.remove_processors_meta, *last]
    handler.setFormatter(
        structlog.stdlib.ProcessorFormatter(foreign_pre_chain=first, processors=chain)
    )
    root = logging.getLogger()
    root.handlers[:] = [handler]
    root.setLevel(max(threshold, logging.WARNING))


def _stamp(form: LogFormat) -> structlog.typing.Processor:
    readable = "%H:%M:%S" if form == "console" else "iso"
    return structlog.processors.TimeStamper(readable, utc=form == "json")


def _last(form: LogFormat) -> list[structlog.typing.Processor]:
    if form == "console":
        return [structlog.dev.ConsoleRenderer(colors=sys.stderr.isatty())]
    return [structlog.processors.format_exc_info, _render]


def _add_trace(_logger: Any, _method: str, line: Line) -> Line:
    trace = CURRENT.get()
    if trace is not None:
        for name, value in trace.fields().items():
            line.setdefault(name, value)
    return line


def _render(_logger: Any, _method: str, line: Line) -> str:
    return _ENCODE(line).decode()
