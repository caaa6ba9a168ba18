"""What is logged, and what never is."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Iterator
from typing import Any

import msgspec
import pytest
import structlog

from referee.http import logs
from referee.settings import LogFormat
from tests.clients import ORGANIZER
from tests.http.site import SEED, Api, Table, problem


@pytest.fixture
def restored() -> Iterator[None]:
    """Logging as it was before the test."""
    root = logging.getLogger()
    before = root.handlers[:], root.level
    yield
    logs._WRITER.flush()
    logs._WRITER.wanted = False
    structlog.reset_defaults()
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
    await table.api.get("/health/live", x_request_id="r3")

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
    (line,) = await lines(capsys)
    assert (line["level"], line["request_id"], line["match"]) == ("error", "r9", table.match)
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
    await api.get("/health/live", x_request_id="first")
    structlog.get_logger("referee").info("second")
    logging.getLogger("somebody.else").warning("third %s", "of all")

    text = capsys.readouterr().err.splitlines()

    assert all(word in line for word, line in zip(_ORDER, text, strict=True))


@pytest.mark.usefixtures("restored")
async def test_logs_only_what_is_severe_enough(
    api: Api, capsys: pytest.CaptureFixture[str]
) -> None:
    """Above info there is no access log."""
    logs.configure("warning", "json")
    await api.get("/health/live")
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
        await api.get("/health/live")

    assert len(capsys.readouterr().err.splitlines()) == 3
    assert len(await lines(capsys)) == 1
