"""What every request passes on its way in and out, found or not.

Request ids, access log, metrics, cross-origin headers, HEAD and OPTIONS. It stands around the
framework, whose own middleware sees no request that leads nowhere; and it hands some over before
the framework sees them: commands, creations and event streams, for speed, and sockets, whose
handshakes the framework can refuse by a bare status alone.
"""

from __future__ import annotations

import re
import time
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from referee.http import fast_routes, logs
from referee.http.context import Site
from referee.http.logs import CURRENT, Trace, log, new_request_id
from referee.http.metrics import Metrics, plain
from referee.http.negotiation import (
    JSON,
    MSGPACK,
    Headers,
    encode,
    headers_of,
    time_header,
    wants_msgpack,
)
from referee.http.problems import PROBLEM_JSON, answer_to
from referee.http.responses import MATCHES
from referee.http.streams import sse, websocket
from referee.http.tracing import Spans
from referee.http.turns import Turns
from referee.service.errors import UnknownThing

if TYPE_CHECKING:
    from litestar import Litestar
    from litestar.types import Message, Receive, Scope, Send

    from referee.http.fast_routes import Taken

RawHeaders = list[tuple[bytes, bytes]]

_SANE_ID: Final = re.compile(rb"[A-Za-z0-9._-]{1,64}")
_METHODS: Final = frozenset({"GET", "HEAD", "POST", "OPTIONS", "PUT", "PATCH", "DELETE"})
_ALLOWED_HEADERS: Final = (
    b"Accept, Authorization, Content-Type, Idempotency-Key, If-Match, If-None-Match, "
    b"Last-Event-ID, X-Request-ID"
)
_EXPOSED_HEADERS: Final = (
    "Allow, Cache-Control, Content-Disposition, Content-Security-Policy, Date, ETag, Location, "
    "Referee-Time, Referrer-Policy, Retry-After, Vary, WWW-Authenticate, "
    "X-Content-Type-Options, X-Request-ID"
)
# A front end on any origin may call: what counts is the token, which no browser sends by itself.
CROSS: Final = [
    (b"access-control-allow-origin", b"*"),
    (b"access-control-expose-headers", _EXPOSED_HEADERS.encode()),
]
_ASKS: Final = b"access-control-request-method"
_SENDS: Final = b"access-control-request-headers"
_PREFLIGHT: Final = [
    (b"access-control-allow-methods", b"GET, HEAD, POST, OPTIONS"),
    (b"access-control-max-age", b"86400"),
    (b"vary", _SENDS),
]
CLOSE: Final = (b"connection", b"close")
_NO_SNIFF: Final = (b"x-content-type-options", b"nosniff")
_CACHES: Final = b"cache-control"
_NO_STORE: Final = (_CACHES, b"no-store")
JSON_TYPE: Final = (b"content-type", JSON.encode())
MSGPACK_TYPE: Final = (b"content-type", MSGPACK.encode())
_PROBLEM_TYPE: Final = (b"content-type", PROBLEM_JSON.encode())
_STREAM: Final = sse.EVENT_STREAM.encode()
_LASTING: Final = {"type", "method", "path", "path_template", "headers", "extensions"}
"""What is known of a request for as long as its answer lasts."""
_REFUSED: Final = "NONE"
"""A method that no route has: OPTIONS is answered with what then is allowed."""


class Answered(NamedTuple):
    """A request that was answered, and how many seconds that took."""

    method: str
    route: str
    path: str
    status: int
    seconds: float


class Middleware:
    """Wraps the application: the ASGI application that is served."""

    def __init__(self, app: Litestar, metrics: Metrics, spans: Spans | None = None) -> None:
        self.app = app
        self.metrics = metrics
        self._spans = spans
        self.site: Site | None = None
        self.turns = Turns()
        """Of those who come or go in crowds."""
        self._leaving = False

    def leave(self, seconds: float) -> None:
        """Serve on for so many seconds, and send everybody elsewhere."""
        log.info("about to stop", seconds=seconds)
        self._leaving = True
        if self.site is not None:
            self.site.following.leave(seconds)

    @property
    def open_site(self) -> Site | None:
        """The site, while whoever comes is served and may stay."""
        return None if self._leaving else self.site

    def drain(self) -> None:
        """Let everything that would go on for ever come to its end."""
        if self.site is not None:
            self.site.draining.set()

    def time_at(self, path: str) -> RawHeaders:
        """The header that tells the time, of whatever is answered there before it gets here."""
        if self.site is None or not path.startswith(MATCHES):
            return []
        return time_header(self.site.service, None)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve one connection, request or lifespan."""
        raw: Any = scope
        if raw["type"] == "websocket":
            await self._socket(raw, receive, send)
            return
        if raw["type"] != "http":
            await self.app(scope, receive, send)
            return
        started, method = time.perf_counter(), raw["method"]
        headers = headers_of(raw["headers"])
        trace = Trace(request_id(headers))
        CURRENT.set(trace)
        timed = self.site if raw["path"].startswith(MATCHES) else None
        out = _Exit(send, raw, trace, timed, crosses=b"origin" in headers, closes=self._leaving)
        try:
            fast = fast_routes.route_of(raw["path"], trace) if method == "POST" else None
            if self.site is None:
                raw = await self._pass_on(raw, headers, receive, out)
            elif fast is not None:
                raw["path_template"] = fast.template
                taken = await fast.take(self.site, trace, headers, raw["query_string"], receive)
                await out.reply(taken, msgpack=wants_msgpack(headers))
            elif match := sse.match_in(method, raw["path"], headers):
                raw["path_template"], trace.match = sse.TEMPLATE, match
                await self.turns.mine()
                stream = await sse.begin(self.site, trace, headers, raw["query_string"])
                _forget(raw, headers)
                await stream.serve(raw, receive, out)
            else:
                raw = await self._pass_on(raw, headers, receive, out)
        except Exception as fault:  # noqa: BLE001 - nobody else is left to answer
            await out.fail(fault, raw["path"])
        finally:
            route, path = plain(raw.get("path_template") or "unmatched"), raw["path"]
            answered = Answered(method, route, path, out.status, time.perf_counter() - started)
            self.count(answered, headers, trace, streams=out.streams)

    async def _socket(self, scope: Any, receive: Receive, send: Send) -> None:
        if self.site is None:
            await self.app(scope, receive, send)
            return
        CURRENT.set(Trace(request_id(headers_of(scope["headers"]))))
        following, tokens = self.site.following, self.site.tokens
        match = websocket.match_in(scope["path"])
        if match is not None:
            await self.turns.mine()
            await websocket.serve_socket(following, tokens, match, scope, receive, send)
        else:
            await receive()  # the wish to connect
            now = self.time_at(scope["path"])
            await websocket.deny(scope, receive, send, UnknownThing("No socket is here."), *now)

    async def _pass_on(self, scope: Any, headers: Headers, receive: Receive, out: _Exit) -> Any:
        """Let the framework find the route; the scope that it wrote into."""
        method = scope["method"]
        if len(headers) < len(scope["headers"]):  # of several of one name it sees the first alone
            scope = {**scope, "headers": list(headers.items())}
        if method == "OPTIONS" and _ASKS in headers:
            allowed = b", ".join([_ALLOWED_HEADERS, *filter(None, [headers.get(_SENDS)])])
            preflight = [*_PREFLIGHT, (b"access-control-allow-headers", allowed)]
            await out.answer(204, preflight, b"")
            return scope
        if method == "HEAD":
            scope = {**scope, "method": "GET"}
        elif method == "OPTIONS":
            scope = {**scope, "method": _REFUSED}
        await self.app(scope, receive, out)
        return scope

    def count(
        self, answered: Answered, headers: Headers, trace: Trace, *, streams: bool = False
    ) -> None:
        """Count and log a request that was answered; a stream's time is not how long it took."""
        method, route, path, status, seconds = answered
        known = method if method in _METHODS else "other"
        self.metrics.request(route, known, status, None if streams else seconds)
        if cause := trace.taken_cause():
            self.metrics.unserved(cause)
        logs.answered(method, path, status, seconds, trace)
        if self._spans is not None and not streams:
            self._spans.request(known, route, status, seconds, headers, trace)


class _Exit:
    """Passes an answer on, with the headers that all answers have.

    Its head waits for the first of its body, so that a server that can takes a short one whole.
    """

    __slots__ = (
        "_closes", "_crosses", "_head", "_method", "_send", "_timed", "_whole", "begun", "status",
        "streams", "trace",
    )  # fmt: skip

    def __init__(
        self,
        send: Send,
        scope: Any,
        trace: Trace,
        timed: Site | None,
        *,
        crosses: bool,
        closes: bool,
    ) -> None:
        self._send = send
        self._whole = scope.get("extensions", {}).get(sse.WRITE, {}).get("answer")
        self.trace = trace
        self._method = scope["method"]
        self._timed = timed
        self._crosses = crosses
        self._closes = closes
        self._head: RawHeaders = []
        self.status = 0
        self.begun = False
        self.streams = False

    async def __call__(self, message: Message) -> None:
        """Send a message of the framework's."""
        raw: Any = message
        if raw["type"] == "http.response.start":
            await self._start(raw["status"], [*map(_with_head, raw["headers"])])
            return
        body = b"" if self._method == "HEAD" or self._allows else raw.get("body", b"")
        await self._pass(body, more=raw.get("more_body", False))

    async def _start(self, status: int, headers: RawHeaders) -> None:
        self.status = status
        self.streams = any(value.startswith(_STREAM) for _, value in headers)
        if self._allows:
            self.status, headers = 204, [pair for pair in headers if pair[0] == b"allow"]
        self._head = self._all(headers)
        if self.streams:
            await self._begin()

    async def _begin(self) -> None:
        self.begun = True
        head, self._head = self._head, []  # which a stream needs no more
        start: Any = {"type": "http.response.start", "status": self.status, "headers": head}
        await self._send(start)

    async def _pass(self, body: bytes, *, more: bool = False) -> None:
        if not self.begun:
            whole = not more and self._whole is not None
            if whole and self._whole(self.status, self._head, body):
                self.begun = True
                return
            await self._begin()
        await self._send({"type": "http.response.body", "body": body, "more_body": more})

    @property
    def _allows(self) -> bool:
        """Whether OPTIONS is answered, of a path that is there."""
        return self._method == "OPTIONS" and self.status in (204, 405)

    async def answer(self, status: int, headers: RawHeaders, body: bytes) -> None:
        """Send a whole answer."""
        self.status, self._head = status, self._all(headers)
        if status != 204:  # noqa: PLR2004 - which has no body, and so no length
            self._head.append((b"content-length", b"%d" % len(body)))
        await self._pass(b"" if self._method == "HEAD" else body)

    async def fail(self, fault: Exception, path: str) -> None:
        """Send what a fault is answered with; an answer that has begun is cut short."""
        if self.begun and isinstance(fault.__cause__, Exception):  # the framework says no more
            fault = fault.__cause__
        problem = problem_of(fault, path)
        if not self.begun:
            await self.answer(*problem)

    async def reply(self, taken: Taken, *, msgpack: bool) -> None:
        """Send what a fast route answers."""
        kind = MSGPACK_TYPE if msgpack else JSON_TYPE
        data = encode(taken.value, msgpack=msgpack)
        await self.answer(taken.status, [kind, *taken.headers], data)

    def _all(self, headers: RawHeaders) -> RawHeaders:
        headers = with_common(headers, self.trace, self._timed, crosses=self._crosses)
        return [*headers, CLOSE] if self._closes and CLOSE not in headers else headers


def with_common(
    headers: RawHeaders, trace: Trace, timed: Site | None, *, crosses: bool
) -> RawHeaders:
    """The headers of an answer, and those that all answers have.

    `timed`: where the time is told; `crosses`: whether a page of another origin asks.
    """
    every = [*headers, (b"x-request-id", trace.request_id.encode()), _NO_SNIFF]
    if timed is not None:
        every += time_header(timed.service, trace.match)
        # Whatever it is, it is for who asks, and for now.
        if _CACHES not in dict(headers):
            every.append(_NO_STORE)
    return every + CROSS if crosses else every


def _forget(scope: Any, headers: Headers) -> None:
    """Let go of what an answer that lasts needs no more of its request."""
    headers.clear()
    scope["headers"].clear()
    for name in scope.keys() - _LASTING:
        del scope[name]


def _with_head(header: tuple[bytes, bytes]) -> tuple[bytes, bytes]:
    """A header of an answer, `Allow` with HEAD: whatever can be got has it."""
    name, value = header
    if name != b"allow":
        return header
    methods = {method.strip() for method in value.split(b",")}
    return name, b", ".join(sorted(methods | {b"HEAD"} if b"GET" in methods else methods))


def request_id(headers: Headers) -> str:
    """A request's id: its own, if that is sane."""
    sent = headers.get(b"x-request-id")
    return sent.decode() if sent and _SANE_ID.fullmatch(sent) else new_request_id()


def problem_of(fault: Exception, path: str) -> tuple[int, RawHeaders, bytes]:
    """The status, headers and body that a fault is answered with."""
    while isinstance(fault, ExceptionGroup):  # of an answer that is sent in pieces
        fault = fault.exceptions[0]
    reply = answer_to(fault)
    own = [(name.encode(), value.encode()) for name, value in (reply.headers or {}).items()]
    return reply.status_code, [_PROBLEM_TYPE, *own], reply.body(path)
