"""What the service can be told, all of it from the environment.

Each field of `Settings` is one variable: its type says what the text may be, its `Meta` what it
means. Reading, `referee settings` and the search for misspelt names all work from these fields.
"""

import re
import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated, Any, Final, Literal, get_args, get_origin

import msgspec
from cryptography.exceptions import UnsupportedAlgorithm
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from cryptography.hazmat.primitives.serialization import load_pem_private_key
from msgspec import Meta, Struct, field
from msgspec.structs import FieldInfo, fields

from referee.addresses import FORMS, contents, parse_address
from referee.core.match import SHORTEST_IDLE_S

SHORTEST_SECRET: Final = 32
"""Bytes that a signing secret must have at least: HS256 wants a key as long as its digest."""

LogLevel = Literal["debug", "info", "warning", "error", "critical"]
LogFormat = Literal["json", "console"]


class SettingsError(ValueError):
    """A variable holds what it may not.

    `name` is the variable. The text says what it may be, and what stands there only where that
    cannot be a secret.
    """

    def __init__(self, name: str, problem: str) -> None:
        super().__init__(f"{name}: {problem}")
        self.name = name
        self.problem = problem


class StoreUrl(str):
    """The URL of a store, judged by `parse_address`."""

    __slots__ = ()


class Secrets(tuple[bytes, ...]):
    """Keys of bearer tokens: the first signs, all verify."""

    __slots__ = ()


class SecretFile(str):
    """The name of a file in which another setting stands."""

    __slots__ = ()


class ArchiveUrl(str):
    """Where an archive is: a folder, or an object store's URL."""

    __slots__ = ()


class Port(int):
    """A port to listen on."""

    __slots__ = ()


class SigningKey:
    """The Ed25519 key that signs receipts, those that did so before, and the names of their files.

    Each file has one key or several, in PEM.
    """

    def __init__(self, names: str, private: Ed25519PrivateKey, *others: Ed25519PrivateKey) -> None:
        self.names: Final = names
        self.private: Final = private
        self.others: Final = others


class SettingRow(Struct, frozen=True):
    """A line of `referee settings`: everything as text, secrets masked."""

    name: str
    default: str
    meaning: str
    value: str


def _means(meaning: str, default: str = "", **bounds: Any) -> Meta:
    """What a variable means, and its default in words where the field's own says too little.

    Of the bounds, `title` is what it may be where its type alone does not say that.
    """
    return Meta(description=meaning, extra={"default": default}, **bounds)


_HOST: Final = "a host name or an IP address, without a port"
_HOST_LETTERS: Final = r"^[0-9A-Za-z.:%_-]+\Z"
_IDLE: Final = "0 (never), or 60 to 31536000; an order may say otherwise"
_SECRETS: Final = f"secrets of at least {SHORTEST_SECRET} bytes each, separated by commas"
_PORT: Final = "a whole number from 1 to 65535"
_FILE: Final = "the name of a file"
_ARCHIVE: Final = "a folder, or s3://BUCKET/…, gs://BUCKET/… or az://CONTAINER/…"
# No store lets a bucket have capitals: so what nobody has filled in is no bucket.
_OBJECTS: Final = re.compile(r"[a-z0-9][a-z0-9._-]+[a-z0-9](/[^/?#]+)*/?")
_SIGNING_KEY: Final = (
    "the name of a PEM file with an Ed25519 private key and no passphrase; or with several, or "
    "names of several, separated by commas"
)
_PEM: Final = re.compile(rb"-----BEGIN (.+?)-----.*?-----END \1-----", re.DOTALL)


class Settings(Struct, frozen=True, kw_only=True, rename=lambda name: f"REFEREE_{name.upper()}"):
    """The settings of one process, made by `from_environment`."""

    host: Annotated[str, _means("address to listen on", title=_HOST, pattern=_HOST_LETTERS)] = (
        "127.0.0.1"
    )
    port: Annotated[int, _means("port to listen on; 0 takes a free one", ge=0, le=65535)] = 8080
    workers: Annotated[int, _means("processes that serve", ge=1, le=1024)] = 1
    redis_url: Annotated[
        StoreUrl | None, _means(f"the store: {FORMS}", "unset: embedded", title=FORMS)
    ] = None
    redis_url_file: Annotated[
        SecretFile | None,
        _means(
            "a file with what REFEREE_REDIS_URL may be, read again when it changes: another "
            "password takes no restart",
            title=_FILE,
        ),
    ] = None
    data_dir: Annotated[
        Path, _means("where the embedded store and secrets made here are", title="a folder")
    ] = Path("referee-data")
    secrets: Annotated[
        Secrets,
        _means(
            f"signs tokens: {_SECRETS}; the first signs, all verify",
            "unset: made and kept in the data folder; needed with REFEREE_REDIS_URL",
            title=_SECRETS,
        ),
    ] = field(default=Secrets(), name="REFEREE_SECRET")
    secret_file: Annotated[
        SecretFile | None,
        _means(
            "a file with what REFEREE_SECRET may be, read again when it changes: rotation "
            "without a restart",
            title=_FILE,
        ),
    ] = None
    allow_seed: Annotated[
        bool, _means("1: a match may be created with a chosen seed and id (tests, re-creating)")
    ] = False
    min_replicas: Annotated[
        int, _means("replicas that must have a commit before it is acknowledged", ge=0, le=1024)
    ] = 0
    signing_key: Annotated[
        SigningKey | None,
        _means(
            f"signs receipts: {_SIGNING_KEY}; the first signs, all are shown",
            "unset: no receipts",
            title=_SIGNING_KEY,
        ),
    ] = None
    archive: Annotated[
        ArchiveUrl | None,
        _means(f"where finished matches go: {_ARCHIVE}", "unset: no archive", title=_ARCHIVE),
    ] = None
    command_rate: Annotated[
        int,
        _means(
            "commands and checks a second that a seat may send to a process, with bursts of three "
            "times that; 0: no limit",
            ge=0,
            le=1_000_000,
        ),
    ] = 20
    idle_s: Annotated[
        int,
        _means(
            f"seconds without a commit after which a match is void: {_IDLE}",
            title=_IDLE,
            ge=0,
            le=31_536_000,
        ),
    ] = 0
    drain_s: Annotated[
        int,
        _means(
            "seconds after SIGTERM in which the service is not ready, yet serves on, and ends "
            "live streams one by one",
            ge=0,
            le=3600,
        ),
    ] = 0
    print_token: Annotated[
        bool,
        _means(
            "1: where the secret is made here, `serve` prints an organizer's token and a link to "
            "the desk with it"
        ),
    ] = True
    cache_matches: Annotated[int, _means("matches at hand in a process", ge=1, le=10_000_000)] = (
        20_000
    )
    metrics_port: Annotated[
        Port | None,
        _means(
            "a port of its own for /metrics, for operators alone", "unset: the same", title=_PORT
        ),
    ] = None
    require_durable: Annotated[
        bool,
        _means(
            "1: no start on a store that may forget (no append-only file, evicting keys); 0: a "
            "warning"
        ),
    ] = False
    log_level: Annotated[LogLevel, _means("the least severe that is logged")] = "info"
    log_format: Annotated[
        LogFormat,
        _means("json: an object a line; console: for people", "json; console on a terminal"),
    ] = "json"

    @classmethod
    def from_environment(
        cls, environ: Mapping[str, str], *, terminal: bool | None = None
    ) -> "Settings":
        """Read the settings.

        A command's option such as `--port` is best laid over the environment before the call
        (`{**environ, "REFEREE_PORT": text}`): it is then judged like the variable.

        Args:
            environ: variables by name; what is not a setting is ignored.
            terminal: whether logs go to a terminal, which decides the default `log_format`;
                None looks at standard error.

        Raises:
            SettingsError: for the first variable, in the order of the fields, that holds what it
                may not.
        """
        terminal = sys.stderr.isatty() if terminal is None else terminal
        values: dict[str, Any] = {"log_format": "console" if terminal else "json"}
        for setting in fields(cls):
            if setting.encode_name in environ:
                values[setting.name] = _read(setting, environ[setting.encode_name])
        for held, file in _IN_FILES:
            if file.name not in values:
                continue
            if held.name in values:
                raise SettingsError(file.encode_name, f"set either this or {held.encode_name}")
            values[held.name] = _read_file(held, file, values[file.name])
        return cls(**values)

    def check_serve(self) -> None:
        """Check what only a server needs: that the settings go together.

        Raises:
            SettingsError: where an external store comes without a secret (every process must have
                the same one, so none can be made up), or replicas are asked of the embedded store,
                which has none, or matches are to end sooner than any order may say.
        """
        if self.redis_url is not None and not self.secrets:
            raise SettingsError(
                "REFEREE_SECRET", f"with REFEREE_REDIS_URL it is needed: {_SECRETS}"
            )
        if self.redis_url is None and self.min_replicas > 0:
            problem = "the embedded store has no replicas: 0, or set REFEREE_REDIS_URL"
            raise SettingsError("REFEREE_MIN_REPLICAS", problem)
        if 0 < self.idle_s < SHORTEST_IDLE_S:
            raise SettingsError("REFEREE_IDLE_S", f"must be {_IDLE}, not {self.idle_s}")

    @contextmanager
    def in_data_dir(self) -> Iterator[Path]:
        """The data folder, for what is done in it: that it cannot be is told of the setting.

        Raises:
            SettingsError: it cannot be made, read or written.
        """
        try:
            yield self.data_dir
        except OSError as fault:
            problem = f"{str(self.data_dir)!r} cannot be used: {fault.strerror}"
            raise SettingsError("REFEREE_DATA_DIR", problem) from fault

    def describe(self) -> tuple[SettingRow, ...]:
        """Give a row for each setting, with its current value as text."""
        return tuple(_row(setting, getattr(self, setting.name)) for setting in fields(Settings))

    def __repr__(self) -> str:
        """Show what `describe` shows: no secret gets into a log or a traceback."""
        return f"Settings({', '.join(f'{row.name}={row.value}' for row in self.describe())})"


NAMES: Final = tuple(setting.encode_name for setting in fields(Settings))
"""Every variable, in the order in which they are read and listed."""


_FIELDS: Final = {setting.name: setting for setting in fields(Settings)}
_IN_FILES: Final = tuple(
    (_FIELDS[held], _FIELDS[file])
    for held, file in (("secrets", "secret_file"), ("redis_url", "redis_url_file"))
)
"""Settings that may stand in a file, each with the one that names it."""


def unknown_names(environ: Mapping[str, str]) -> tuple[str, ...]:
    """List, sorted, the `REFEREE_…` variables that mean nothing: misspelt, or of another version.

    `REFEREE_TOKEN` (of `replay`) and `REFEREE_TEST_…` (of the tests) are known.
    """
    ours = {name for name in environ if re.match("REFEREE_(?!TEST_)", name)}
    return tuple(sorted(ours - {*NAMES, "REFEREE_TOKEN"}))


# ── Text to value ─────────────────────────────────────────────────────────────────────────────────


def _read(setting: FieldInfo, text: str) -> Any:
    """A variable's text as its field's value.

    Raises:
        SettingsError: naming the variable and saying what it may be.
    """
    if not text.strip():
        raise SettingsError(setting.encode_name, "is empty: unset it, or give it a value")
    kind, meta = get_args(setting.type)
    text = text.lower() if get_origin(kind) is Literal else text
    problem = f", not {text!r}"
    try:
        if re.fullmatch(_PLAINLY.get(kind, ".*"), text, re.DOTALL):
            return msgspec.convert(
                text, setting.type, strict=False, dec_hook=lambda kind, own: _READERS[kind](own)
            )
    except msgspec.ValidationError as fault:
        # A reader of our own says what it may; the others' texts are no secrets.
        problem = f": {fault}" if fault.__cause__ else problem
    if text.startswith("tcp://"):
        # Kubernetes gives REFEREE_PORT=tcp://… to the pods beside a Service named "referee".
        problem += " (from Kubernetes: set enableServiceLinks: false)"
    raise SettingsError(setting.encode_name, f"must be {_may_be(kind, meta)}{problem}")


_PLAINLY: Final = {int: "[0-9]+", bool: "[01]"}
"""How values are written that would be read in other ways, too: `1e3`, `8080.0`, `true`."""


def _may_be(kind: Any, meta: Meta) -> str:
    if kind is int:
        return f"a whole number from {meta.ge} to {meta.le}"
    return meta.title or f"one of {', '.join(('0', '1') if kind is bool else get_args(kind))}"


def _read_file(held: FieldInfo, file: FieldInfo, name: SecretFile) -> Any:
    """What stands in a file as its field's value; raises what `_read` raises, of the file."""
    try:
        text = contents(name).decode(errors="surrogateescape")
        return _read(held, text.strip())
    except OSError as fault:
        problem = f"must be {_FILE} that can be read: {name!r}: {fault.strerror}"
    except SettingsError as fault:
        problem = f"what is in {name!r} {fault.problem}"
    raise SettingsError(file.encode_name, problem)


def secrets_in(name: SecretFile) -> Secrets:
    """The secrets that a file holds now.

    Raises:
        SettingsError: it holds none, or cannot be read.
    """
    secrets: Secrets = _read_file(*_IN_FILES[0], name)
    return secrets


def store_url_in(name: SecretFile) -> StoreUrl:
    """The store's URL that a file holds now. Raises what `secrets_in` raises."""
    url: StoreUrl = _read_file(*_IN_FILES[1], name)
    return url


# Readers of types of our own: what they raise repeats nothing that may be secret.


def _folder(text: str) -> Path:
    path = Path(text)
    try:
        if path.exists() and not path.is_dir():
            raise ValueError(f"{text!r} is something else")
    except OSError as fault:
        raise ValueError(f"{text[:40]!r}…: {fault.strerror}") from None
    return path


def _secrets(text: str) -> Secrets:
    secrets = Secrets(part.strip().encode(errors="surrogateescape") for part in text.split(","))
    for place, secret in enumerate(secrets, start=1):
        if len(secret) < SHORTEST_SECRET:
            raise ValueError(f"number {place} of {len(secrets)} has {len(secret)} bytes")
    return secrets


def _store_url(text: str) -> StoreUrl:
    parse_address(text)
    return StoreUrl(text)


def _archive(text: str) -> ArchiveUrl:
    scheme, separator, place = text.partition("://")
    if not separator:
        _folder(text)
    elif scheme not in {"s3", "gs", "az"} or not _OBJECTS.fullmatch(place):
        raise ValueError(f"{text!r} is something else")
    return ArchiveUrl(text)


def _port(text: str) -> Port:
    if not re.fullmatch("[0-9]{1,5}", text) or not 1 <= int(text) <= 65535:  # noqa: PLR2004
        raise ValueError(f"not {text!r}")
    return Port(text)


def _signing_key(text: str) -> SigningKey:
    if "-----BEGIN" in text:
        raise ValueError("this is what is in such a file")
    names = [name.strip() for name in text.split(",")]
    return SigningKey(text, *(key for name in names for key in _keys_in(name)))


def _keys_in(name: str) -> list[Ed25519PrivateKey]:
    try:
        blocks = [found[0] for found in _PEM.finditer(contents(name))]
        keys = [load_pem_private_key(block, password=None) for block in blocks]
    except OSError as fault:
        raise ValueError(f"{name!r}: {fault.strerror}") from None
    except (ValueError, TypeError, UnsupportedAlgorithm):
        keys = []
    ours = [key for key in keys if isinstance(key, Ed25519PrivateKey)]
    if not keys or len(ours) < len(keys):
        raise ValueError(f"{name!r} is something else")
    return ours


_READERS: Final[dict[type, Callable[[str], Any]]] = {
    ArchiveUrl: _archive,
    Path: _folder,
    Port: _port,
    SecretFile: SecretFile,
    Secrets: _secrets,
    SigningKey: _signing_key,
    StoreUrl: _store_url,
}


# ── Value to text ─────────────────────────────────────────────────────────────────────────────────


def _row(setting: FieldInfo, value: object) -> SettingRow:
    _, meta = get_args(setting.type)
    default = meta.extra["default"] or _shown(setting.default)
    return SettingRow(setting.encode_name, default, meta.description, _shown(value))


def _shown(value: object) -> str:
    match value:
        case None | ():
            return "unset"
        case bool():
            return str(int(value))
        case Secrets():
            return f"set, {len(value)} (hidden)"
        case SigningKey():
            return value.names
        case StoreUrl():  # a password stands before the @, or in the query
            return re.sub(r"\?.*", "?***", re.sub("://.*@", "://***@", value))
    return str(value)
