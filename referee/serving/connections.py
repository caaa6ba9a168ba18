"""What one connection may cost: bounds that uvicorn has not.

Requests are handed to the parser one after another, each when the one before it is answered: what
a client sends ahead of that waits as it came, and when much of it does no more is read.
"""

from __future__ import annotations

import asyncio
import socket
from collections.abc import Callable
from functools import partial
from http import HTTPStatus
from typing import TYPE_CHECKING, Any, Final, cast
from urllib.parse import unquote

from httptools import HttpRequestParser
from msgspec import UNSET
from uvicorn.protocols.http.flow_control import FlowControl
from uvicorn.protocols.http.httptools_impl import STATUS_LINE, HttpToolsProtocol
from uvicorn.protocols.utils import ClientDisconnected
from uvicorn.protocols.websockets.websockets_sansio_impl import WebSocketsSansIOProtocol
from websockets import http11
from websockets.protocol import State

from referee.http.middleware import CLOSE, CROSS
from referee.http.problems import PROBLEM_JSON, HeadTooLarge, Reply, TargetTooLong, answer_to
from referee.http.streams.sse import WRITE
from referee.service.errors import BadRequest
from referee.serving.straight import READER, UNHEARD, Exchange, Whole, serve

if TYPE_CHECKING:
    from uvicorn._types import ASGIReceiveEvent, ASGISendEvent
    from websockets.frames import Frame
    from websockets.http11 import Request

    from referee.http.context import Site
    from referee.http.middleware import Middleware, RawHeaders

PATIENCE_S: Final = 20.0
"""Seconds for a request to arrive whole."""
LOOK_S: Final = 5.0
"""Seconds between two looks whether it has."""
UNREAD_S: Final = 60.0
"""Seconds in which a client must take at least something of what waits to be sent to it."""
LINGER_S: Final = 2.0
"""Seconds for a client to notice that it was refused: what it goes on sending is thrown away."""
MOST_HEAD: Final = 64 * 1024
"""Bytes of a request's line and headers; and again of what is no content behind them."""
MOST_AHEAD: Final = 64 * 1024
"""Bytes that wait on a connection before no more is read, beside what one read brings."""
ONE_READ: Final = 32 * 1024
"""Bytes that the system is to keep for a connection (it doubles that): one read brings no more."""
ON_ITS_WAY: Final = 128 * 1024
"""Bytes that the system is to take for a connection ahead of what its client has (it doubles that):
what is made for a client that does not read.
"""
MOST_UNSENT: Final = 16 * 1024
"""Bytes that wait for a client beside these before no more is made for it but what was begun."""
PIECE: Final = 2048
"""Bytes from a socket that are taken apart at once: they may be some hundred frames."""
FRAMING: Final = 6
"""Bytes that a byte of content comes in where each is a chunk by itself."""
UNHEARD_MS: Final = 30_000
"""How long a client may leave what was sent to it unacknowledged before it counts as gone."""
http11.MAX_LINE_LENGTH = http11.MAX_NUM_HEADERS = MOST_HEAD  # of a handshake, which came whole

_FRAMES: Final = frozenset({b"content-length", b"transfer-encoding"})
"""Headers that say where a request's content ends."""
_END: Final = b"\r\n\r\n"
"""What a head ends with, and a body in chunks."""
_KEEPALIVE: Final = {"TCP_KEEPIDLE": 30, "TCP_KEEPINTVL": 10, "TCP_KEEPCNT": 3}


def notice_the_gone(listening: socket.socket) -> None:
    """Let the system find out which clients are gone without a word; connections inherit it."""
    listening.setsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE, 1)
    listening.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, ONE_READ)
    listening.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, ON_ITS_WAY)
    options = {**_KEEPALIVE, "TCP_USER_TIMEOUT": UNHEARD_MS}
    for name, value in options.items():
        if hasattr(socket, name):  # not every system has each
            listening.setsockopt(socket.IPPROTO_TCP, getattr(socket, name), value)


class Guarded:
    """A transport that writes nothing to who has gone, nor behind the end of what was sent.

    An answer under way may hear of either later. It closes as its protocol sees fit.
    """

    __slots__ = ("_over", "_part", "_transport")

    def __init__(self, transport: Any, part: Callable[[], None]) -> None:
        self._transport = transport
        self._part = part
        self._over = False

    def __getattr__(self, name: str) -> Any:
        return getattr(self._transport, name)

    def write(self, data: bytes) -> None:
        """Send bytes."""
        if not (self._over or self._transport.is_closing()):
            self._transport.write(data)

    def write_eof(self) -> None:
        """Send nothing any more."""
        self._over = True
        self._transport.write_eof()

    def close(self) -> None:
        """Part as the protocol sees fit."""
        self._part()

    def part_as(self, part: Callable[[], None]) -> None:
        """Part like this from now on."""
        self._part = part


class _Flow(FlowControl):
    """uvicorn's flow control, with something to wait for while somebody may have to wait."""

    def __init__(self, transport: asyncio.Transport) -> None:
        self._transport = transport
        self.read_paused = self.write_paused = False

    def pause_writing(self) -> None:
        """Let no more be written."""
        self._is_writable_event = asyncio.Event()
        super().pause_writing()


class _Content:
    """What a parser tells of a request's content alone."""

    __slots__ = ("on_body", "on_message_complete")

    def __init__(self, protocol: HttpProtocol) -> None:
        self.on_body = protocol.on_body
        self.on_message_complete = protocol.on_message_complete


class _ContentParser(HttpRequestParser):
    """A parser of content whose head another one has read."""


class HttpProtocol(HttpToolsProtocol):
    """uvicorn's HTTP with bounds; and each answer that is known whole in one write."""

    # Beside uvicorn's own, which are as many as Python keeps together for all of a class.
    __slots__ = (
        "_answering", "_bare", "_front", "_guarded", "_left", "_moved", "_offered", "_over",
        "_parting", "_rested", "_since", "_tail", "_timer", "_told_gone", "_unsent", "_waiting",
    )  # fmt: skip

    def __init__(self, *args: Any, **more: Any) -> None:
        super().__init__(*args, **more)
        self._front = cast("Middleware", self.app)
        self.url = b""
        self._since: float | None = None  # when the request began that has not arrived whole
        self._unsent = 0  # bytes that waited to be sent at the last look
        self._moved = 0.0  # the last look at which there were none, or less than before
        self._rested = 0.0  # when the last answer was complete
        self._timer: asyncio.TimerHandle | None = None
        self._answering = False  # the head of the request was read, and the application has it
        self._parting = False
        self._over = 0  # bytes of a head that were read, or of what is no content behind it
        self._left = 0  # bytes of content to come, where their number is said
        self._waiting = b""
        self._tail = b""  # the last three bytes that were read
        self._told_gone: Callable[[], None] | None = None

    def connection_made(self, transport: Any) -> None:
        """A client has come, to ask something."""
        self._bare: asyncio.Transport = transport
        transport.set_write_buffer_limits(MOST_UNSENT)
        self._guarded = Guarded(transport, self._close)
        self._offered: dict[object, object] = {
            "answer": self._answer, "write": self._write, "when_gone": self._when_gone,
        }  # fmt: skip
        super().connection_made(cast("asyncio.Transport", self._guarded))
        self.flow = _Flow(cast("asyncio.Transport", self._guarded))
        self.pipeline = ()  # type: ignore[assignment] # where no request ever waits: see `_read_on`
        self._since = self.loop.time()
        self._timer = self.loop.call_later(LOOK_S, self._look)

    def connection_lost(self, exc: Exception | None) -> None:
        """It has gone."""
        self._parting = True
        self._front.turns.take(partial(self._lost, exc))

    def _lost(self, exc: Exception | None) -> None:
        super().connection_lost(exc)
        if self._told_gone is not None:
            self._told_gone()
        self._let_go()

    def _let_go(self) -> None:
        """Lead back here from nowhere: a ring waits in memory until garbage is collected.

        There may be thousands of connections by then, each with what it was sent last.
        """
        if self._timer is not None:
            self._timer.cancel()
        self._guarded.part_as(self._bare.close)
        self._offered.clear()
        self.parser = None  # type: ignore[assignment]

    def _look(self) -> None:
        """Cut off who sends half a request, leaves an answer where it is, or asks no more."""
        if self._bare.get_protocol() is not self:
            return
        now, unsent = self.loop.time(), self._bare.get_write_buffer_size()
        if not 0 < self._unsent <= unsent:
            self._moved = now
        self._unsent = unsent
        late = self._since is not None and now - self._since > PATIENCE_S
        if late or now - self._moved > UNREAD_S:
            self._bare.abort()
            return
        if self._resting and now - self._rested > self.timeout_keep_alive:
            self.transport.close()
        self._timer = self.loop.call_later(LOOK_S, self._look)

    # ── Reading ───────────────────────────────────────────────────────────────────────────────────

    def data_received(self, data: bytes) -> None:
        """Something has come; while a request is being answered it waits."""
        if self._parting:
            return
        if self._resting or not (self._answering or self._tail):
            sent = READER.read(data)
            if sent is not None and (site := self._front.open_site) is not None:
                self._take(sent, site)
                return
        self._read_on(self._waiting + data if self._waiting else data)

    def _take(self, sent: Whole, site: Site) -> None:
        """Have a command taken that came whole: neither the parser nor the framework sees it."""
        self._since, self._answering = None, True
        self.cycle = cast("Any", Exchange())
        task = self.loop.create_task(serve(self._front, site, sent, self._send))
        self.tasks.add(task)
        task.add_done_callback(self.tasks.discard)

    async def _send(self, status: int, headers: RawHeaders, body: bytes) -> None:
        """Send a whole answer, once what was sent before it has gone."""
        if self.flow.write_paused:
            await self.flow.drain()
        self._answer(status, headers, body)

    def _read_on(self, data: bytes) -> None:
        """Hand the parser what has come, up to the end of one request; the rest waits."""
        at = 0
        while at < len(data) and not self._busy:
            if self._since is None:
                self._since, self._answering = self.loop.time(), False
            if self._left:
                piece = data[at : at + self._left]
                self._left -= len(piece)
            else:
                piece = data[at : at + self._next(data, at)]
                self._tail = (self._tail + piece[-3:])[-3:]
            at += len(piece)
            self._over += len(piece)
            super().data_received(piece)
            if self._over >= MOST_HEAD:
                self._refuse(self._too_much())
        self._waiting = b"" if self._parting else data[at:]
        if len(self._waiting) > MOST_AHEAD:
            self.flow.pause_reading()

    @property
    def _busy(self) -> bool:
        """Whether nothing is to be read: a request is there, and waits for its answer."""
        if self._since is not None or not self._answering:
            return self._parting
        return self._parting or not self.cycle.response_complete

    @property
    def _resting(self) -> bool:
        """Whether the last request was answered, and no other one has begun."""
        return self._since is None and self._answering and self.cycle.response_complete

    def _next(self, data: bytes, at: int) -> int:
        """How many bytes, at most, are of the same part of the same request."""
        joint = (self._tail + data[at : at + 3]).find(_END)
        if joint >= 0:
            return joint + len(_END) - len(self._tail)
        room = MOST_HEAD - self._over
        end = data.find(_END, at, at + room)
        return room if end < 0 else end + len(_END) - at

    def on_headers_complete(self) -> None:
        """A head is there; what comes now is content, if anything."""
        self._over = 0
        for name, value in self.headers:
            if name == b"content-length":
                self._left = int(value)
        super().on_headers_complete()
        self.scope["extensions"] = {WRITE: self._offered}
        self._answering = True

    def _answer(self, status: int, headers: RawHeaders, body: bytes) -> bool:
        """Send a whole answer, unless what was sent before it still waits.

        uvicorn is handed head and body one after the other, and each write is a call of the
        system: on a short answer the second costs more than judging the command did.
        """
        cycle, ends = self.cycle, CLOSE in headers
        if self.flow.write_paused or cycle.response_started or cycle.disconnected:
            return False
        if self._since is not None and cycle.waiting_for_100_continue:
            cycle.keep_alive = False  # nobody knows whether the content is to come after that
        if not (cycle.keep_alive or ends):
            headers = [*headers, CLOSE]
        cycle.keep_alive = cycle.keep_alive and not ends
        self._guarded.write(_written(status, self.server_state.default_headers + headers, body))
        cycle.response_started = cycle.response_complete = True
        cycle.message_event.set()
        if not cycle.keep_alive:
            self.transport.close()
        self.on_response_complete()
        return True

    def _write(self, part: bytes) -> bool:
        """Send part of an answer that has begun, unless what was sent before it still waits."""
        cycle = self.cycle
        fit = cycle.chunked_encoding and not (cycle.response_complete or cycle.disconnected)
        if self.flow.write_paused or not fit or self._bare.is_closing():
            return False
        self._guarded.write(b"%x\r\n%b\r\n" % (len(part), part))
        return True

    def _when_gone(self, tell: Callable[[], None] | None) -> None:
        """Have somebody told instead of asking for it; what else comes meanwhile is thrown away."""
        self._told_gone = tell
        if tell is not None:
            self.cycle.message_event = UNHEARD  # type: ignore[assignment]
            self.flow.resume_reading()
            if self._since is None:  # it has come whole, and what comes next is for another parser
                self.parser = None  # type: ignore[assignment]
            if self.cycle.disconnected:
                tell()

    def on_body(self, body: bytes) -> None:
        """Some content is there."""
        self._over -= FRAMING * len(body)
        if self._told_gone is None:
            super().on_body(body)

    def on_message_complete(self) -> None:
        """A request has arrived whole."""
        if self._content_follows and self.parser.should_upgrade() and not self._should_upgrade():
            return
        self._since, self._over = None, 0
        super().on_message_complete()
        if isinstance(self.parser, _ContentParser):
            self._begin_to_parse()

    @property
    def _content_follows(self) -> bool:
        return self._left > 0 or any(name == b"transfer-encoding" for name, _ in self.headers)

    def _unsupported_upgrade_warning(self) -> None:
        """Serve whoever would rather speak another protocol, as HTTP/2, by this one.

        The parser has taken the content, if there is any, for what is said in that protocol.
        """
        if self._content_follows:
            self.parser = _ContentParser(_Content(self))
            framing = (b"%b: %b\r\n" % pair for pair in self.headers if pair[0] in _FRAMES)
            super().data_received(b"POST / HTTP/1.1\r\n%b\r\n" % b"".join(framing))

    def _begin_to_parse(self) -> None:
        self.parser = HttpRequestParser(self)
        self.parser.set_dangerous_leniencies(lenient_data_after_close=True)

    def on_response_complete(self) -> None:
        """It was answered: the next one may be read.

        uvicorn has a timer for each rest between two requests, which hardly ever runs out.
        """
        self.server_state.total_requests += 1
        self._rested = self.loop.time()
        if not self._bare.is_closing():
            self.flow.resume_reading()
        if cast("object", self.parser) is None and not self._parting:
            self._begin_to_parse()
        if self._waiting and not self._parting:
            self._read_on(self._waiting)

    def handle_websocket_upgrade(self) -> None:
        """The rest is the business of a socket."""
        self._parting = True
        self._let_go()
        super().handle_websocket_upgrade()

    # ── Parting ───────────────────────────────────────────────────────────────────────────────────

    def _too_much(self) -> Exception:
        in_line = not self.headers and MOST_HEAD - len(self.url) < len("OPTIONS  HTTP/1.1\r\n")
        if in_line:
            return TargetTooLong(f"The target has no end within {MOST_HEAD} bytes.")
        return HeadTooLarge(f"There are more than {MOST_HEAD} bytes of headers.")

    def send_400_response(self, msg: str) -> None:
        """Say that this is no HTTP."""
        self._refuse(BadRequest(msg))

    def _refuse(self, fault: Exception) -> None:
        """Answer what cannot be read on, if it has no answer yet, and part."""
        if self._parting:
            return
        begun = self._answering and self.cycle.response_started
        if self._answering and not self.cycle.response_complete:
            self.cycle.disconnected = True
            self.cycle.message_event.set()
        if not begun and not self._bare.is_closing():
            path = unquote(self.url.partition(b"?")[0])
            time = self._front.time_at(path)
            whole = self.headers or isinstance(fault, HeadTooLarge)
            self._bare.write(_refusal(answer_to(fault), time, path if whole else ""))
        self._linger()

    def _close(self) -> None:
        """Close as soon as all is sent; where more of a request is to come, a little later."""
        if self._since is not None and self._answering and not self._parting:
            self._linger()
        else:
            self._parting = True
            self._bare.close()

    def _linger(self) -> None:
        """Let the client notice what it was told, and throw away what it sends meanwhile.

        A connection that is closed while something comes in is reset, and the answer with it.
        """
        if self._parting:
            return
        self._parting = True
        self._waiting = b""
        if self._bare.is_closing():  # it was reset, and nobody has been told yet
            return
        self.flow.resume_reading()
        self._guarded.write_eof()
        if self._timer is not None:
            self._timer.cancel()
        self._timer = self.loop.call_later(LINGER_S, self._bare.abort)


def _written(status: int, headers: RawHeaders, body: bytes) -> bytes:
    """An answer as it is sent.

    Raises:
        ValueError: a header would be read as two.
    """
    head = STATUS_LINE[status] + b"\r\n".join(map(b": ".join, headers))
    if not head.count(b"\r") == head.count(b"\n") == len(headers):
        raise ValueError("a header holds the end of a line")
    return b"%b\r\n\r\n%b" % (head, body)


def _refusal(reply: Reply, more: RawHeaders, path: str) -> bytes:
    """An answer as it is sent where there is no request to answer by the framework.

    `path`: of what was asked for, "" where that was not read.
    Whether a page of another origin has asked was perhaps not read: it may read it in any case.
    """
    body = reply.body(path or UNSET)
    head = [
        (b"content-type", PROBLEM_JSON.encode()),
        (b"content-length", b"%d" % len(body)),
        (b"cache-control", b"no-store"),
        CLOSE,
    ]
    return _written(reply.status_code, [*head, *CROSS, *more], body)


class SocketProtocol(WebSocketsSansIOProtocol):
    """uvicorn's WebSockets, which read no more than is dealt with.

    Each ping is answered at once, and each frame becomes a message: from a client that only sends,
    and sends much, they would gather in memory without end. A piece of what has come is taken
    apart in each turn of the event loop.
    """

    path = ""
    _turn: asyncio.Handle | None = None

    def connection_made(self, transport: Any) -> None:
        """A handshake has come."""
        self._waiting = bytearray()
        super().connection_made(transport)

    def connection_lost(self, exc: Exception | None) -> None:
        """The client has gone, or was left."""
        self._waiting.clear()
        cast("Middleware", self.app).turns.take(partial(self._lost, exc))

    def _lost(self, exc: Exception | None) -> None:
        super().connection_lost(exc)
        # What it holds of the handshake, in rings with itself.
        self.conn.parser.close()
        if self.handshake_initiated:
            self.scope["extensions"].pop(WRITE, None)

    def data_received(self, data: bytes) -> None:
        """Something has come; while there are messages to be dealt with it waits."""
        self._waiting += data
        self._read_on()

    def resume_writing(self) -> None:
        """Enough of what was to be sent has gone."""
        super().resume_writing()
        self._read_on()

    async def receive(self) -> ASGIReceiveEvent:
        """The next message."""
        self._read_on()  # what came behind a handshake that is answered now
        message = await self.queue.get()
        self._read_on()
        return message

    async def send(self, message: ASGISendEvent) -> None:
        """Send a message; who was left for what it sent, or did not send, is gone."""
        if self.close_sent:
            raise ClientDisconnected
        await super().send(message)

    def _read_on(self) -> None:
        """Take a piece of what waits apart, and read more where nothing waits."""
        if self.transport.is_closing():
            self._waiting.clear()
        if self._waiting and self._turn is None and not self._full:
            piece = bytes(self._waiting[:PIECE])
            del self._waiting[:PIECE]
            super().data_received(piece)
            if self.conn.handshake_exc is not None and not self.handshake_initiated:
                self._refuse(self.conn.handshake_exc)
            self._turn = self.loop.call_soon(self._next_turn)
        full = self._full or bool(self._waiting)
        if full is not self.read_paused and not self.transport.is_closing():
            self.read_paused = full
            (self.transport.pause_reading if full else self.transport.resume_reading)()

    def _refuse(self, fault: Exception) -> None:
        """Say why this is no handshake, which uvicorn does in bare text or not at all."""
        detail = f"This is no handshake of a WebSocket: {fault}."
        time = cast("Middleware", self.app).time_at(self.path)
        self.transport.write(_refusal(answer_to(BadRequest(detail)), time, self.path))
        self.transport.close()
        # The handshake holds it: where it comes from leads back there, in a ring.
        fault.__traceback__ = fault.__cause__ = fault.__context__ = None

    def _next_turn(self) -> None:
        self._turn = None
        self._read_on()

    @property
    def _full(self) -> bool:
        """Whether there is something to be dealt with before more is looked at."""
        unanswered = self.handshake_initiated and not self.handshake_complete
        idle = self.queue.empty() and self.writable.is_set()
        return not self.close_sent and (unanswered or not idle)

    def handle_connect(self, event: Request) -> None:
        """A handshake has come whole; what is wrong with it is told where it was read."""
        self.path = unquote(event.path.partition("?")[0])
        if self.conn.accept(event).status_code == HTTPStatus.SWITCHING_PROTOCOLS:
            super().handle_connect(event)
            self.scope["extensions"][WRITE] = {"write": self._write}

    def _write(self, text: bytes) -> bool:
        """Send a message, unless what was sent before it still waits."""
        open_ = self.conn.state is State.OPEN and not self.transport.is_closing()
        if not open_ or not self.writable.is_set():
            return False
        self.conn.send_text(text)
        self.transport.write(b"".join(self.conn.data_to_send()))
        return True

    def handle_cont(self, event: Frame) -> None:
        """A part of a message, unless it is an empty one: of these there may be any number."""
        if event.data or event.fin:
            super().handle_cont(event)
