"""The WebSocket: `GET /v1/matches/{match}/live`.

Messages go out as they come, as JSON text frames; commands come in, are judged one after another
in their order, and each is answered. While a command is judged nothing more is read, so that
whoever sends faster than the referee judges is slowed down.
"""

from __future__ import annotations

import asyncio
import contextlib
import re
from collections.abc import Awaitable
from typing import TYPE_CHECKING, Annotated, Any, Final

import msgspec
import structlog
from msgspec import UNSET, Meta, Struct, UnsetType
from msgspec.structs import replace

from referee.core.patterns import KEY, spelled
from referee.http.logs import current
from referee.http.negotiation import headers_of, read_place, text_of, time_header
from referee.http.parameters import Judge, any_text, read_query, whole, whole_number
from referee.http.problems import Problem, answer_to
from referee.http.streams.places import holder_of, place_in
from referee.http.streams.sse import WRITE, Write
from referee.http.tokens import Tokens
from referee.service import Body
from referee.service.answers import Accepted
from referee.service.asking.bodies import loosely, read_struct
from referee.service.asking.requests import Place
from referee.service.errors import BadRequest, Misshapen, Part
from referee.service.following import (
    LAST_S,
    Ended,
    Follower,
    Following,
    News,
    Reason,
    RewrittenMessage,
    TimeMessage,
)

if TYPE_CHECKING:
    from litestar.types import Receive, Send

log = structlog.get_logger(__name__)

_PATH: Final = re.compile("/v1/matches/([^/]+)/live")
_QUERY: Final[dict[str, Judge]] = {"after": any_text, "seat": whole, "access_token": any_text}

MOST_FAULTS: Final = 100
"""Frames in a row that cannot be understood, before the socket is closed for it."""
CLOSE_CODES: Final[dict[Reason, int]] = {
    "finished": 1000,
    "left": 1000,
    "flood": 1008,
    "failed": 1011,
    "unreadable": 1011,
    "lost": 1011,
    "drained": 1012,
    "away": 1013,
    "expired": 4401,
    "reissued": 4401,
    "slow": 4408,
}
"""How a socket is closed: 4xxx are ours, named after the statuses of HTTP."""

_TAG: Final = r"^[1-9][0-9]{0,17}\.[0-9a-f]{16,64}$"
Id = Annotated[str, Meta(max_length=64)] | int


class CommandFrame(Struct, frozen=True, forbid_unknown_fields=True):
    """A command that comes in on a socket.

    `id`: the sender's, to know the answer by; `if_version`: as `If-Match`, a version or a tag;
    `key`: as `Idempotency-Key`.
    """

    id: Id
    command: msgspec.Raw
    if_version: Annotated[int, Meta(ge=1)] | Annotated[str, Meta(pattern=_TAG)] | UnsetType = UNSET
    key: Annotated[str, spelled(KEY)] | UnsetType = UNSET


class _Shape(CommandFrame, frozen=True):
    """A frame with its command as an object: to say what is wrong with one."""

    command: dict[str, Any]  # type: ignore[assignment]


class AcceptedAnswer(Struct, frozen=True):
    """The answer to a command that was accepted."""

    id: Id
    ok: Accepted


class RefusedAnswer(Struct, frozen=True):
    """The answer to one that was not; `id` is null where the frame had none."""

    id: Id | None
    refused: Problem


class TimeFrame(Struct, frozen=True):
    """What time it is, as a socket tells it."""

    time: TimeMessage


class RewrittenFrame(Struct, frozen=True):
    """The news that the log was rewritten, as a socket tells it."""

    rewritten: RewrittenMessage


SENT: Final = (TimeFrame, RewrittenFrame, AcceptedAnswer, RefusedAnswer)
"""What goes out beside the messages of commits."""
_JSON: Final = msgspec.json.Encoder()


class Socket:
    """One open socket."""

    def __init__(
        self, following: Following, follower: Follower, path: str, seat: int | None, *, send: Send
    ) -> None:
        self._service = following.service
        self._observer = following.observer
        self._follower = follower
        self._path = path
        self._seat = seat
        self._send = send
        self._faults = 0

    async def serve(self, receive: Receive, *headers: tuple[bytes, bytes]) -> None:
        """Open it, then tell and take until there is no more, or somebody ends it."""
        accept: Any = {"type": "websocket.accept", "headers": list(headers)}
        await self._send(accept)
        self._follower.tell = self._send_news
        telling = asyncio.ensure_future(self._tell())
        try:
            while True:
                message: Any = await receive()
                if message["type"] == "websocket.disconnect":
                    raise Ended("left")
                await self._take(message)
        finally:
            telling.cancel()
            await asyncio.wait([telling])

    # ── Telling ───────────────────────────────────────────────────────────────────────────────────

    async def _tell(self) -> None:
        try:
            while True:
                for news in await self._follower.some():
                    await self._follower.say(self._send_news(news))
        except Ended as ended:
            self._follower.stop(ended.reason)
        except OSError:
            self._follower.stop("left")
        except Exception:
            log.exception("a socket failed", match=self._follower.match)
            self._follower.stop("failed")

    def _send_news(self, news: News) -> Awaitable[None]:
        return self._send(_frame_of(news.form(_text)))

    # ── Taking ────────────────────────────────────────────────────────────────────────────────────

    async def _take(self, message: Any) -> None:
        self._follower.busy = True
        try:
            answer = _JSON.encode(await self._answer(message))
            await self._follower.say(self._send(_frame_of(answer)))
        finally:
            self._follower.busy = False
        if self._follower.reason is not None:
            raise Ended(self._follower.reason)
        if self._faults > MOST_FAULTS:
            raise Ended("flood")

    async def _answer(self, message: Any) -> AcceptedAnswer | RefusedAnswer:
        text: str | None = message.get("text")
        body = Body(b"" if text is None else text.encode())
        try:
            frame = _frame_in(text, body)
        except Exception as fault:  # noqa: BLE001 - every fault has its answer
            self._faults += 1
            return self._refused(_id_in(body), fault)
        self._faults = 0
        try:
            return AcceptedAnswer(frame.id, await self._command(frame))
        except Exception as fault:  # noqa: BLE001 - likewise
            return self._refused(frame.id, fault)

    async def _command(self, frame: CommandFrame) -> Accepted:
        follower = self._follower
        return await self._service.command(
            follower.match,
            follower.bearer,
            Body(bytes(frame.command)),
            seat=self._seat,
            expected=_expected(frame.if_version),
            key=None if frame.key is UNSET else frame.key,
        )

    def _refused(self, frame: Id | None, fault: Exception) -> RefusedAnswer:
        problem = answer_to(fault).problem
        if cause := current().taken_cause():
            self._observer.unserved(cause)
        return RefusedAnswer(frame, replace(problem, instance=self._path))


def _expected(version: int | str | UnsetType) -> list[Place] | None:
    """Where alone a command is wanted; None: anywhere."""
    place = None if version is UNSET else read_place(str(version))
    return None if version is UNSET else [] if place is None else [place]


def _text(news: News) -> bytes:
    """A message as a socket tells it."""
    if news.event == "commit":
        return news.data
    return b'{"%s":%b}' % (news.event.encode(), news.data)


def _frame_of(data: bytes) -> Any:
    return {"type": "websocket.send", "text": data.decode()}


def _frame_in(text: str | None, body: Body) -> CommandFrame:
    if text is None:
        raise BadRequest("Frames are JSON text.")
    try:
        frame = read_struct(body, CommandFrame)
    except Misshapen as fault:
        raise Misshapen(str(fault), [Part(loosely(body), _Shape)]) from None
    if not bytes(frame.command).startswith(b"{"):
        raise Misshapen("command is no object", [Part(loosely(body), _Shape)])
    return frame


class _WithId(Struct, frozen=True):
    """Whatever has an id."""

    id: Id


def _id_in(body: Body) -> Id | None:
    """The id in a frame that cannot be understood, where it has one."""
    try:
        return msgspec.json.decode(body.data, type=_WithId).id
    except (msgspec.DecodeError, RecursionError, UnicodeDecodeError):
        return None


def match_in(path: str) -> str | None:
    """The match to whose socket a path leads; None for any other path."""
    found = _PATH.fullmatch(path)
    return None if found is None else found[1]


async def serve_socket(
    following: Following, tokens: Tokens, match: str, scope: Any, receive: Receive, send: Send
) -> None:
    """Serve one WebSocket, from its handshake to its end."""
    await receive()  # the wish to connect
    trace = current()
    trace.match = match
    try:
        headers, query = headers_of(scope["headers"]), read_query(scope["query_string"], _QUERY)
        last_event_id = text_of(headers, b"last-event-id")
        place, seat = place_in(last_event_id, query.get("after")), whole_number(query, "seat")
        bearer, until = holder_of(tokens, headers, query.get("access_token"))
        trace.seat = trace.seat if seat is None else seat
        follower = await following.follow(match, bearer, place, until=until)
    except Exception as fault:  # noqa: BLE001 - every fault has its answer
        await deny(scope, receive, send, fault, *time_header(following.service, match))
        return
    write: Write | None = scope.get("extensions", {}).get(WRITE, {}).get("write")
    if write is not None:
        follower.write_by(write, _text)
    socket = Socket(following, follower, scope["path"], seat, send=send)
    request_id = (b"x-request-id", trace.request_id.encode())
    told = (request_id, *time_header(following.service, match))
    reason = await following.keep(follower, "websocket", socket.serve(receive, *told))
    log.info("socket closed", reason=reason)
    if reason != "left":
        close: Any = {"type": "websocket.close", "code": CLOSE_CODES[reason], "reason": reason}
        with contextlib.suppress(TimeoutError, OSError, RuntimeError):
            async with asyncio.timeout(LAST_S):
                await send(close)


async def deny(
    scope: Any, receive: Receive, send: Send, fault: Exception, *more: tuple[bytes, bytes]
) -> None:
    """Answer a handshake, once its wish was received, with a problem as any other request."""
    reply = answer_to(fault)
    body = reply.body(scope["path"])
    headers = [
        (b"content-type", b"application/problem+json"),
        (b"content-length", b"%d" % len(body)),
        (b"cache-control", b"no-store"),
        *((name.encode(), value.encode()) for name, value in (reply.headers or {}).items()),
        *more,
    ]
    start: Any = {
        "type": "websocket.http.response.start",
        "status": reply.status_code,
        "headers": headers,
    }
    await send(start)
    end: Any = {"type": "websocket.http.response.body", "body": body, "more_body": False}
    await send(end)
    with contextlib.suppress(TimeoutError):
        async with asyncio.timeout(LAST_S):
            await receive()  # that it is closed
            await receive()  # that it is gone: before that the server takes it for forgotten
