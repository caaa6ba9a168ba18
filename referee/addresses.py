"""The URL of a store: what it says, judged before anything is connected.

    redis://[user:password@]host[:port][/database]
    unix://[user:password@]/path/of/the/socket
    redis+sentinel://[user:password@]host[:port],…/name[/database]
    redis+cluster://[user:password@]host[:port],…

`rediss` in place of `redis` is the same over TLS. The Sentinels are asked for the primary of the
service `name` at every new connection; a cluster is learnt from any of its nodes. Behind a `?`
stand `Options`.
"""

import errno
import re
from pathlib import Path
from typing import Annotated, Final, NamedTuple
from urllib.parse import parse_qsl, unquote

import msgspec
from msgspec import UNSET, Meta, Struct, UnsetType

Host = tuple[str, int]
"""A name or an IP address, and a port."""

FORMS: Final = (
    "redis://HOST:PORT/DB, unix:///PATH, redis+cluster://HOST:PORT,… or"
    " redis+sentinel://HOST:PORT,…/NAME; rediss…:// for TLS"
)


class BadAddress(ValueError):
    """A URL that leads to no store.

    The text says what is wrong with it, and repeats nothing of it but an option's name or a
    file's: anything else may be a piece of a password.
    """


class PemFile(str):
    """The name of a file with certificates or a key."""

    __slots__ = ()


class Options(Struct, frozen=True, forbid_unknown_fields=True):
    """What may stand behind the `?`, and user, password and database; redis-py's names."""

    db: Annotated[int, Meta(ge=0, le=65535)] | UnsetType = UNSET
    username: str | UnsetType = UNSET
    password: str | UnsetType = UNSET
    client_name: str | UnsetType = UNSET
    socket_connect_timeout: Annotated[float, Meta(gt=0)] | UnsetType = UNSET
    socket_timeout: Annotated[float, Meta(gt=0)] | UnsetType = UNSET
    ssl_ca_certs: PemFile | UnsetType = UNSET
    ssl_certfile: PemFile | UnsetType = UNSET
    ssl_keyfile: PemFile | UnsetType = UNSET
    ssl_cert_reqs: Annotated[str, Meta(pattern=r"^(none|optional|required)\Z")] | UnsetType = UNSET
    ssl_check_hostname: bool | UnsetType = UNSET
    sentinel_username: str | UnsetType = UNSET
    sentinel_password: str | UnsetType = UNSET

    def __repr__(self) -> str:
        """Nothing of it: there may be a password."""
        return "Options(…)"


class Address(NamedTuple):
    """A store's URL, taken apart.

    `hosts` are none for a socket, one for a server, and some for Sentinels or a cluster; `path` is
    the socket's, `name` what the Sentinels call the service. `place` is the URL without user,
    password and options: it may be shown.
    """

    scheme: str
    place: str
    hosts: tuple[Host, ...]
    path: str
    name: str
    options: Options

    @property
    def tls(self) -> bool:
        """Whether connections are encrypted."""
        return self.scheme.startswith("rediss")


class _Kind(NamedTuple):
    """What stands behind the hosts, in words for whoever wrote something else; and the port."""

    path: str
    said: str
    port: int | None = 6379
    several: bool = False


_SERVER: Final = _Kind("(?:/(?P<db>[0-9]*))?", "behind the host stands the number of a database")
_SENTINELS: Final = _Kind(
    "/(?P<name>[^/]+)(?:/(?P<db>[0-9]*))?",
    "behind the hosts stands the primary's name, and perhaps the number of a database",
    port=26379,
    several=True,
)
_CLUSTER: Final = _Kind("/?", "a cluster has no databases", several=True)

SCHEMES: Final = {
    "redis": _SERVER,
    "rediss": _SERVER,
    "unix": _Kind("(?P<path>/.+)", "behind unix:// stands the socket's path", port=None),
    "redis+sentinel": _SENTINELS,
    "rediss+sentinel": _SENTINELS,
    "redis+cluster": _CLUSTER,
    "rediss+cluster": _CLUSTER,
}
"""The schemes that a store's URL may have, and what each says."""

_URL: Final = re.compile(r"([A-Za-z+]+)://([^/?#]*)([^?#]*)\??([^#]*)(#.*)?", re.DOTALL)
_HOST: Final = re.compile(r"(?:\[([0-9A-Fa-f:.]+(?:%\w+)?)\]|([0-9A-Za-z._-]+))(?::([0-9]{1,5}))?")


def parse_address(url: str) -> Address:
    """What a store's URL says.

    Raises:
        BadAddress: it is none, or cannot be used: an option that there is not, a file of TLS that
            is missing.
    """
    found = _URL.fullmatch(url)
    scheme = found[1].lower() if found else ""
    if found is None or scheme not in SCHEMES:
        raise BadAddress(f"its scheme is none of {', '.join(SCHEMES)}")
    _, netloc, path, query, fragment = found.groups()
    if fragment:
        raise BadAddress("no # (in a password it is written %23)")
    kind, (user, _, hosts) = SCHEMES[scheme], netloc.rpartition("@")
    places = re.fullmatch(kind.path, path)
    if places is None:
        raise BadAddress(kind.said)
    said = {name: unquote(text) for name, text in places.groupdict().items() if text}
    rest = (said.pop("path", ""), said.pop("name", ""))
    pairs = [*_credentials(user), *said.items(), *parse_qsl(query, keep_blank_values=True)]
    place = f"{scheme}://{hosts}{path}"
    return Address(scheme, place, _hosts(hosts, kind), *rest, _options(scheme, pairs))


def _credentials(user: str) -> list[tuple[str, str]]:
    pairs = zip(("username", "password"), map(unquote, user.split(":", 1)), strict=False)
    return [(name, text) for name, text in pairs if text]


def _hosts(text: str, kind: _Kind) -> tuple[Host, ...]:
    if kind.port is None:
        if text:
            raise BadAddress(kind.said)
        return ()
    found = [_HOST.fullmatch(host) for host in text.split(",")]
    if len(found) > 1 and not kind.several:
        raise BadAddress("it takes one server; several are for redis+sentinel and redis+cluster")
    hosts = [(host[1] or host[2], int(host[3] or kind.port)) for host in found if host]
    if len(hosts) < len(found) or not all(0 < port < 1 << 16 for _, port in hosts):
        raise BadAddress("a server is HOST or HOST:PORT")
    return tuple(hosts)


def _options(scheme: str, pairs: list[tuple[str, str]]) -> Options:
    """The options, each of those that the scheme takes and once at most.

    Raises:
        BadAddress: see `parse_address`.
    """
    known, given = _known(scheme), dict(pairs)
    if not given.keys() <= set(known):
        raise BadAddress(f"the options behind the ? are {', '.join(known)}")
    if len(given) < len(pairs):
        raise BadAddress("an option stands twice")
    if "ssl_keyfile" in given and "ssl_certfile" not in given:
        raise BadAddress("ssl_keyfile needs ssl_certfile")
    try:
        return msgspec.convert(given, Options, strict=False, dec_hook=_pem_file)
    except msgspec.ValidationError as fault:
        problem, _, option = str(fault).rstrip("`").partition(" - at `$.")
        raise BadAddress(f"{option}: {problem}") from None


def _known(scheme: str) -> list[str]:
    """The options that a scheme takes."""
    absent = [] if scheme.startswith("rediss") else ["ssl_"]
    absent += [] if scheme.endswith("+sentinel") else ["sentinel_"]
    absent += ["db"] if scheme.endswith("+cluster") else []
    return [name for name in Options.__struct_fields__ if not name.startswith(tuple(absent))]


def contents(name: str) -> bytes:
    """What a file holds.

    Raises:
        OSError: it cannot be read, or is a pipe or a device: that might be waited for, for ever.
    """
    path = Path(name)
    if path.exists() and not (path.is_file() or path.is_dir()):
        raise OSError(errno.EINVAL, "It is no plain file", name)
    return path.read_bytes()


def _pem_file(_: type, text: str) -> PemFile:
    """Read it once: when a connection fails, nothing says which file it was."""
    try:
        found = contents(text)
    except OSError as fault:
        raise ValueError(f"{text!r}: {fault.strerror}") from None
    if b"-----BEGIN" not in found:
        raise ValueError(f"{text!r} is no PEM file")
    return PemFile(text)
