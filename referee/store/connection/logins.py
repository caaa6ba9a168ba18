"""Who a store's servers are told that we are: asked for at each new connection, and renewed."""

from typing import Any

from msgspec import UNSET
from redis.credentials import CredentialProvider

from referee.addresses import Address, BadAddress, parse_address


class Login(CredentialProvider):
    """User and password of an address; with a `prefix` those of its Sentinels."""

    def __init__(self, address: Address, prefix: str = "") -> None:
        self.address = address
        self._prefix = prefix

    def get_credentials(self) -> Any:
        """What AUTH is told; nothing where there is neither."""
        options = self.address.options
        named = (getattr(options, f"{self._prefix}{part}") for part in ("username", "password"))
        user, password = (None if value is UNSET else value for value in named)
        if user:
            return user, password or ""
        return (password,) if password else ()

    async def get_credentials_async(self) -> Any:
        """The same: the library's own warns, each time, that it is not meant to be used."""
        return self.get_credentials()


class Logins:
    """Those of a store's servers, and of its Sentinels."""

    def __init__(self, address: Address) -> None:
        self.servers = Login(address)
        self.sentinels = Login(address, "sentinel_")

    def renew(self, url: str) -> None:
        """Take them from another URL of the same store, for connections that are made from now on.

        Raises:
            BadAddress: it is none, or leads elsewhere.
        """
        address, before = parse_address(url), self.servers.address
        if (address.scheme, address.place) != (before.scheme, before.place):
            raise BadAddress("it leads to another store: that takes a restart")
        self.servers.address = self.sentinels.address = address
