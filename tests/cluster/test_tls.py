"""TLS, with an authority that only the URL names: to a server, a Cluster, and by Sentinels."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Callable, Generator, Iterator
from pathlib import Path

import pytest

from referee.store import StoreAway, examined
from tests.clients import GAME, ORGANIZER
from tests.cluster.load import repeated
from tests.cluster.nodes import HOST, KEPT, ClusterNodes
from tests.cluster.tls import Authority, Terminators
from tests.live.readers import Message, listening
from tests.live.servers import Table, serving
from tests.store.machines import Server, opened, servers, wait_until

pytestmark = [pytest.mark.cluster, pytest.mark.timeout(600)]


@pytest.fixture
def authority(tmp_path: Path) -> Authority:
    """Who signs what is to be trusted."""
    (folder := tmp_path / "certificates").mkdir()
    return Authority(folder)


@pytest.fixture
def front(authority: Authority) -> Iterator[Terminators]:
    """TLS in front of whatever server."""
    with Terminators(authority.server_side()) as made:
        yield made


Store = Callable[[Path, Path, Terminators], contextlib.AbstractContextManager[tuple[str, Server]]]


@contextlib.contextmanager
def one(folder: Path, program: Path, front: Terminators) -> Generator[tuple[str, Server]]:
    """A server."""
    server = Server(folder, *KEPT, program=program)
    with servers(server):
        yield f"rediss://referee:PASSWORD@{HOST}:{front.before(server.port)}", server


@contextlib.contextmanager
def cluster(folder: Path, program: Path, front: Terminators) -> Generator[tuple[str, Server]]:
    """A Cluster."""
    nodes = ClusterNodes(
        folder, program, replicas=0, announced=front.before, node_timeout_ms=30_000
    )
    try:
        first = nodes.servers[0]
        yield f"rediss+cluster://referee:PASSWORD@{HOST}:{front.before(first.port)}", first
    finally:
        nodes.stop()


@contextlib.contextmanager
def sentinel(folder: Path, program: Path, front: Terminators) -> Generator[tuple[str, Server]]:
    """A server of which a Sentinel tells."""
    server = Server(folder, *KEPT, program=program)
    watch = f"sentinel monitor main {HOST} {front.before(server.port)} 1"
    watcher = Server(folder, "--sentinel", watch, program=program)
    with servers(server, watcher):
        wait_until(lambda: watcher.client.sentinel_master("main")["flags"] == "master")
        yield f"rediss+sentinel://referee:PASSWORD@{HOST}:{front.before(watcher.port)}/main", server


async def told_first(url: str) -> Message:
    """The first message of a stream, however often it has to be asked for."""
    while True:
        async with listening(url, ORGANIZER) as stream:
            if stream.status == 200 and (message := await stream.next()):
                return message
        await asyncio.sleep(0.1)


@pytest.mark.parametrize("store", [one, cluster, sentinel])
async def test_all_that_the_service_says_is_encrypted(
    store: Store, program: Path, tmp_path: Path, authority: Authority, front: Terminators
) -> None:
    """With the authority, and a certificate of its own; without either it does not get in."""
    certificate, key = authority.sign("service")
    own = f"ssl_certfile={certificate}&ssl_keyfile={key}"
    with store(tmp_path, program, front) as (url, server):
        with serving(f"{url}?ssl_ca_certs={authority.ca}&{own}") as (service,):
            # A connection may take two seconds: where much else runs few of them are in time.
            slow = service.slowness
            table = await repeated(lambda: Table(service, GAME, 2, tournament="t"), slow)
            await repeated(table.move, slow)
            assert (await told_first(table.url("/events?after=1"))).version == 2
            ours = [each for each in server.client.client_list() if each["user"] == "referee"]
            assert ours
            for each in ours:
                assert int(each["addr"].rpartition(":")[2]) in front.encrypted
        for lacking in (f"ssl_ca_certs={authority.ca}", own):
            async with opened(f"{url}?{lacking}") as other:
                with pytest.raises(StoreAway):
                    await other.read("m")
            assert not any(found.reached for found in await examined(f"{url}?{lacking}", 0))
