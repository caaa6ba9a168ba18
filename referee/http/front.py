"""The front door: what every request passes on its way in and out, found or not.

Request ids, access log, metrics, cross-origin headers, HEAD; and the last resort for errors that
nobody else has answered.
"""

from __future__ import annotations

import re
import time
from typing import TYPE_CHECKING, Any, Final

import structlog

from referee.http.hot import PATH, match_in, take_command
from referee.http.metrics import Metrics
from referee.http.problems import PROBLEM_JSON, Reply, internal_error, reply_to
from referee.http.site import Site
from referee.http.trace import CURRENT, Trace, new_request_id

if TYPE_CHECKING:
    from litestar.types import ASGIApp, Message, Receive, Scope, Send

log = structlog.get_logger(__name__)

_SANE_ID: Final = re.compile(rb"[A-Za-z0-9._-]{1,64}")
_ANY_ORIGIN: Final = (b"access-control-allow-origin", b"*")
_EXPOSED: Final = (
    b"access-control-expose-headers",
    b"ETag, Retry-After, X-Request-ID, WWW-Authenticate, Allow",
)
_TAKEN: Final = (
    b"Accept",
    b"Authorization",
    b"Content-Type",
    b"Idempotency-Key",
    b"If-Match",
    b"If-None-Match",
    b"Last-Event-ID",
    b"X-Request-ID",
)
_PREFLIGHT: Final = [
    (b"access-control-allow-methods", b"GET, HEAD, POST, OPTIONS"),
    (
        b"access-control-allow-headers",
        b", ".join(_TAKEN),
    ),
    (b"access-control-max-age", b"86400"),
]
_METHODS: Final = frozenset({"GET", "HEAD", "POST", "OPTIONS", "PUT", "PATCH", "DELETE"})
_NO_SNIFF: Final = (b"x-content-type-options", b"nosniff")


class Front:
    """Wraps the application."""

    def __init__(self, app: ASGIApp, metrics: Metrics) -> None:
        self._app = app
        self._metrics = metrics
        self.site: Site | None = None

    def drain(self) -> None:
        """Let everything that would go on for ever come to its end."""
        if self.site is not None:
            self.site.draining.set()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve one connection, request or lifespan."""
        kind: str = scope["type"]
        if kind == "http":
            await self._serve(scope, receive, send)
        else:
            await self._app(scope, receive, send)

    async def _serve(self, scope: Any, receive: Receive, send: Send) -> None:
        started = time.perf_counter()
        method = scope["method"]
        origin, request_id = _origin_and_id(scope["headers"])
        trace = Trace(request_id)
        token = CURRENT.set(trace)
        exit_door = _Exit(send, trace, origin=origin, head=method == "HEAD")
        if method == "HEAD":
            scope = {**scope, "method": "GET"}
        try:
            if origin and method == "OPTIONS" and _is_preflight(scope["headers"]):
                await _preflight(exit_door)
            else:
                await self._pass_on(scope, receive, exit_door)
        except Exception as fault:  # noqa: BLE001 - nobody else is left to answer
            await _last_resort(exit_door, scope["path"], fault)
        finally:
            seconds = time.perf_counter() - started
            route = _route(scope)
            kept = None if exit_door.streams else seconds
            known = method if method in _METHODS else "other"
            self._metrics.request(route, known, exit_door.status, kept)
            log.info(
                "request",
                method=method,
                path=scope["path"],
                status=exit_door.status,
                ms=round(seconds * 1000, 2),
            )
            CURRENT.reset(token)

    async def _pass_on(self, scope: Any, receive: Receive, send: Send) -> None:
        match = match_in(scope["path"])
        if match is not None and self.site is not None:
            scope["path_template"] = PATH
            await take_command(self.site, match, scope, receive, send)
        else:
            await self._app(scope, receive, send)


class _Exit:
    """Passes the answer on, with the headers that all answers have."""

    __slots__ = ("_head", "_origin", "_send", "_trace", "status", "streams")

    def __init__(self, send: Send, trace: Trace, *, origin: bool, head: bool) -> None:
        self._send = send
        self._trace = trace
        self._origin = origin
        self._head = head
        self.status = 0
        self.streams = False

    async def __call__(self, message: Message) -> None:
        raw: Any = message
        if raw["type"] == "http.response.start":
            self.status = raw["status"]
            self._dress(raw)
        elif self._head:
            raw = {**raw, "body": b""}
        await self._send(raw)

    def _dress(self, raw: dict[str, Any]) -> None:
        headers = list(raw["headers"])
        headers.append((b"x-request-id", self._trace.request_id.encode()))
        headers.append(_NO_SNIFF)
        if self._origin:
            headers += (_ANY_ORIGIN, _EXPOSED)
        self.streams = (b"content-type", b"text/event-stream") in headers
        raw["headers"] = headers


def _origin_and_id(headers: list[tuple[bytes, bytes]]) -> tuple[bool, str]:
    origin, request_id = False, None
    for name, value in headers:
        if name == b"origin":
            origin = True
        elif name == b"x-request-id" and _SANE_ID.fullmatch(value):
            request_id = value.decode()
    return origin, request_id or new_request_id()


def _is_preflight(headers: list[tuple[bytes, bytes]]) -> bool:
    return any(name == b"access-control-request-method" for name, _ in headers)


async def _preflight(send: Any) -> None:
    await send({"type": "http.response.start", "status": 204, "headers": _PREFLIGHT})
    await send({"type": "http.response.body", "body": b""})


async def _last_resort(send: _Exit, path: str, fault: Exception) -> None:
    reply = answer_to(fault, path)
    if send.status:
        return  # the answer has begun: it can only be cut short
    body = reply.body()
    headers = [(b"content-type", PROBLEM_JSON.encode()), (b"content-length", b"%d" % len(body))]
    headers += [(name.encode(), value.encode()) for name, value in reply.headers.items()]
    start: Any = {
        "type": "http.response.start",
        "status": reply.problem.status,
        "headers": headers,
    }
    await send(start)
    await send({"type": "http.response.body", "body": body, "more_body": False})


def answer_to(fault: Exception, path: str) -> Reply:
    """The problem to answer any error with; what is not known is logged, and says nothing."""
    reply = reply_to(fault, path)
    if reply is None:
        log.error("internal error", path=path, exc_info=fault)
        return internal_error(path)
    if reply.problem.status == 503:  # noqa: PLR2004
        log.warning("not served", path=path, fault=str(fault))
    return reply


def _route(scope: Any) -> str:
    """The template of the route that was found, such as ``/v1/matches/{match}``."""
    template: str = scope.get("path_template") or "unmatched"
    return template.replace(":str}", "}")
