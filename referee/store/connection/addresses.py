"""From a URL to connections: one server, the primary that Sentinels name, or a cluster.

`redis://`, `rediss://` and `unix://` are redis-py's own, with all that it takes behind the `?`.
`redis+sentinel://[user:password@]host[:port],host[:port]/name[/db]` asks the Sentinels for the
primary at every new connection (`?sentinel_username=` and `sentinel_password=` for the Sentinels
themselves). `redis+cluster://[user:password@]host[:port],…` learns the cluster from any node.
`rediss+…` is the same over TLS.
"""

import asyncio
from collections.abc import Callable
from typing import Any, Final, Protocol
from urllib.parse import SplitResult, urlsplit, urlunsplit

from redis.asyncio.connection import AbstractConnection, Connection, SSLConnection, parse_url
from redis.asyncio.retry import Retry
from redis.asyncio.sentinel import Sentinel
from redis.backoff import NoBackoff

from referee.addresses import split_address
from referee.store.connection.pipeline import Dial, Line

_CONNECT_S: Final = 1.0
_HANDSHAKE_S: Final = 2.0
_SENTINEL_S: Final = 0.5
# What only a pool or a client takes, and what is not the user's to choose: no retries, and
# RESP 2, in which nothing comes unasked.
_NOT_OURS: Final = ("max_connections", "timeout", "retry_on_timeout", "protocol")

Address = tuple[str, int]


class _BadUrl(ValueError):
    """A URL that we refuse in our own words, which hold nothing of it."""


class Lines(Protocol):
    """Commands on their way to the server that holds their key."""

    def submit(self, key: str, packed: bytes) -> asyncio.Future[Any]:
        """Send a packed command that concerns `key`; see `Line.submit`."""
        ...

    def everywhere(self, packed: bytes) -> list[asyncio.Future[Any]]:
        """Send a packed command to every server that takes writes."""
        ...

    async def aclose(self) -> None:
        """Let go of the servers."""
        ...


class Reach(Protocol):
    """A way to the servers of one store.

    `together`: all keys are on one server, so that a script may touch any of them.
    """

    together: bool

    def lines(self, *, replicas: int = 0) -> Lines:
        """New lines; with `replicas`, see `Line`."""
        ...

    async def dial(self) -> AbstractConnection:
        """A connection of its own, ready for commands: for listening."""
        ...

    async def aclose(self) -> None:
        """Let go of what was needed to find the servers."""
        ...


class _OneLine:
    """Lines to one server."""

    def __init__(self, line: Line) -> None:
        self._line = line

    def submit(self, key: str, packed: bytes) -> asyncio.Future[Any]:  # noqa: ARG002 - all keys alike
        return self._line.submit(packed)

    def everywhere(self, packed: bytes) -> list[asyncio.Future[Any]]:
        return [self._line.submit(packed)]

    async def aclose(self) -> None:
        await self._line.aclose()


class OneServer:
    """One server at a time; which one it is, `dial` finds out."""

    together = True

    def __init__(self, dial: Dial) -> None:
        self._dial = dial

    def lines(self, *, replicas: int = 0) -> Lines:
        """See `Reach.lines`."""
        return _OneLine(Line(self._dial, replicas=replicas))

    async def dial(self) -> AbstractConnection:
        """See `Reach.dial`."""
        return await self._dial()

    async def aclose(self) -> None:
        """Nothing is held."""


class SentinelServer(OneServer):
    """The primary of the service `name`, as the Sentinels see it now."""

    def __init__(
        self,
        addresses: list[Address],
        name: str,
        make: Callable[..., AbstractConnection],
        sentinel_kwargs: dict[str, Any],
    ) -> None:
        super().__init__(self._dial_primary)
        self._name = name
        self._make = make
        self._sentinel: Any = Sentinel(  # type: ignore[no-untyped-call]  # redis-py's
            addresses, sentinel_kwargs=sentinel_kwargs
        )

    async def _dial_primary(self) -> AbstractConnection:
        host, port = await self._sentinel.discover_master(self._name)
        return await connected(self._make(host=host, port=port))

    async def aclose(self) -> None:
        """Close the connections to the Sentinels."""
        await self._sentinel.aclose()


async def connected(connection: AbstractConnection) -> AbstractConnection:
    """The same, connected, with password and database seen to."""
    await connection.connect()  # type: ignore[no-untyped-call]  # redis-py's
    return connection


def settings(url: str) -> tuple[type[AbstractConnection], dict[str, Any]]:
    """redis-py's connection class and its arguments for a plain URL.

    Raises:
        ValueError: the URL is not one.
    """
    kwargs: dict[str, Any] = dict(parse_url(url))
    for name in _NOT_OURS:
        kwargs.pop(name, None)
    kwargs.setdefault("socket_connect_timeout", _CONNECT_S)
    kwargs.setdefault("socket_timeout", _HANDSHAKE_S)
    kwargs.setdefault("client_name", "referee")
    kind: type[AbstractConnection] = kwargs.pop("connection_class", Connection)
    return kind, {**kwargs, "protocol": 2, "driver_info": None}


def _plain(url: SplitResult, path: str) -> str:
    """The redis:// URL that stands for the same user, password, options and TLS."""
    user, at, _ = url.netloc.rpartition("@")
    scheme = url.scheme.partition("+")[0]
    return urlunsplit((scheme, f"{user}{at}host", path, url.query, ""))


def _addresses(url: SplitResult, port: int) -> list[Address]:
    """The hosts of a URL that names several, in its order."""
    hosts = url.netloc.rpartition("@")[2].split(",")
    parsed = [urlsplit(f"//{host}") for host in hosts]
    if not all(one.hostname for one in parsed):
        raise _BadUrl("a store's URL names no host where one should stand")
    return [(str(one.hostname), one.port or port) for one in parsed]


def _server(url: SplitResult) -> Reach:
    kind, kwargs = settings(urlunsplit(url))
    return OneServer(lambda: connected(kind(**kwargs)))


def _sentinel(url: SplitResult) -> Reach:
    name, _, database = url.path.strip("/").partition("/")
    if not name:
        raise _BadUrl("a store's URL for Sentinels ends with the name of the service")
    kind, kwargs = settings(_plain(url, f"/{database}"))
    for key in ("host", "port"):
        kwargs.pop(key, None)
    own = {
        "username": kwargs.pop("sentinel_username", None),
        "password": kwargs.pop("sentinel_password", None),
        "socket_timeout": _SENTINEL_S,
        "socket_connect_timeout": _SENTINEL_S,
        "retry": Retry(NoBackoff(), 0),
        "protocol": 2,
        "ssl": issubclass(kind, SSLConnection),
        **{key: value for key, value in kwargs.items() if key.startswith("ssl_")},
    }
    return SentinelServer(
        _addresses(url, 26379), name, lambda **where: kind(**{**kwargs, **where}), own
    )


def _cluster(url: SplitResult) -> Reach:
    from referee.store.connection.cluster import Cluster  # noqa: PLC0415 - few need it, and it is not small

    kind, kwargs = settings(_plain(url, "/0"))
    for key in ("host", "port", "db"):
        kwargs.pop(key, None)
    tls = issubclass(kind, SSLConnection)
    return Cluster(_addresses(url, 6379), lambda **where: kind(**{**kwargs, **where}), kwargs, tls)


def _no_kind(_: SplitResult) -> Reach:
    raise _BadUrl(f"a store's URL starts with one of: {', '.join(_KINDS)}")


_KINDS: Final[dict[str, Callable[[SplitResult], Reach]]] = {
    "redis": _server,
    "rediss": _server,
    "unix": _server,
    "redis+sentinel": _sentinel,
    "rediss+sentinel": _sentinel,
    "redis+cluster": _cluster,
    "rediss+cluster": _cluster,
}


def reach(url: str) -> Reach:
    """The way to the store at `url`; nothing is connected yet.

    Raises:
        ValueError: the URL is of no kind that we know, or lacks something; the text names
            neither user nor password.
    """
    try:
        parts = split_address(url)
        return _KINDS.get(parts.scheme, _no_kind)(parts)
    except _BadUrl:
        raise
    except ValueError:  # whose text may quote a piece of a password
        raise ValueError(
            "a store's URL is malformed: look at host, port, database and options; in names and "
            "passwords, characters other than letters and digits are written %XX"
        ) from None
