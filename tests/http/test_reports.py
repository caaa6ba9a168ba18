"""The verdict and the report over HTTP: as `replay` has them, for whoever may have the log."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from click.testing import CliRunner
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from msgspec import msgpack

from referee.http import reports
from referee.report.page import policy
from referee.store import open_store
from replay.group import replay
from tests.clients import ORGANIZER, accepted
from tests.http.site import Api, Table, application, problem

RULINGS = "/v1/games/giro-galoppo/rulings"
PLACE = {"type": "place_obstacle", "space": 20}


@pytest.fixture
async def over(api: Api) -> Table:
    """A public match that is over."""
    table = await api.create(public=True)
    await table.race()
    await table.finish()
    return table


async def forge(table: Table, redis_url: str) -> None:
    """Write a commit into the store whose event is not the one that its command yields."""
    commit = {
        "v": 2, "at": 1 << 42, "by": "seat:0", "key": None, "salt": None, "cmd": PLACE,
        "ev": [{"type": "obstacle_placed", "seat": 0, "space": 9}],
        "prev": bytes.fromhex((await table.view())["head"]),
    }  # fmt: skip
    store = open_store(redis_url)
    await store.append(table.match, 2, msgpack.encode(commit))
    await store.aclose()


async def test_says_what_replay_says_of_the_log(table: Table, tmp_path: Path) -> None:
    """The verdict of `GET …/verdict` and that of `replay verify --json` are one."""
    await table.finish()
    path = tmp_path / "m.match"
    path.write_bytes((await table.get("/log")).content)
    ran = CliRunner().invoke(replay, ["verify", str(path), "--json"])
    log = json.loads(ran.output)["logs"][0]

    verdict = accepted(await table.get("/verdict"))

    assert verdict == {"verdict": log["verdict"], "disputes": log["disputes"]}
    assert verdict == {"verdict": "not signed", "disputes": []}


async def test_says_what_is_in_dispute(table: Table, redis_url: str, tmp_path: Path) -> None:
    """A log that was tampered with in the store: the same dispute over HTTP and from the file."""
    await forge(table, redis_url)
    path = tmp_path / "m.match"
    path.write_bytes((await table.get("/log")).content)
    ran = CliRunner().invoke(replay, ["verify", str(path), "--json"])

    verdict = accepted(await table.get("/verdict"))

    assert verdict["verdict"] == "in dispute"
    assert verdict["disputes"] == json.loads(ran.output)["logs"][0]["disputes"]
    assert [one["kind"] for one in verdict["disputes"]] == ["event"]
    assert "In dispute: lawful up to commit 1 of 2" in (await table.get("/report")).text


async def test_a_server_with_a_key_vouches_for_its_logs(redis_url: str) -> None:
    """What it signs is signed."""
    async with application(redis_url, signing=Ed25519PrivateKey.generate()) as front:
        table = await Api(front).create()
        assert accepted(await table.get("/verdict"))["verdict"] == "signed"
        assert "Signed: 1 commit" in (await table.get("/report")).text


async def test_a_page_draws_so_many_commits_and_says_how_it_ended(
    over: Table, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What is drawn stays in memory meanwhile; the verdict and the result are of the whole log."""
    version = (await over.view())["version"]
    whole = (await over.get("/report")).text
    monkeypatch.setattr(reports, "STEPS", 3)

    page = (await over.get("/report")).text

    assert f"The page ends here: {version - 3} of its commits are not shown" in page
    assert "The page ends here" not in whole
    assert 'max="3" value="3"' in page
    for said in (f"Not signed: {version} commits[^<]*", '<p class="result">.*', "<dt>Played<.*"):
        assert re.findall(said, page) == re.findall(said, whole) != []


async def test_the_page_is_framed_by_anybody_and_can_do_nothing(over: Table) -> None:
    """Its policy lets its own script run, and nothing else; no cache, no referrer."""
    answer = await over.get("/report")

    assert answer.status_code == 200
    assert answer.headers["content-type"] == "text/html; charset=utf-8"
    csp = answer.headers["content-security-policy"]
    assert csp == f"sandbox allow-scripts; {policy()}"
    assert "frame-ancestors" not in csp
    assert "x-frame-options" not in answer.headers
    assert answer.headers["x-content-type-options"] == "nosniff"
    assert answer.headers["referrer-policy"] == "no-referrer"
    assert "private" in answer.headers["cache-control"]
    assert re.search(r"Not signed: \d+ commits", answer.text)


async def test_each_sees_the_page_with_his_own_eyes(over: Table) -> None:
    """The organizer's, a seat's, a spectator's: the page says for whom it is."""
    eyes = ((ORGANIZER, "organizer"), (over.tokens[1], "seat 1"), (None, "spectator"))
    for token, viewer in eyes:
        assert f"<dt>Seen by<dd>{viewer}<" in (await over.get("/report", token)).text


async def test_tells_what_was_refused_to_whom_it_was(over: Table) -> None:
    """The organizer all of it, a seat its own; whoever looks on nothing."""
    problem(await over.send(PLACE, over.tokens[1]), 422, f"{RULINGS}/match-over")
    await over.api.front.site.service.settle()  # type: ignore[union-attr]
    shown = [(await over.get("/report", token)).text for token in (ORGANIZER, *over.tokens, None)]
    assert ["Refused: " in text for text in shown] == [True, False, True, False]


async def test_takes_in_an_address_a_spectators_token_alone(over: Table) -> None:
    """For a page that is embedded; a seat's is refused there, and the verdict takes none."""
    spectator = over.spectator
    seen = await over.get(f"/report?access_token={spectator}", None)
    assert seen.status_code == 200
    problem(await over.get(f"/report?access_token={over.tokens[0]}", None), 401, "unauthorized")
    problem(await over.get(f"/verdict?access_token={spectator}", None), 400, "invalid-fields")


async def test_one_is_judged_at_a_time(api: Api, over: Table) -> None:
    """Whoever asks meanwhile is to come again in a moment; afterwards there is room."""
    site = api.front.site
    assert site is not None
    async with site.judging:
        for rest in ("/report", "/verdict"):
            answer = await over.get(rest)
            problem(answer, 429, "too-many-requests")
            assert int(answer.headers["retry-after"]) >= 1
        assert (await over.get()).status_code == 200
    assert (await over.get("/verdict")).status_code == 200
