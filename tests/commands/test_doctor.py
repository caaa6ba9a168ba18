"""`referee doctor`, and what a service says of the store that it is on."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from click.testing import CliRunner

from referee.__main__ import main
from tests.clients import SECRET
from tests.commands.test_main import referee
from tests.live.servers import serving
from tests.store.machines import Server, servers, wait_until


def doctor(**environ: str) -> tuple[int, dict[str, Any]]:
    """The exit status, and what is printed as JSON."""
    result = CliRunner().invoke(main, ["doctor", "--json"], env=environ)
    return result.exit_code, json.loads(result.stdout)


def test_finds_nothing_wrong_with_the_defaults(tmp_path: Path) -> None:
    """An embedded store that is yet to be made is as it should be."""
    status, told = doctor(REFEREE_DATA_DIR=str(tmp_path / "data"))
    assert (status, told) == (
        0,
        {"well": True, "store": "embedded", "primaries": [], "findings": []},
    )
    assert not (tmp_path / "data").exists()


def test_a_setting_that_is_wrong_is_said_and_no_store_is_asked() -> None:
    """With what it may be."""
    status, told = doctor(REFEREE_PORT="x")
    assert status == 1
    assert "REFEREE_PORT: must be a whole number" in told["findings"][0]["problem"]


def test_a_store_that_may_forget_is_told_of_by_everybody(tmp_path: Path) -> None:
    """The doctor, a service that starts all the same, and one that was told not to start on it.

    When it is set right the service knows within seconds.
    """
    store = Server(tmp_path)
    durable = "referee_store_durable"
    with servers(store):
        external = {"REFEREE_REDIS_URL": store.url, "REFEREE_SECRET": SECRET}
        status, told = doctor(**external)
        assert (status, told["findings"][0]["forgets"]) == (1, True)
        ended = referee("serve", REFEREE_REQUIRE_DURABLE="1", **external)
        assert ended.returncode == 1
        assert "REFEREE_REQUIRE_DURABLE: the store may forget: it has no append" in ended.stderr
        with serving(store.url) as (server,):
            wait_until(lambda: server.metric('referee_store_primary_up{primary="primary"}') == 1)
            assert server.metric(durable) == 0
            assert [line for line in server.log if "it has no append-only file" in line]
            store.client.config_set("appendonly", "yes")
            wait_until(lambda: server.metric(durable) == 1)
        assert doctor(**external)[0] == 0
        with serving(store.url, REFEREE_REQUIRE_DURABLE="1"):
            pass
    assert doctor(**external)[0] == 1
