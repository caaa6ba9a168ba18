"""What the service can be told, all of it from the environment.

One table, ``SETTINGS``, says for each variable its name, default, meaning and how its text is read.
Reading, ``referee settings`` and the search for misspelt names all work from that table.
"""

import re
import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, Literal
from urllib.parse import SplitResult

from cryptography.exceptions import UnsupportedAlgorithm
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from cryptography.hazmat.primitives.serialization import load_pem_private_key
from msgspec import Struct

from referee.addresses import split_address

SHORTEST_SECRET = 32
"""Bytes that a signing secret must have at least: HS256 wants a key as long as its digest."""

HIGHEST_PORT = 65535

REDIS_SCHEMES = ("redis", "rediss", "unix", "redis+cluster", "redis+sentinel")
"""Kinds of address that ``REFEREE_REDIS_URL`` may have."""

LogLevel = Literal["debug", "info", "warning", "error", "critical"]
LogFormat = Literal["json", "console"]


class SettingsError(ValueError):
    """A variable holds what it may not.

    ``name`` is the variable. The text says what it may be, and what stands there only where that
    cannot be a secret.
    """

    def __init__(self, name: str, problem: str) -> None:
        super().__init__(f"{name}: {problem}")
        self.name = name


class SigningKey(Struct, frozen=True):
    """The Ed25519 key that signs receipts, and the PEM file that it was read from."""

    path: Path
    private: Ed25519PrivateKey


class SettingRow(Struct, frozen=True):
    """A line of ``referee settings``: everything as text, secrets masked."""

    name: str
    default: str
    meaning: str
    value: str


class Settings(Struct, frozen=True, kw_only=True):
    """The settings of one process. Made by `from_environment`; the defaults are those of the table.

    Attributes:
        host: address to listen on.
        port: TCP port, 0 to 65535; 0 takes a free one.
        workers: processes, at least 1.
        redis_url: the store, or None for the embedded one.
        data_dir: folder of the embedded store and of secrets that the service makes itself.
        secrets: keys of bearer tokens, each of at least 32 bytes: the first signs, all verify.
            Empty where none was given.
        allow_seed: whether a match may be created with a seed and a name of the caller's choice.
        min_replicas: replicas that must hold a commit before it is acknowledged.
        signing_key: signs receipts, or None for no receipts.
        archive_dir: folder of finished matches' files, or None for no archive.
        log_level: the least severe level that is logged.
        log_format: "json" a line, or "console" for people.
    """

    host: str = "127.0.0.1"
    port: int = 8080
    workers: int = 1
    redis_url: str | None = None
    data_dir: Path = Path("referee-data")
    secrets: tuple[bytes, ...] = ()
    allow_seed: bool = False
    min_replicas: int = 0
    signing_key: SigningKey | None = None
    archive_dir: Path | None = None
    log_level: LogLevel = "info"
    log_format: LogFormat = "json"

    @classmethod
    def from_environment(
        cls, environ: Mapping[str, str], *, terminal: bool | None = None
    ) -> "Settings":
        """Read the settings.

        A command's option such as ``--port`` is best laid over the environment before the call
        (``{**environ, "REFEREE_PORT": text}``): it is then judged like the variable.

        Args:
            environ: variables by name; what is not a setting is ignored.
            terminal: whether logs go to a terminal, which decides the default ``log_format``;
                None looks at standard error.

        Raises:
            SettingsError: for the first variable, in the table's order, that holds what it may not.
        """
        terminal = sys.stderr.isatty() if terminal is None else terminal
        values: dict[str, Any] = {"log_format": "console" if terminal else "json"}
        values |= {s.field: s.read(environ[s.name]) for s in SETTINGS if s.name in environ}
        return cls(**values)

    def check_serve(self) -> None:
        """Check what only a server needs: that the settings go together.

        Raises:
            SettingsError: where an external store comes without a secret (every process must have
                the same one, so none can be made up), or replicas are asked of the embedded store,
                which has none.
        """
        if self.redis_url is not None and not self.secrets:
            raise SettingsError("REFEREE_SECRET", f"with REFEREE_REDIS_URL it is needed: {_SECRET}")
        if self.redis_url is None and self.min_replicas > 0:
            problem = "the embedded store has no replicas: 0, or set REFEREE_REDIS_URL"
            raise SettingsError("REFEREE_MIN_REPLICAS", problem)

    def describe(self) -> tuple[SettingRow, ...]:
        """Give a row for each setting in the table's order, with its current value as text."""
        return tuple(
            SettingRow(s.name, s.default, s.meaning, s.show(getattr(self, s.field)))
            for s in SETTINGS
        )

    def __repr__(self) -> str:
        """Show what `describe` shows: no secret gets into a log or a traceback."""
        return f"Settings({', '.join(f'{row.name}={row.value}' for row in self.describe())})"


def unknown_names(environ: Mapping[str, str]) -> tuple[str, ...]:
    """List, sorted, the ``REFEREE_…`` variables that mean nothing: misspelt, or of another version.

    ``REFEREE_TOKEN`` (of ``replay``) and ``REFEREE_TEST_…`` (of the tests) are known.
    """
    known = {s.name for s in SETTINGS} | {"REFEREE_TOKEN"}
    ours = (name for name in environ if name.startswith("REFEREE_"))
    return tuple(sorted(n for n in ours if n not in known and not n.startswith("REFEREE_TEST_")))


# ------------------------------------------------------------------ reading: text to value
#
# Each reader takes the variable's text, never blank, and gives the value, or raises _BadTextError
# with what it may be. Only readers of what is no secret repeat a bad value in the message.


class _BadTextError(ValueError):
    """What is wrong with a text, without the variable's name."""


def _whole_number(least: int, most: int) -> Callable[[str], int]:
    span = f"a whole number from {least} to {most}"

    def read(text: str) -> int:
        if not re.fullmatch(r"[0-9]{1,9}", text) or not least <= int(text) <= most:
            raise _BadTextError(f"must be {span}, not {text!r}")
        return int(text)

    return read


def _port(text: str) -> int:
    if text.startswith("tcp://"):
        # Kubernetes gives REFEREE_PORT=tcp://… to the pods beside a Service named "referee".
        raise _BadTextError(
            f"must be a port number, not {text!r} (from Kubernetes: set enableServiceLinks: false)"
        )
    return _whole_number(0, HIGHEST_PORT)(text)


def _one_of(*choices: str) -> Callable[[str], str]:
    def read(text: str) -> str:
        if text.lower() not in choices:
            raise _BadTextError(f"must be one of {', '.join(choices)}, not {text!r}")
        return text.lower()

    return read


def _switch(text: str) -> bool:
    return _one_of("0", "1")(text) == "1"


def _host(text: str) -> str:
    if not re.fullmatch(r"[0-9A-Za-z.:%_-]+", text):
        raise _BadTextError(f"must be a host name or an IP address, without a port, not {text!r}")
    return text


def _folder(text: str) -> Path:
    path = Path(text)
    if path.exists() and not path.is_dir():
        raise _BadTextError(f"must be a folder, and {text!r} is something else")
    return path


_SECRET = f"secrets of at least {SHORTEST_SECRET} bytes each, separated by commas"


def _secrets(text: str) -> tuple[bytes, ...]:
    secrets = tuple(part.strip().encode(errors="surrogateescape") for part in text.split(","))
    for place, secret in enumerate(secrets, start=1):
        if len(secret) < SHORTEST_SECRET:
            of = f"number {place} of {len(secrets)} has {len(secret)} bytes"
            raise _BadTextError(f"must be {_SECRET}: {of}")
    return secrets


def _signing_key(text: str) -> SigningKey:
    if "-----BEGIN" in text:
        raise _BadTextError("must name a PEM file, not hold what is in it")
    try:
        key = load_pem_private_key(Path(text).read_bytes(), password=None)
    except OSError as error:
        raise _BadTextError(f"must name a PEM file, and {text!r}: {error.strerror}") from None
    except (ValueError, TypeError, UnsupportedAlgorithm):
        raise _BadTextError(
            f"must name a PEM file with a private key and no passphrase: {text!r}"
        ) from None
    if not isinstance(key, Ed25519PrivateKey):
        raise _BadTextError(
            f"must name the PEM file of an Ed25519 private key, and {text!r} is of another"
        )
    return SigningKey(Path(text), key)


_REDIS_URL = (
    "redis://HOST:PORT/DB, rediss://HOST:PORT/DB, unix:///PATH, redis+cluster://HOST:PORT,… or"
    " redis+sentinel://HOST:PORT,…/NAME"
)


def _redis_url(text: str) -> str:
    """Refuse an address that no client could use; never repeat it: it may hold a password."""
    try:
        url = split_address(text)
    except ValueError:
        raise _BadTextError(f"must be {_REDIS_URL}") from None
    if url.scheme not in REDIS_SCHEMES:
        raise _BadTextError(
            f"must be {_REDIS_URL}: its scheme is none of {', '.join(REDIS_SCHEMES)}"
        )
    fault = _fault_of_address(url)
    if fault:
        raise _BadTextError(f"must be {_REDIS_URL}: {fault}")
    return text


def _fault_of_address(url: SplitResult) -> str | None:
    if url.fragment:
        return "no # (in a password it is written %23)"
    if url.scheme == "unix":
        return None if len(url.path) > 1 else "the socket's path is missing"
    if url.scheme == "redis+sentinel" and url.path.strip("/") == "":
        return "the name of the primary is missing"
    servers = url.netloc.rpartition("@")[2].split(",")
    if len(servers) > 1 and "+" not in url.scheme:
        return f"{url.scheme}:// takes one server"
    return None if all(map(_is_server, servers)) else "a server is HOST or HOST:PORT"


def _is_server(text: str) -> bool:
    found = re.fullmatch(r"(?:\[[0-9A-Fa-f:.%]+\]|[0-9A-Za-z._-]+)(?::([0-9]{1,5}))?", text)
    return found is not None and 0 < int(found[1] or "6379") <= HIGHEST_PORT


# ------------------------------------------------------------------ showing: value to text


def _plain(value: object) -> str:
    return "unset" if value is None else str(value)


def _as_switch(value: bool) -> str:  # noqa: FBT001 - the value is what is shown
    return "1" if value else "0"


def _count_secrets(secrets: tuple[bytes, ...]) -> str:
    return f"set, {len(secrets)} (hidden)" if secrets else "unset"


def _file_of_key(key: SigningKey | None) -> str:
    return _plain(key and key.path)


def _without_password(url: str | None) -> str:
    """Hide everything that can be one: before the ``@``, and in the query (``?password=…``)."""
    if url is None:
        return "unset"
    hidden = re.sub(r"://.*@", "://***@", url)
    return re.sub(r"\?.*", "?***", hidden)


# ------------------------------------------------------------------ the table


class Setting(Struct, frozen=True):
    """One variable: its name, the field of `Settings` it fills, its default and meaning as text."""

    name: str
    field: str
    default: str
    meaning: str
    reader: Callable[[str], Any]
    show: Callable[[Any], str] = _plain

    def read(self, text: str) -> Any:  # each field has its own type
        """Turn the variable's text into the field's value.

        Raises:
            SettingsError: naming the variable and saying what it may be.
        """
        if not text.strip():
            raise SettingsError(self.name, "is empty: unset it, or give it a value")
        try:
            return self.reader(text)
        except _BadTextError as error:
            raise SettingsError(self.name, str(error)) from None


SETTINGS: tuple[Setting, ...] = (
    Setting("REFEREE_HOST", "host", "127.0.0.1", "address to listen on", _host),
    Setting("REFEREE_PORT", "port", "8080", "port to listen on; 0 takes a free one", _port),
    Setting("REFEREE_WORKERS", "workers", "1", "processes that serve", _whole_number(1, 1024)),
    Setting(
        "REFEREE_REDIS_URL",
        "redis_url",
        "unset: embedded",
        f"the store: {_REDIS_URL}",
        _redis_url,
        _without_password,
    ),
    Setting(
        "REFEREE_DATA_DIR",
        "data_dir",
        "./referee-data",
        "folder of the embedded store and of secrets that the service makes",
        _folder,
    ),
    Setting(
        "REFEREE_SECRET",
        "secrets",
        "unset: made and kept in the data folder; needed with REFEREE_REDIS_URL",
        f"signs tokens: {_SECRET}; the first signs, all verify",
        _secrets,
        _count_secrets,
    ),
    Setting(
        "REFEREE_ALLOW_SEED",
        "allow_seed",
        "0",
        "1: a match may be created with a chosen seed and id (tests, re-creating a match)",
        _switch,
        _as_switch,
    ),
    Setting(
        "REFEREE_MIN_REPLICAS",
        "min_replicas",
        "0",
        "replicas that must have a commit before it is acknowledged",
        _whole_number(0, 1024),
    ),
    Setting(
        "REFEREE_SIGNING_KEY",
        "signing_key",
        "unset: no receipts",
        "PEM file of the Ed25519 private key that signs receipts",
        _signing_key,
        _file_of_key,
    ),
    Setting(
        "REFEREE_ARCHIVE_DIR",
        "archive_dir",
        "unset: no archive",
        "folder that finished matches are archived to",
        _folder,
    ),
    Setting(
        "REFEREE_LOG_LEVEL",
        "log_level",
        "info",
        "the least severe that is logged: debug, info, warning, error, critical",
        _one_of("debug", "info", "warning", "error", "critical"),
    ),
    Setting(
        "REFEREE_LOG_FORMAT",
        "log_format",
        "json; console on a terminal",
        "json: an object a line; console: for people",
        _one_of("json", "console"),
    ),
)
"""Every setting, in the order in which it is read and listed."""
