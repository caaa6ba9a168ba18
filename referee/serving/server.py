"""Running the application: uvicorn in this process, or in several that share one socket."""

import asyncio
import contextlib
import gc
import resource
import signal
import socket
from collections.abc import Callable
from types import FrameType
from typing import Final

import uvicorn

from referee.http.middleware import Middleware
from referee.http.negotiation import LARGEST_BODY
from referee.serving.connections import HttpProtocol, SocketProtocol, notice_the_gone

BACKLOG: Final = 2048
DRAIN_S: Final = 10
"""Seconds for answers that are under way, once the process was told to stop: longer than the
store is waited for, but clients that send their requests by drops are not waited for at length.
"""
IDLE_S: Final = 75
"""Seconds that a connection may rest between requests: longer than clients and proxies keep one
in hand, for they must not find it closed under the next command."""
PING_S: Final = 10.0
PONG_S: Final = 20.0
"""Seconds between two questions whether a socket's client is there, and for its answer."""
_THRESHOLDS: Final = (5_000, 5, 4_000)
"""Objects that gather before the young ones are looked through; every sixth time those looked
through once as well, 30,000 at most: nobody else has a turn meanwhile. All are hardly ever: next to
nothing of what is done here is left to a collection.
"""


def spare_garbage() -> None:
    """Leave what was made for good out of garbage collection, and collect the rest seldom."""
    gc.collect()
    gc.freeze()
    gc.set_threshold(*_THRESHOLDS)


class Server(uvicorn.Server):
    """Serves `served` on a socket; `ready` is called once it does.

    After SIGTERM it serves on for `leave_s` seconds, and sends everybody elsewhere.
    """

    def __init__(self, served: Middleware, ready: Callable[[], None], leave_s: float = 0.0) -> None:
        super().__init__(
            uvicorn.Config(
                served,
                interface="asgi3",
                loop="uvloop",
                http=HttpProtocol,
                ws=SocketProtocol,
                ws_max_size=LARGEST_BODY,
                ws_ping_interval=PING_S,
                ws_ping_timeout=PONG_S,
                ws_per_message_deflate=False,
                lifespan="on",
                log_config=None,
                access_log=False,
                proxy_headers=False,
                server_header=False,
                backlog=BACKLOG,
                timeout_keep_alive=IDLE_S,
                timeout_graceful_shutdown=DRAIN_S,
            )
        )
        self._served = served
        self._ready = ready
        self._leave_s = leave_s
        self._leaving = False
        self._running: asyncio.AbstractEventLoop | None = None

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        """Start; what was made for good by then is no garbage to look for."""
        self._running = asyncio.get_running_loop()
        await super().startup(sockets)
        spare_garbage()
        self._ready()

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        """Stop, and close what was opened also where clients are not waited for."""
        await super().shutdown(sockets)
        if self.force_exit:
            await self.lifespan.shutdown()

    def handle_exit(self, sig: int, frame: FrameType | None) -> None:  # noqa: ARG002 - uvicorn's
        """Leave, or stop at once; told to leave again (by a parent too) it goes on leaving.

        Unlike uvicorn's own, it does not raise the signal again: having stopped as told is no
        failure.
        """
        loop = self._running
        if loop is not None and sig == signal.SIGTERM and self._leave_s and not self.should_exit:
            loop.call_soon_threadsafe(self._leave, loop)
            return
        if self.should_exit and sig == signal.SIGINT:
            self.force_exit = True
        self._stop()

    def _leave(self, loop: asyncio.AbstractEventLoop) -> None:
        if not self._leaving:
            self._leaving = True
            self._served.leave(self._leave_s)
            loop.call_later(self._leave_s, self._stop)

    def _stop(self) -> None:
        """End live streams, then stop: a server would wait for streams for ever."""
        if self._running is not None:
            self._running.call_soon_threadsafe(self._served.drain)
        self.should_exit = True


def bind(host: str, port: int) -> socket.socket:
    """A socket that listens on an address; port 0 takes a free one.

    Raises:
        OSError: it cannot be had.
    """
    _allow_many_files()
    family, kind, _, _, address = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0]
    listening = socket.socket(family, kind)
    try:
        listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        notice_the_gone(listening)
        listening.bind(address)
        listening.listen(BACKLOG)
    except OSError:
        listening.close()
        raise
    return listening


def _allow_many_files() -> None:
    """Take as many open files as the system grants: each connection is one."""
    _, most = resource.getrlimit(resource.RLIMIT_NOFILE)
    # Where there is no limit at all the system may still have one of its own.
    with contextlib.suppress(ValueError, OSError):
        resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))


def address_of(listening: socket.socket) -> str:
    """The URL under which a listening socket is reached."""
    host, port = listening.getsockname()[:2]
    return f"http://[{host}]:{port}" if ":" in host else f"http://{host}:{port}"
