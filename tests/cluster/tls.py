"""TLS in front of servers, by an authority of the test's own: not every server is built with it."""

from __future__ import annotations

import asyncio
import contextlib
import datetime as dt
import ipaddress
import socket
import ssl
import threading
from collections.abc import Coroutine, Generator
from pathlib import Path
from typing import Final, Self

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID

_HANDSHAKE: Final = b"\x16"
"""The first byte of TLS; none of Redis's commands begins so."""


class Authority:
    """An authority, with what it has signed, in a folder: `ca.pem`, `NAME.pem`, `NAME.key`."""

    def __init__(self, folder: Path) -> None:
        self.folder: Final = folder
        self._key: Final = ec.generate_private_key(ec.SECP256R1())
        self._name: Final = _named("the tests' authority")
        self.ca: Final = self._write("ca", self._name, self._key, ca=True)

    def sign(self, name: str) -> tuple[Path, Path]:
        """A certificate for this machine, and its key."""
        key = ec.generate_private_key(ec.SECP256R1())
        place = self.folder / f"{name}.key"
        place.write_bytes(
            key.private_bytes(
                serialization.Encoding.PEM,
                serialization.PrivateFormat.PKCS8,
                serialization.NoEncryption(),
            )
        )
        return self._write(name, _named(name), key, ca=False), place

    def _write(
        self, file: str, name: x509.Name, key: ec.EllipticCurvePrivateKey, *, ca: bool
    ) -> Path:
        now = dt.datetime.now(dt.UTC)
        here = x509.IPAddress(ipaddress.ip_address("127.0.0.1"))
        made = (
            x509.CertificateBuilder()
            .subject_name(name)
            .issuer_name(self._name)
            .public_key(key.public_key())
            .serial_number(x509.random_serial_number())
            .not_valid_before(now - dt.timedelta(days=1))
            .not_valid_after(now + dt.timedelta(days=1))
            .add_extension(x509.BasicConstraints(ca=ca, path_length=None), critical=True)
            .add_extension(x509.SubjectAlternativeName([here]), critical=False)
            .sign(self._key, hashes.SHA256())
        )
        place = self.folder / f"{file}.pem"
        place.write_bytes(made.public_bytes(serialization.Encoding.PEM))
        return place

    def server_side(self) -> ssl.SSLContext:
        """What a server needs: its certificate; and who comes shows one as well."""
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(*self.sign("server"))
        context.load_verify_locations(self.ca)
        context.verify_mode = ssl.CERT_REQUIRED
        return context


def _named(name: str) -> x509.Name:
    return x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, name)])


class Terminators:
    """Listens in front of servers, in a thread of its own.

    What comes without TLS goes through as it is: servers speak so to one another. `encrypted`: the
    ports from which what came with it goes on.
    """

    def __init__(self, context: ssl.SSLContext) -> None:
        self._context: Final = context
        self.encrypted: Final[set[int]] = set()
        self._loop: Final = asyncio.new_event_loop()
        self._thread: Final = threading.Thread(target=self._loop.run_forever)
        self._tasks: set[asyncio.Task[None]] = set()

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        asyncio.run_coroutine_threadsafe(self._end(), self._loop).result()
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join()
        self._loop.close()

    async def _end(self) -> None:
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)

    def before(self, port: int) -> int:
        """A port that leads to the server at `port`."""
        listener = socket.create_server(("127.0.0.1", 0))
        listener.settimeout(0)
        self._loop.call_soon_threadsafe(self._go_on, self._accept(listener, port))
        return int(listener.getsockname()[1])

    def _go_on(self, work: Coroutine[None, None, None]) -> None:
        task = self._loop.create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def _accept(self, listener: socket.socket, port: int) -> None:
        with listener:
            while True:
                client, _ = await self._loop.sock_accept(listener)
                self._go_on(self._serve(client, port))

    async def _serve(self, client: socket.socket, port: int) -> None:
        with client, contextlib.suppress(OSError):
            context = self._context if await _first_byte(client) == _HANDSHAKE else None
            reader, protocol = _reader()
            transport, _ = await self._loop.connect_accepted_socket(
                lambda: protocol, client, ssl=context
            )
            with _aborted(asyncio.StreamWriter(transport, protocol, reader, self._loop)) as writer:
                onward = await asyncio.open_connection("127.0.0.1", port)
                with _aborted(onward[1]):
                    if context is not None:
                        self.encrypted.add(onward[1].get_extra_info("sockname")[1])
                    await asyncio.gather(_pump(reader, onward[1]), _pump(onward[0], writer))


def _reader() -> tuple[asyncio.StreamReader, asyncio.StreamReaderProtocol]:
    reader = asyncio.StreamReader()
    return reader, asyncio.StreamReaderProtocol(reader)


@contextlib.contextmanager
def _aborted(writer: asyncio.StreamWriter) -> Generator[asyncio.StreamWriter]:
    """End it in the end."""
    try:
        yield writer
    finally:
        writer.transport.abort()


async def _first_byte(client: socket.socket) -> bytes:
    """What comes first, left where it is."""
    client.settimeout(0)
    while True:
        with contextlib.suppress(BlockingIOError):
            return client.recv(1, socket.MSG_PEEK)
        await asyncio.sleep(0.005)


async def _pump(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    while data := await reader.read(1 << 16):
        writer.write(data)
        await writer.drain()
    writer.transport.abort()
