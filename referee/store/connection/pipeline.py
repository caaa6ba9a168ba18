"""One connection on which everybody's commands travel together.

Commands given within one turn of the event loop leave in one write; while they are under way
the next ones gather, and leave together when the answers are in (group commit). That costs a
command a few microseconds, where a connection of its own from a pool costs many times that.

redis-py makes the connection (TLS, authentication, database, Sentinel); then a small protocol
around hiredis takes the socket over. Nothing is ever sent twice: a command whose answer is lost
fails with `outcome_unknown`, and whoever sent it knows what to do.
"""

import asyncio
import contextlib
from collections.abc import Awaitable, Callable
from typing import Any, Final, NamedTuple, cast

import hiredis
import structlog
from redis.asyncio.connection import AbstractConnection
from redis.exceptions import ResponseError

from referee.store.connection.faults import ErrorReply, TooFewReplicas, lost, unreachable
from referee.store.log import StoreAway

log = structlog.get_logger(__name__)

Dial = Callable[[], Awaitable[AbstractConnection]]
"""Makes a connection to the server that is the right one now, ready for commands."""

Connector = Callable[..., AbstractConnection]
"""Makes a connection, not connected yet, to the `host` and `port` (or `path`) it is given."""

CONNECT_S: Final = 2.0
"""Seconds for a whole connection, with its name resolved and its password taken."""
ANSWER_S: Final = 2.0
"""Seconds for the answers to one write."""
WAIT_MS: Final = 1000
"""Milliseconds for the replicas; well below ANSWER_S. Half of them to sync, where they are to."""

_UNFINISHED: Final = object()

# Its own types say that commands have one part.
pack: Final = cast("Callable[[tuple[str | int | bytes, ...]], bytes]", hiredis.pack_command)
"""A command's parts, name first, as bytes to send."""


# ── The socket: bytes out, replies in, no tasks ─────────────────────────────────────────────────


async def connected(connection: AbstractConnection) -> AbstractConnection:
    """The same, connected, with password and database seen to, and named where that may be."""
    opened: Any = connection
    name, opened.client_name = opened.client_name, None  # redis-py would insist on it
    await opened.connect()
    await opened.send_command("CLIENT", "SETNAME", name)
    with contextlib.suppress(ResponseError):
        await opened.read_response()
    return connection


async def syncs(connection: AbstractConnection) -> bool:
    """Whether the server syncs what it is told at once, and can say when its replicas have.

    Where it does not say how it syncs, or does so once a second, nobody is to wait for that.
    """
    opened: Any = connection
    try:
        await opened.send_command("CONFIG", "GET", "append*")
        told = await opened.read_response()
        await opened.send_command("WAITAOF", 1, 0, 1)
        await opened.read_response()
    except ResponseError:
        return False
    told = dict(zip(told[::2], told[1::2], strict=True))
    return bool(told.get(b"appendfsync") == b"always")


class Wire(asyncio.Protocol):
    """Takes a ready connection over from redis-py.

    `on_replies` gets the replies that came in together, error replies as `hiredis.ReplyError`;
    `on_lost` the wire and the reason when the connection is gone, once.

    Raises:
        ConnectionResetError: the connection is gone already.
    """

    def __init__(
        self,
        connection: AbstractConnection,
        on_replies: Callable[[list[Any]], None],
        on_lost: Callable[["Wire", str], None],
    ) -> None:
        self._reader = hiredis.Reader(notEnoughData=_UNFINISHED)
        self._on_replies = on_replies
        self._on_lost: Callable[[Wire, str], None] | None = on_lost
        # The connection has done its work, and must not close the socket when it goes. The
        # stream writer is kept for the same reason: it would close it when nobody holds it.
        opened: Any = connection
        self._writer: Any = opened._writer  # noqa: SLF001 - redis-py has no public way to it
        opened._writer = opened._reader = None  # noqa: SLF001
        self._transport: Any = self._writer.transport
        self._transport.set_protocol(self)
        if self._transport.is_closing():
            raise ConnectionResetError("it closed the connection")

    def write(self, data: bytes) -> None:
        """Send packed commands."""
        self._transport.write(data)

    def data_received(self, data: bytes) -> None:
        """Bytes have come: hand on what replies they complete."""
        replies: list[Any] = []
        gets = self._reader.gets
        try:
            self._reader.feed(data)
            while (reply := gets()) is not _UNFINISHED:
                replies.append(reply)
        except hiredis.ProtocolError as error:
            self.cut(f"it does not speak the protocol: {error}")
            return
        if replies:
            self._on_replies(replies)

    def connection_lost(self, exc: Exception | None) -> None:
        """The other side, or the network, ended it."""
        self._end(str(exc or "it closed the connection"))

    def cut(self, reason: str) -> None:
        """End it from this side, at once."""
        self._transport.abort()
        self._end(reason)

    def _end(self, reason: str) -> None:
        on_lost, self._on_lost = self._on_lost, None
        if on_lost is not None:
            on_lost(self, reason)


# ── What is sent over it ────────────────────────────────────────────────────────────────────────


class _Order(NamedTuple):
    packed: bytes
    answer: asyncio.Future[Any]


class Pipeline:
    """Commands to one server over one connection, made when first needed and again when lost.

    `replicas`: every write is followed by a WAIT for that many, and its answers are held back
    until they have it (Redis counts only what this very connection wrote). Where the server can
    say so they have it once they have synced it; but if they only receive it in time, that is told
    once and then has to do: they may have no append-only file.
    """

    def __init__(self, dial: Dial, *, replicas: int = 0) -> None:
        self._dial = dial
        self._replicas = replicas
        self._wire: Wire | None = None
        self._connecting: asyncio.Task[None] | None = None
        self._queue: list[_Order] = []
        self._flying: list[_Order] = []
        self._replies: list[Any] = []
        self._synced = False  # replicas are to have synced
        self._waiting = 0  # replies about replicas to the write under way
        self._busy = False  # a flush is due, a write is under way, or a connection is being made
        self._due = 0.0
        self._alarm: asyncio.TimerHandle | None = None
        self._reached = True
        self._closed = False

    def submit(self, key: str, packed: bytes) -> asyncio.Future[Any]:  # noqa: ARG002 - all are here
        """Send one packed command that concerns `key`; the future holds its reply.

        It fails with `StoreAway`: `ErrorReply` for an error reply, `TooFewReplicas`, or, where
        the reply was lost, with `outcome_unknown`. Cancelling it keeps back a command that has
        not left yet, and no other.
        """
        loop = asyncio.get_running_loop()
        answer: asyncio.Future[Any] = loop.create_future()
        self._queue.append(_Order(packed, answer))
        if not self._busy:
            self._busy = True
            loop.call_soon(self._flush)
        return answer

    def _flush(self) -> None:
        """Send what has gathered, over a new connection where there is none.

        But nothing that was given up meanwhile: its sender has told somebody what became of it.
        """
        self._queue = [order for order in self._queue if not order.answer.done()]
        if not self._queue:
            self._busy = False
        elif self._closed:
            self._fail_queue(StoreAway("the store is closed"))
        elif self._wire is None:
            self._connecting = asyncio.ensure_future(self._connect())
        else:
            self._flying, self._queue = self._queue, []
            commands = [order.packed for order in self._flying]
            waits = self._waits()
            self._waiting = len(waits)
            self._wire.write(b"".join(commands + waits))
            self._set_alarm()

    def _waits(self) -> list[bytes]:
        if not self._replicas:
            return []
        if not self._synced:
            return [pack(("WAIT", self._replicas, WAIT_MS))]
        aof = ("WAITAOF", 1, self._replicas, WAIT_MS // 2)
        return [pack(aof), pack(("WAIT", self._replicas, WAIT_MS // 2))]

    async def _connect(self) -> None:
        try:
            async with asyncio.timeout(CONNECT_S):
                connection = await self._dial()
                self._synced = self._replicas > 0 and await syncs(connection)
                self._wire = Wire(connection, self._arrived, self._drop)
        except Exception as error:  # noqa: BLE001 - whatever it was, those who wait must hear of it
            away = unreachable(error)
            self._note_reached(reached=False, how=str(away))
            self._fail_queue(away)
            return
        self._note_reached(reached=True, how="again")
        self._flush()

    def _note_reached(self, *, reached: bool, how: str) -> None:
        """One line in our own log when the server goes, and one when it is back."""
        if reached != self._reached:
            self._reached = reached
            if reached:
                log.info("store reached", how=how)
            else:
                log.warning("store not reached", fault=how)

    def _fail_queue(self, away: StoreAway) -> None:
        orders, self._queue = self._queue, []
        self._busy = False
        for order in orders:
            _fail(order.answer, StoreAway(str(away)))

    def _arrived(self, replies: list[Any]) -> None:
        """Replies to the write under way; once all are there, everybody gets theirs."""
        self._replies += replies
        asked = len(self._flying) + self._waiting if self._flying else 0
        if asked and len(self._replies) == asked:
            self._land()
        elif len(self._replies) > asked and self._wire is not None:
            self._wire.cut("it answered what nobody asked")

    def _land(self) -> None:
        orders, self._flying = self._flying, []
        replies, self._replies = self._replies, []
        short = self._shortfall(replies[len(orders) :]) if self._replicas else None
        # One that replicas have left may be an old primary, which does not know it yet.
        stale = short is not None
        for order, reply in zip(orders, replies, strict=False):
            stale |= _settle(order.answer, reply, short)
        if stale:
            self.leave()
        # After the waiting tasks have run: what they ask next leaves in the same write.
        asyncio.get_running_loop().call_soon(self._flush)

    def leave(self) -> None:
        """Go by a new connection from now on: this one may not lead to the primary."""
        if self._wire is not None:
            self._wire.cut("it is not the primary")

    def _shortfall(self, told: list[object]) -> tuple[int, int] | None:
        """(have, need) where the replies about replicas say that too few have the write."""
        *aof, received = told
        for reply in aof:
            if isinstance(reply, list) and reply[1] >= self._replicas:
                return None
        have = received if isinstance(received, int) else 0
        if have < self._replicas:
            return have, self._replicas
        if aof:
            self._synced = False
            log.warning("replicas have what they are told, but do not sync it in time")
        return None

    def _drop(self, wire: Wire, reason: str) -> None:
        """The connection is gone, with the answers that had not come by then."""
        if wire is not self._wire:
            return
        self._wire = None
        orders, self._flying = self._flying, []
        replies, self._replies = self._replies, []
        if self._replicas:
            replies = []  # without the WAIT's answer they are worth nothing
        for order, reply in zip(orders, replies, strict=False):
            _settle(order.answer, reply, None)
        for order in orders[len(replies) :]:
            _fail(order.answer, lost(reason))
        if orders and not self._closed:
            log.warning("store connection lost", reason=reason, unanswered=len(orders))
            asyncio.get_running_loop().call_soon(self._flush)

    def _set_alarm(self) -> None:
        """Answers are due; one timer at a time, however many writes there are."""
        loop = asyncio.get_running_loop()
        self._due = loop.time() + ANSWER_S
        if self._alarm is None:
            self._alarm = loop.call_at(self._due, self._look)

    def _look(self) -> None:
        self._alarm = None
        if not self._flying or self._wire is None:
            return
        loop = asyncio.get_running_loop()
        if loop.time() < self._due:
            self._alarm = loop.call_at(self._due, self._look)
        else:
            self._wire.cut(f"not within {ANSWER_S:g} s")

    async def aclose(self) -> None:
        """Let go of the server; commands that still wait for their answer fail."""
        self._closed = True
        if self._alarm is not None:
            self._alarm.cancel()
        if self._connecting is not None:
            self._connecting.cancel()
            await asyncio.wait([self._connecting])
        if self._wire is not None:
            self._wire.cut("the store is closed")
        self._fail_queue(StoreAway("the store is closed"))
        await asyncio.sleep(0)  # in which the event loop closes the socket


def _settle(answer: asyncio.Future[Any], reply: object, short: tuple[int, int] | None) -> bool:
    """Hand over one reply; say whether it tells that the server is not the primary."""
    if isinstance(reply, hiredis.ReplyError):
        refused = ErrorReply(reply)
        _fail(answer, refused)
        return refused.stale
    if short is not None:
        _fail(answer, TooFewReplicas(*short, reply))
    elif not answer.done():
        answer.set_result(reply)
    return False


def _fail(answer: asyncio.Future[Any], away: StoreAway) -> None:
    if not answer.done():
        answer.set_exception(away)
