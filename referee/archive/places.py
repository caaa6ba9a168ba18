"""Where an archive's files are: in a folder, or in an object store. They know no matches.

A file is written whole or not at all, and only over what its writer has seen there: of two that
write at once one fails, and nothing newer is ever replaced by something older.
"""

import contextlib
import errno
import fcntl
import hashlib
import io
import os
import re
import stat
from collections.abc import Generator, Iterator
from datetime import timedelta
from pathlib import Path
from typing import Any, Final, NamedTuple, Protocol
from urllib.parse import urlsplit

from referee.store import StoreAway

SECONDS: Final = 10
"""For a request to an object store, and as long again for all its repeats."""
_CHUNK: Final = 1000


class Kept(NamedTuple):
    """What a file holds, and by what it is known that it is still the same."""

    data: bytes
    tag: Any


class ArchiveAway(StoreAway):
    """The archive cannot be read or written now."""


class Changed(Exception):
    """Somebody else has written this file meanwhile."""


class BadArchive(ValueError):
    """No archive can be opened there; the text says why."""


class Place(Protocol):
    """Files by their keys, `folder/…/name`. Each method raises `ArchiveAway`."""

    name: str

    def get(self, key: str) -> Kept | None:
        """What the file holds; None where there is none."""
        ...

    def put(self, key: str, data: bytes, over: Kept | None) -> None:
        """Write a file over what was seen there (None: nothing), and return when it is synced.

        Raises:
            Changed: something else stands there.
        """
        ...

    def names(self, folder: str, after: str = "") -> Iterator[str]:
        """The names of the files in a folder behind this one, in the order of their characters."""
        ...

    def folders(self, folder: str) -> list[str]:
        """The names of the folders in a folder."""
        ...


def open_place(url: str) -> Place:
    """The place at `url`: a folder's path, or an object store's `s3://`, `gs://` or `az://`.

    Raises:
        BadArchive: it is not one that can be opened.
    """
    return Objects(url) if "://" in url else Folder(Path(url))


# ── A folder ──────────────────────────────────────────────────────────────────────────────────────


class Folder:
    """Files below a folder of this machine, made where it is missing."""

    def __init__(self, root: Path) -> None:
        self._root = root
        self.name = str(root)

    def get(self, key: str) -> Kept | None:
        """See `Place.get`."""
        with _away(self.name):
            return _read(self._root / key)

    def put(self, key: str, data: bytes, over: Kept | None) -> None:
        """See `Place.put`."""
        path = self._root / key
        with _away(self.name):
            _make(path.parent)
            with _alone(self._root):
                there = _read(path)
                if (there and there.tag) != (over and over.tag):
                    raise Changed(key)
                _write(path, data)

    def names(self, folder: str, after: str = "") -> Iterator[str]:
        """See `Place.names`."""
        with _away(self.name):
            yield from sorted(
                entry.name
                for entry in _entries(self._root / folder)
                if entry.name > after and not entry.name.endswith(_PART) and entry.is_file()
            )

    def folders(self, folder: str) -> list[str]:
        """See `Place.folders`."""
        with _away(self.name):
            return sorted(entry.name for entry in _entries(self._root / folder) if entry.is_dir())


_PART: Final = ".part"
"""How the name of a file ends that is not whole yet."""


@contextlib.contextmanager
def _away(name: str) -> Generator[None]:
    try:
        yield
    except OSError as fault:
        raise ArchiveAway(f"the archive {name} cannot be used: {fault}") from fault


@contextlib.contextmanager
def _alone(root: Path) -> Generator[None]:
    """One writer at a time; the lock ends with its process."""
    with (root / ".lock").open("ab") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield


def _entries(folder: Path) -> list[os.DirEntry[str]]:
    try:
        with os.scandir(folder) as entries:
            return list(entries)
    except FileNotFoundError:
        return []


def _read(path: Path) -> Kept | None:
    try:
        with io.FileIO(path, opener=_at_once) as file:
            if not stat.S_ISREG(os.fstat(file.fileno()).st_mode):
                raise OSError(errno.EINVAL, "Not a file", str(path))
            data = file.readall()
    except FileNotFoundError:
        return None
    return Kept(data, hashlib.sha256(data).digest())


def _at_once(path: str, flags: int) -> int:
    """Open whatever there is: of a pipe one would wait for a writer."""
    return os.open(path, flags | os.O_NONBLOCK)


def _make(folder: Path) -> None:
    """Make a folder, and those above it, for good."""
    if not folder.is_dir():
        _make(folder.parent)
        folder.mkdir(exist_ok=True)
        _sync(folder.parent)


def _write(path: Path, data: bytes) -> None:
    part = path.with_name(path.name + _PART)
    try:
        with part.open("wb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        part.replace(path)
    except OSError:  # a full disk is not to be filled with what is not whole
        part.unlink(missing_ok=True)
        raise
    _sync(path.parent)


def _sync(folder: Path) -> None:
    """What stands in a folder is on the disk."""
    opened = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    try:
        os.fsync(opened)
    finally:
        os.close(opened)


# ── An object store ───────────────────────────────────────────────────────────────────────────────


class Objects:
    """Objects below a prefix of a bucket; keys and endpoint as its vendor's tools take them.

    That is from the environment: `AWS_…`, `GOOGLE_…`, `AZURE_…`.
    """

    def __init__(self, url: str) -> None:
        # What it takes is imported only here: no other archive needs it.
        import obstore  # noqa: PLC0415
        from obstore import exceptions, store  # noqa: PLC0415

        if not urlsplit(url).netloc:
            raise BadArchive(f"the name of a bucket is missing: {url.partition(':')[0]}://bucket")
        self.name = url
        self._obstore: Any = obstore
        self._taken = (exceptions.AlreadyExistsError, exceptions.PreconditionError)
        options: Any = {"client_options": _CLIENT | _plain(), "retry_config": _RETRIES}
        try:
            self._store = store.from_url(url, **options)
        except Exception as fault:
            raise BadArchive(_said(fault)) from fault

    def get(self, key: str) -> Kept | None:
        """See `Place.get`."""
        with self._answering():
            try:
                found = self._obstore.get(self._store, key)
            except FileNotFoundError:
                return None
            known = {name: found.meta[name] for name in ("e_tag", "version")}
            return Kept(bytes(found.bytes()), {k: v for k, v in known.items() if v is not None})

    def put(self, key: str, data: bytes, over: Kept | None) -> None:
        """See `Place.put`."""
        mode = "create" if over is None else over.tag
        with self._answering():
            try:
                self._obstore.put(self._store, key, data, mode=mode, use_multipart=False)
            except self._taken:
                raise Changed(key) from None

    def names(self, folder: str, after: str = "") -> Iterator[str]:
        """See `Place.names`."""
        offset = f"{folder}/{after}" if after else None
        with self._answering():
            for chunk in self._obstore.list(self._store, folder, offset=offset, chunk_size=_CHUNK):
                names = (meta["path"].removeprefix(f"{folder}/") for meta in chunk)
                yield from (name for name in names if "/" not in name)

    def folders(self, folder: str) -> list[str]:
        """See `Place.folders`."""
        with self._answering():
            found = self._obstore.list_with_delimiter(self._store, folder)
        return sorted(path.rpartition("/")[2] for path in found["common_prefixes"])

    @contextlib.contextmanager
    def _answering(self) -> Generator[None]:
        try:
            yield
        except Changed:
            raise
        except Exception as fault:
            raise ArchiveAway(f"the archive {self.name} cannot be used: {_said(fault)}") from fault


_CLIENT: Final = {"connect_timeout": "3s", "timeout": f"{SECONDS}s"}
_RETRIES: Any = {"max_retries": 3, "retry_timeout": timedelta(seconds=SECONDS)}


def _plain() -> dict[str, bool]:
    """Without TLS only where the endpoint that is set says so."""
    endpoint = re.compile("(AWS|GOOGLE|AZURE)_.*(ENDPOINT|URL)")
    named = (url for name, url in os.environ.items() if endpoint.match(name))
    return {"allow_http": any(url.startswith("http://") for url in named)}


def _said(fault: Exception) -> str:
    """What is wrong: the first line of what an object store's library says, or better words."""
    line = str(fault).partition("\n")[0]
    better = (words for sign, words in _BETTER if re.search(sign, line))
    return next(better, re.sub(r"^Generic \w+ error: ", "", line))


_BETTER: Final = (
    ("169.254.169.254|metadata", "no keys are set for it, and this machine has none of its own"),
    (" - HTTP error: ", "it cannot be reached"),
    ("NoSuchBucket|bucket does not exist", "there is no such bucket"),
    ("status code: 401|status code: 403", "our keys do not let us in"),
)
"""By what stands in a library's words, the words for people."""
