"""Traces by OpenTelemetry: a span a request, by OTLP to where `OTEL_EXPORTER_OTLP_ENDPOINT` says.

A span is named for its route, `GET /v1/matches/{match}`, and says how the request was answered,
its id, and match, version and seat where they are known: what the access log says, and nothing of
what was sent. Live streams have none, for they last as long as a match. The libraries,
`referee[otel]`, are imported only where they are needed, and read all other `OTEL_` variables.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Final

from referee.http.logs import Trace, log
from referee.http.negotiation import Headers

if TYPE_CHECKING:
    from opentelemetry.sdk.trace import TracerProvider

_ENDPOINTS: Final = ("OTEL_EXPORTER_OTLP_ENDPOINT", "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT")
_LAST_S: Final = 3.0
"""Seconds for the last spans to be sent when the process stops."""
_FAILED: Final = 500


class Spans:
    """Where spans go."""

    def __init__(self, provider: TracerProvider) -> None:
        from opentelemetry import trace  # noqa: PLC0415 - not without a reason
        from opentelemetry.trace.propagation import tracecontext  # noqa: PLC0415

        self._provider = provider
        self._tracer = provider.get_tracer("referee")
        self._server = trace.SpanKind.SERVER
        self._error = trace.Status(trace.StatusCode.ERROR)
        self._read = tracecontext.TraceContextTextMapPropagator().extract

    def request(
        self, method: str, route: str, status: int, seconds: float, headers: Headers, trace: Trace
    ) -> None:
        """A request was answered; it belongs to the trace that its `traceparent` names."""
        now = time.time_ns()
        sent = {name: headers.get(name.encode(), b"").decode("latin-1") for name in _OF_TRACES}
        about = {
            "http.request.method": method,
            "http.route": route,
            "http.response.status_code": status,
            **{f"referee.{name}": value for name, value in trace.fields().items()},
        }
        span = self._tracer.start_span(
            f"{method} {route}",
            self._read(sent),
            self._server,
            about,
            start_time=now - int(seconds * 1e9),
        )
        if status >= _FAILED:
            span.set_status(self._error)
        span.end(now)

    def close(self) -> None:
        """Send what is left, if it can be sent soon."""
        last = threading.Thread(target=self._provider.shutdown, daemon=True)
        last.start()
        last.join(_LAST_S)


_OF_TRACES: Final = ("traceparent", "tracestate")


def spans_for(environ: Mapping[str, str]) -> Spans | None:
    """Where spans go by these variables; None: nowhere."""
    if not any(environ.get(name) for name in _ENDPOINTS):
        return None
    try:
        return Spans(_provider(environ))
    except ImportError:
        log.warning("no traces: install referee[otel]")
        return None


def _provider(environ: Mapping[str, str]) -> Any:
    from opentelemetry.exporter.otlp.proto.http import trace_exporter  # noqa: PLC0415 - as above
    from opentelemetry.sdk.resources import Resource  # noqa: PLC0415
    from opentelemetry.sdk.trace import TracerProvider, export  # noqa: PLC0415

    named = {} if environ.get("OTEL_SERVICE_NAME") else {"service.name": "referee"}
    provider = TracerProvider(resource=Resource.create(named), shutdown_on_exit=False)
    exporter = trace_exporter.OTLPSpanExporter()
    provider.add_span_processor(export.BatchSpanProcessor(exporter))
    return provider
