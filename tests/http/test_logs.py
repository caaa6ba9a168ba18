"""What is logged, and what never is."""

from __future__ import annotations

import asyncio
import logging
from collections import Counter
from collections.abc import Iterator
from typing import Any

import msgspec
import pytest
import structlog

from referee.http import logs
from referee.settings import LogFormat
from tests.clients import ORGANIZER
from tests.http.site import SEED, Api, Table, application, problem


@pytest.fixture
def restored(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Logging as it was before the test, in which nothing was said yet."""
    monkeypatch.setattr(logs, "_SELDOM", logs.Seldom(logs.ALIKE_S, logs.ALIKE))
    root = logging.getLogger()
    before = root.handlers[:], root.level
    configured = structlog.get_config()
    yield
    logs._WRITER.flush()
    logs._WRITER.least = logging.CRITICAL + 1
    structlog.configure(**configured)
    root.handlers[:], root.level = before


async def lines(capsys: pytest.CaptureFixture[str]) -> list[dict[str, Any]]:
    """What was logged so far, after those that wait."""
    await asyncio.sleep(2 * logs._WAIT_S)
    return [msgspec.json.decode(line) for line in capsys.readouterr().err.splitlines()]


@pytest.mark.usefixtures("restored")
async def test_logs_a_line_a_request(table: Table, capsys: pytest.CaptureFixture[str]) -> None:
    """With its id, and match, version and seat where they are known."""
    logs.configure("info", "json")
    place = {"type": "place_obstacle", "space": 20}
    await table.play(0, place, x_request_id="r1")
    await table.get("", None, x_request_id="r2")
    await table.api.get("/v1/games", x_request_id="r3")

    found = {line["request_id"]: line for line in await lines(capsys)}

    assert list(found["r1"]) == [
        "event", "method", "path", "status", "ms", "request_id", "level", "timestamp", "match",
        "version", "seat",
    ]  # fmt: skip
    told = ("event", "method", "path", "status", "level", "match", "version", "seat")
    assert [found["r1"][name] for name in told] == [
        "request", "POST", f"{table.path}/commands", 200, "info", table.match, 2, 0
    ]  # fmt: skip
    assert (found["r2"]["status"], found["r2"]["match"]) == (401, table.match)
    assert "match" not in found["r3"]
    assert 0 < found["r3"]["ms"] < 10_000


@pytest.mark.usefixtures("restored")
async def test_logs_no_token_seed_or_hidden_card(
    api: Api, capsys: pytest.CaptureFixture[str]
) -> None:
    """Whatever happens: requests, refusals, errors, addresses with a token in them."""
    logs.configure("debug", "json")
    table = await api.create(seed=SEED, match="m")
    await table.race()
    card = {"type": "choose_card", "card": 3}
    await table.play(0, card)
    await table.send(card, table.tokens[0])
    await table.send(b"{not json", table.tokens[0])
    await table.get(f"?access_token={ORGANIZER}&at=1")
    await table.get(f"?access_token={ORGANIZER}", "x.y.z")

    logged = msgspec.json.encode(await lines(capsys)).decode()

    for secret in (
        SEED,
        *table.tokens,
        table.spectator,
        ORGANIZER,
        "x.y.z",
        "choose_card",
        "not json",
    ):
        assert secret not in logged
    assert "/v1/matches/m" in logged


@pytest.mark.usefixtures("restored")
async def test_logs_an_error_that_nobody_expected_with_its_traceback(
    api: Api, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """In the log it is all there, with the request's id."""
    logs.configure("warning", "json")
    table = await api.create()

    def broken(*_: object) -> None:
        raise RuntimeError("on purpose")

    monkeypatch.setattr(type(api.front.site.service), "legal", broken)  # type: ignore[union-attr]
    answer = await table.get("/legal", x_request_id="r9")

    problem(answer, 500, "internal-error")
    line, request = await lines(capsys)
    assert (line["level"], line["request_id"], line["match"]) == ("error", "r9", table.match)
    assert (request["level"], request["request_id"]) == ("warning", "r9")
    assert "RuntimeError: on purpose" in line["exception"]


@pytest.mark.usefixtures("restored")
@pytest.mark.parametrize("form", ["json", "console"])
def test_an_error_tells_no_value_of_the_program(
    capsys: pytest.CaptureFixture[str], form: LogFormat
) -> None:
    """Where it happened, and not what was hidden there: a card, a token, a seed."""
    logs.configure("warning", form)

    def fail() -> None:
        hidden = "drac neddih a"[::-1]
        raise RuntimeError(f"{len(hidden)} letters")

    try:
        fail()
    except RuntimeError:
        structlog.get_logger(form).exception("internal error")
    logs._WRITER.flush()
    logged = capsys.readouterr().err

    assert "in fail" in logged
    assert "RuntimeError: 13 letters" in logged
    assert "a hidden card" not in logged


_ORDER = ("first", "second", "third of all")


@pytest.mark.usefixtures("restored")
@pytest.mark.parametrize("form", ["json", "console"])
async def test_keeps_lines_in_order(
    api: Api, capsys: pytest.CaptureFixture[str], form: LogFormat
) -> None:
    """Requests' lines wait a moment, but another line does not overtake them."""
    logs.configure("info", form)
    await api.get("/v1/games", x_request_id="first")
    structlog.get_logger("referee").info("second")
    logging.getLogger("somebody.else").warning("third %s", "of all")

    text = capsys.readouterr().err.splitlines()

    assert all(word in line for word, line in zip(_ORDER, text, strict=True))


@pytest.mark.usefixtures("restored")
async def test_logs_only_what_is_severe_enough(
    api: Api, capsys: pytest.CaptureFixture[str]
) -> None:
    """Above info the access log has only what failed here."""
    logs.configure("warning", "json")
    await api.get("/v1/games")
    structlog.get_logger("referee").info("not this")
    structlog.get_logger("referee").warning("but this")

    assert [line["event"] for line in await lines(capsys)] == ["but this"]


@pytest.mark.usefixtures("restored")
async def test_writes_without_waiting_when_there_is_much(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, api: Api
) -> None:
    """So that little is lost, and little kept."""
    monkeypatch.setattr(logs, "_MOST", 3)
    logs.configure("info", "json")
    for _ in range(4):
        await api.get("/v1/games")

    assert len(capsys.readouterr().err.splitlines()) == 3
    assert len(await lines(capsys)) == 1


@pytest.mark.usefixtures("restored")
async def test_logs_failures_as_warnings_and_probes_for_those_who_look_for_faults(
    tmp_path: object, capsys: pytest.CaptureFixture[str]
) -> None:
    """Probes are asked every few seconds: they are the most, and say the least."""
    logs.configure("debug", "json")
    async with application(f"unix://{tmp_path}/nothing.sock") as front:
        for path in ("/health/live", "/metrics", "/v1/games", "/health/ready"):
            await Api(front).get(path)
        found = [line for line in await lines(capsys) if line["event"] == "request"]
        assert [line["level"] for line in found] == ["debug", "debug", "info", "warning"]
        logs.configure("info", "json")
        for path in ("/health/live", "/metrics", "/health/ready"):
            await Api(front).get(path)
        found = [line for line in await lines(capsys) if line["event"] == "request"]
        assert [line["path"] for line in found] == ["/health/ready"]


@pytest.mark.usefixtures("restored")
async def test_logs_an_outage_without_filling_the_log(
    tmp_path: object, capsys: pytest.CaptureFixture[str]
) -> None:
    """Every request that failed is in the access log; why, it says as often as is of use."""
    logs.configure("warning", "json")
    async with application(f"unix://{tmp_path}/nothing.sock") as front:
        for _ in range(3 * logs.ALIKE):
            await Api(front).get("/health/ready")
        found = Counter(line["event"] for line in await lines(capsys))
    assert (found["request"], found["not served"]) == (3 * logs.ALIKE, logs.ALIKE)


@pytest.mark.usefixtures("restored")
def test_logs_few_lines_of_one_cause(capsys: pytest.CaptureFixture[str]) -> None:
    """Ours and the libraries', each cause by itself; what is no warning is not held back."""
    logs.configure("info", "json")
    ours, theirs = structlog.get_logger("ours"), logging.getLogger("theirs")
    for number in range(2 * logs.ALIKE):
        ours.warning("away", cause="one", number=number)
        ours.error("away", cause="another")
        ours.info("told")
        theirs.warning("no answer to %s", number)
        try:
            int("x")
        except ValueError:
            ours.exception("failed")
    logs._WRITER.flush()
    text = [msgspec.json.decode(line) for line in capsys.readouterr().err.splitlines()]
    found = Counter((line["event"].rstrip("0123456789"), line.get("cause")) for line in text)
    most = logs.ALIKE
    assert found == {
        ("away", "one"): most,
        ("away", "another"): most,
        ("told", None): 2 * most,
        ("no answer to ", None): most,
        ("failed", None): most,
    }


def test_says_how_often_there_was_cause_since_the_last_line() -> None:
    """Each kind by itself."""
    now = [0.0]
    seldom = logs.Seldom(60.0, 2, lambda: now[0])
    assert [seldom.times(kind) for kind in "aabaa"] == [1, 1, 1, 0, 0]
    now[0] = 60.0
    assert [seldom.times(kind) for kind in "aaab"] == [3, 1, 0, 1]
