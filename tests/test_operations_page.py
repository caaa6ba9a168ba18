"""`docs/operations.md` says what is so."""

import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from referee.archive import open_archive
from referee.http.metrics import Metrics
from referee.settings import NAMES
from referee.store import InLists, examined, open_store
from referee.store.examining import USED
from tests.archive.hall import Hall
from tests.operations_page import GRANTS, PAGE, settings
from tests.store.machines import Server, servers


@pytest.fixture
def keeping(tmp_path: Path) -> Iterator[Server]:
    """A server that is set as the page says."""
    server = Server(tmp_path, *settings("appendonly yes"))
    with servers(server):
        yield server


async def test_the_user_of_the_page_suffices_and_the_server_is_as_it_should_be(
    keeping: Server,
) -> None:
    """The first grant is all that the service needs, the second what the doctor asks for.

    It has no right that nothing needs.
    """
    keeping.client.execute_command(*GRANTS[0].split())
    url = f"redis://referee:PASSWORD@127.0.0.1:{keeping.port}"
    store = open_store(url)
    await store.register("m", InLists(1, "g", "t"))
    await store.append("m", 1, b"1", at=await store.time("m"), summary=b"s", deadline=5)
    await store.set_deadline("m", 6, version=1)
    await store.note_refusal("m", "0", b"r")
    assert await store.claim("k", b"v") is None
    await store.ping()
    (found,) = await store.examine()
    await store.aclose()
    assert found.findings == ()
    granted = re.findall(r"\+(\S+)", GRANTS[0])
    assert sorted(granted) == sorted([*(command[0].lower() for command in USED), "info"])
    keeping.client.execute_command(*GRANTS[1].split())
    (found,) = await examined(url, 0, rights=True)
    assert found.findings == ()


async def test_the_archivers_user_of_the_page_suffices(keeping: Server, tmp_path: Path) -> None:
    """To archive and to restore, with no right that nothing needs; the service may not delete."""
    keeping.client.execute_command(*GRANTS[-1].split())
    url = f"redis://archiver:PASSWORD@127.0.0.1:{keeping.port}"
    async with Hall(keeping.url, open_archive(str(tmp_path / "archive")), moving=url) as hall:
        await hall.over(tournament="T")
        keeping.client.config_resetstat()
        assert await hall.archived() == ["m"]
        assert await hall.restore()
    granted = set(re.findall(r"\+(\S+)", GRANTS[-1]))
    ran = {name.removeprefix("cmdstat_") for name in keeping.client.info("commandstats")}
    assert granted - {"wait"} <= ran  # replicas are waited for where there are some
    assert {"del", "rename"} <= granted
    assert not {"del", "rename"} & set(re.findall(r"\+(\S+)", " ".join(GRANTS[:-1])))


def test_the_page_lists_every_metric() -> None:
    """And no other."""
    served = {
        f"{family.name}_total" if family.type == "counter" else family.name
        for family in Metrics().registry.collect()
    }
    listed = set(re.findall(r"^\| `(referee_\w+)`", PAGE, re.MULTILINE))
    assert listed == {name for name in served if name.startswith("referee_")}


def test_the_page_names_settings_that_there_are() -> None:
    """By their names."""
    assert set(re.findall(r"REFEREE_\w+", PAGE)) <= set(NAMES)
