"""From an address to connections: one server, the primary that Sentinels name, or a cluster."""

from collections.abc import Callable
from functools import partial
from typing import Any, Final

import msgspec
from msgspec import UNSET
from redis.asyncio.connection import (
    AbstractConnection,
    Connection,
    SSLConnection,
    UnixDomainSocketConnection,
)
from redis.asyncio.retry import Retry
from redis.asyncio.sentinel import MasterNotFoundError, Sentinel
from redis.backoff import NoBackoff

from referee.addresses import Address, Host, parse_address
from referee.store.connection.cluster import Cluster, ClusterRouter
from referee.store.connection.logins import Logins
from referee.store.connection.pipeline import Connector, Dial, Pipeline, connected
from referee.store.scripts import TAGS

CONNECT_S: Final = 1.0
"""Seconds to reach a server, where the URL does not say."""
HANDSHAKE_S: Final = 2.0
"""Seconds for an answer while connecting."""
_GUIDE_S: Final = 0.5
"""Seconds for one of those that can say where the primaries are: others can as well."""


_GUIDED: Final = {"socket_timeout": _GUIDE_S, "socket_connect_timeout": _GUIDE_S}


class SingleServer:
    """One server at a time.

    `together`: all keys are on one server, so that a script may touch any of them.
    """

    together = True
    tags = TAGS[:1]
    renew: Callable[[str], None]
    """Take user and password from another URL of the same store: see `Logins.renew`."""

    def __init__(self, connector: Connector) -> None:
        self._connector = connector

    def router(self, *, replicas: int = 0) -> Pipeline:
        """A new way for commands; with `replicas`, see `Pipeline`."""
        return Pipeline(self.dial, replicas=replicas)

    def tag(self, hashed: str) -> str:  # noqa: ARG002 - all are here
        """Of `tags`, for what is kept of a primary, one at that of keys with the tag `hashed`."""
        return self.tags[0]

    async def ways(self) -> dict[str, Dial]:
        """To each primary, by its name."""
        return {"primary": self.dial}

    async def dial(self) -> AbstractConnection:
        """A connection of its own, ready for commands: for listening."""
        return await connected(self._connector())

    async def aclose(self) -> None:
        """Nothing is held."""


class SentinelServer(SingleServer):
    """The primary of the service `name`, as the Sentinels see it now.

    They are asked at every new connection. Where they name another one than before, all others are
    left: the old primary may go on for seconds as if nothing had happened.
    """

    def __init__(self, name: str, connector: Connector, sentinels: Sentinel) -> None:
        super().__init__(connector)
        self._name = name
        self._sentinels: Any = sentinels
        self._routers: list[Pipeline] = []
        self._named: Host | None = None

    def router(self, *, replicas: int = 0) -> Pipeline:
        """See `SingleServer.router`."""
        router = super().router(replicas=replicas)
        self._routers.append(router)
        return router

    async def dial(self) -> AbstractConnection:
        """See `SingleServer.dial`."""
        try:
            host, port = await self._sentinels.discover_master(self._name)
        except MasterNotFoundError as error:
            raise MasterNotFoundError(self._name) from error  # which is all that is told of it
        if self._named not in {None, (host, port)}:
            for router in self._routers:
                router.leave()
        self._named = host, port
        return await connected(self._connector(host=host, port=port))

    async def aclose(self) -> None:
        """Close the connections to the Sentinels."""
        await self._sentinels.aclose()


Router = Pipeline | ClusterRouter
"""Commands on their way to the server that holds their key."""
Servers = SingleServer | Cluster
"""A way to the servers of one store."""


def servers_at(url: str) -> Servers:
    """The way to the store at `url`; nothing is connected yet.

    Raises:
        BadAddress: see `parse_address`.
    """
    address = parse_address(url)
    logins = Logins(address)
    made = _servers_at(address, logins)
    made.renew = logins.renew
    return made


def _servers_at(address: Address, logins: Logins) -> Servers:
    told = {**arguments(address), "username": None, "password": None}
    told["credential_provider"] = logins.servers
    connector: Connector = partial(_connection_class(address), **told)
    if address.scheme.endswith("+sentinel"):
        return SentinelServer(address.name, connector, _sentinels(address, logins))
    if address.scheme.endswith("+cluster"):
        map_alone = {"client_name": None, "ssl": address.tls, **_GUIDED}
        return Cluster(address.hosts, connector, {**told, **map_alone})
    if address.scheme == "unix":
        return SingleServer(partial(connector, path=address.path))
    ((host, port),) = address.hosts
    return SingleServer(partial(connector, host=host, port=port))


def _connection_class(address: Address) -> type[AbstractConnection]:
    if address.scheme == "unix":
        return UnixDomainSocketConnection
    return SSLConnection if address.tls else Connection


def arguments(address: Address) -> dict[str, Any]:
    """What redis-py's connections take besides the place."""
    told = {
        name: value
        for name, value in msgspec.structs.asdict(address.options).items()
        if value is not UNSET and not name.startswith("sentinel_")
    }
    return {
        "client_name": "referee",
        "socket_connect_timeout": CONNECT_S,
        "socket_timeout": HANDSHAKE_S,
        **told,
        "protocol": 2,  # in which nothing comes unasked
        "driver_info": None,
    }


def _sentinels(address: Address, logins: Logins) -> Sentinel:
    """The Sentinels, with their own user, and with the TLS of the servers."""
    return Sentinel(  # type: ignore[no-untyped-call]  # redis-py's
        address.hosts,
        sentinel_kwargs={
            **{name: value for name, value in arguments(address).items() if name[:4] == "ssl_"},
            "ssl": address.tls,
            "credential_provider": logins.sentinels,
            **_GUIDED,
            "retry": Retry(NoBackoff(), 0),
            "protocol": 2,
        },
    )
