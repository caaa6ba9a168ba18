"""What operators, browsers and other programs rely on."""

from __future__ import annotations

import asyncio
import os
import re
import socket
import subprocess
import sys
from pathlib import Path
from typing import Any, Final

import pytest
import redis

from referee.http.logs import CURRENT
from referee.http.metrics import SEVERAL, Metrics, served_apart
from referee.http.problems import KINDS
from referee.service.logs import PIECE
from referee.serving.server import Server
from referee.store import StoreAway
from referee.store.scripts import log_key
from referee.store.streams import RedisStore
from tests.clients import GAME, ORGANIZER, accepted, ask
from tests.http.site import Api, Table, application, paths, problem

PLACE = {"type": "place_obstacle", "space": 20}
ORIGIN = {"origin": "https://games.example"}


async def test_lists_the_games(api: Api) -> None:
    """The catalogue, with what a lobby needs."""
    games = accepted(await api.get("/v1/games"))["games"]

    assert [game["id"] for game in games] == sorted(game["id"] for game in games)
    row = next(game for game in games if game["id"] == GAME)
    assert row == {
        "id": GAME,
        "title": "Giro Galoppo",
        "about": row["about"],
        "players": {"min": 2, "max": 5, "counts": [2, 3, 4, 5]},
        "rulesets": ["giro-galoppo/1"],
    }
    assert "\n" not in row["about"]


async def test_shows_a_game_with_its_schemas_and_rulings(api: Api) -> None:
    """All that a client needs to play it, the table's rulings included."""
    page = accepted(await api.get(f"/v1/games/{GAME}"))

    assert page["schemas"].keys() == {"options", "commands", "events", "state"}
    rulings = {ruling["id"]: ruling for ruling in page["rulings"]}
    assert {"obstacle-gap", "out-of-turn"} <= rulings.keys()
    assert rulings["obstacle-gap"] == accepted(
        await api.get(f"/v1/games/{GAME}/rulings/obstacle-gap")
    )
    assert rulings["out-of-turn"]["origin"] == "table"
    assert rulings["obstacle-gap"]["ruleset"] == "giro-galoppo/1"


@pytest.mark.parametrize(
    "path",
    ["/v1/games/chess", "/v1/games/chess/rulings/castling", f"/v1/games/{GAME}/rulings/castling",
     "/problems/none", "/v1", "/v2/games", "/v1/matches/x/y", "/v1/matches/x/y/commands",
     "/schema/x", "/schema/x.json"],
)  # fmt: skip
async def test_answers_what_is_not_there_with_not_found(api: Api, path: str) -> None:
    """As a problem, whoever finds that it is not there."""
    problem(await api.get(path, ORGANIZER), 404, "not-found")


@pytest.mark.parametrize("name", KINDS)
async def test_says_what_a_problem_means(api: Api, name: str) -> None:
    """Every type of problem leads to a page about it."""
    page = accepted(await api.get(f"/problems/{name}"))

    assert page["type"] == f"/problems/{name}"
    assert page["about"].endswith((".", "`."))


@pytest.mark.parametrize(
    ("path", "allowed"),
    [
        ("/v1/matches", {"GET", "HEAD", "POST", "OPTIONS"}),
        ("/v1/matches/x", {"GET", "HEAD", "OPTIONS"}),
        ("/v1/matches/x/commands", {"POST", "OPTIONS"}),
        ("/v1/matches/x/check", {"POST", "OPTIONS"}),
        ("/health/live", {"GET", "HEAD", "OPTIONS"}),
    ],
)
async def test_says_which_methods_it_has(api: Api, path: str, allowed: set[str]) -> None:
    """To who asks, and to who uses another."""
    options = await api.http.options(path)
    other = await api.http.delete(path)

    problem(other, 405, "method-not-allowed")
    assert options.status_code == 204
    for answer in (options, other):
        assert set(answer.headers["allow"].split(", ")) == allowed


async def test_leads_people_to_the_page_of_the_api(api: Api) -> None:
    """From the address that they type."""
    answer = await api.get("/")

    assert (answer.status_code, answer.headers["location"]) == (302, "/desk/")


@pytest.mark.parametrize(
    "path",
    ["/v1/matches?tournamnet=x", "/v1/games?x=1", "{}?at=1&access_token=x", "{}/legal?seat=0&x",
     "{}/events?after=0&until=2", "/health/live?x=1", "/schema?x=1"],
)  # fmt: skip
async def test_refuses_a_parameter_that_the_route_does_not_know(table: Table, path: str) -> None:
    """It was meant to say something: a typing error must not list everything."""
    body = problem(
        await table.api.get(path.format(table.path), table.tokens[0]), 400, "invalid-fields"
    )

    assert body["errors"][0]["message"] == "is not known"


async def test_is_live_without_a_store_and_ready_only_with_one(tmp_path: object) -> None:
    """A process that has lost its store is to be left alone, and sent nothing."""
    async with application(f"unix://{tmp_path}/nothing.sock") as front:
        api = Api(front)
        live, ready = await api.get("/health/live"), await api.get("/health/ready")
        create = await api.post(
            "/v1/matches", {"game": GAME, "seats": [{"name": "a"}, {"name": "b"}]}, ORGANIZER
        )

    assert accepted(live) == {"status": "ok"}
    for answer in (ready, create):
        body = problem(answer, 503, "store-away")
        assert answer.headers["retry-after"] == "1"
        assert body["detail"] == "The store is away, and nothing was acknowledged."


@pytest.mark.parametrize("recorded", [True, False])
@pytest.mark.usefixtures("counting_from_nothing")
async def test_says_where_it_does_not_know_what_was_recorded(
    table: Table,
    recorded: bool,  # noqa: FBT001
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """An answer of the store was lost: a repeat with the same key tells, once it is back."""
    append = RedisStore.append

    async def lost(*sent: Any, **more: Any) -> None:
        if recorded:
            await append(*sent, **more)
        raise StoreAway("the answer was lost", outcome_unknown=True)

    monkeypatch.setattr(RedisStore, "append", lost)
    answer = await table.send(PLACE, table.tokens[0], idempotency_key="k")
    monkeypatch.setattr(RedisStore, "append", append)

    said = problem(answer, 503, "store-away")["detail"]
    assert said == "The store went away. Whether this was recorded will show when it is back."
    assert 'cause="store-away-outcome-unknown"} 1.0' in await metrics(table.api)
    assert (await table.play(0, PLACE, idempotency_key="k"))["version"] == 2


@pytest.mark.parametrize("key", ["log", "refusals"])
async def test_does_not_serve_what_somebody_has_spoilt_in_the_store(
    api: Api, redis_url: str, key: str
) -> None:
    """A key of another kind makes one match unserved; nothing fails, and the others are listed."""
    sound, spoilt = await api.create(), await api.create(match="spoilt")
    with redis.Redis.from_url(redis_url) as client:
        client.delete(f"match:{{spoilt}}:{key}")
        client.set(f"match:{{spoilt}}:{key}", "text")
    order = {"game": GAME, "seats": [{"name": "a"}, {"name": "b"}], "match": "spoilt"}

    created = await api.post("/v1/matches", order, ORGANIZER)
    problem(await spoilt.get("/refusals"), 503, "not-served")
    listed = accepted(await api.get("/v1/matches", ORGANIZER))["matches"]

    if key == "log":
        body = problem(created, 503, "not-served")
        assert (body["match"], created.headers["retry-after"]) == ("spoilt", "30")
    assert sound.match in [row["match"] for row in listed]


def test_keeps_a_resting_connection_longer_than_its_clients_do(api: Api) -> None:
    """Proxies keep one for a minute: none must be closed under the command that comes next."""
    assert Server(api.front, lambda: None).config.timeout_keep_alive > 60


async def test_is_ready_with_a_store(api: Api) -> None:
    """Health needs no token."""
    assert accepted(await api.get("/health/ready")) == {"status": "ok"}


# ── Metrics ───────────────────────────────────────────────────────────────────────────────────────


async def metrics(api: Api) -> str:
    """What Prometheus reads."""
    answer = await api.get("/metrics")
    assert answer.headers["content-type"].startswith("text/plain; version=0.0.4")
    return answer.text


FAILED_OVER: Final = """
from referee.http.metrics import Metrics
from referee.service import Primary

metrics = Metrics()
for name in ("old", "new"):
    metrics.store_examined([Primary(name, "redis")])
print(*(line for line in metrics.text().decode().splitlines() if "primary_up{" in line))
"""


@pytest.mark.parametrize("several", [False, True], ids=["one process", "several"])
def test_forgets_primaries_that_are_none_any_more(tmp_path: Path, *, several: bool) -> None:
    """After a failover nothing is said of the old one, neither that it is up nor that it is not."""
    environment = {**os.environ, **({SEVERAL: str(tmp_path)} if several else {})}

    ran = subprocess.run(
        [sys.executable, "-W", "error::UserWarning", "-c", FAILED_OVER],
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )

    assert (ran.stdout, ran.stderr) == ('referee_store_primary_up{primary="new"} 1.0\n', "")


@pytest.mark.usefixtures("counting_from_nothing")
async def test_counts_commands_by_game_and_ruling(table: Table) -> None:
    """And by a ruling of the game's own for operators alone: it may tell what a seat has."""
    for _ in range(2):
        await table.play(0, PLACE, idempotency_key="k")
    await table.send(PLACE, table.tokens[0])
    await table.send({"type": "place_obstacle", "space": 11}, table.tokens[1])

    text = await metrics(table.api)

    assert f'referee_commands_accepted_total{{game="{GAME}"}} 1.0' in text
    assert f'referee_commands_refused_total{{game="{GAME}",ruling="out-of-turn"}} 1.0' in text
    assert f'referee_commands_refused_total{{game="{GAME}",ruling="game"}} 1.0' in text
    assert "obstacle-" not in text
    assert "referee_store_append_duration_seconds_count 1.0" in text
    assert "referee_resident_matches 1.0" in text
    for counted, times in (("matches_created", 1), ("matches_loaded", 0), ("repeats", 1)):
        assert f"referee_{counted}_total {times}.0" in text
    assert 'referee_build_info{version="' in text
    assert "process_cpu_seconds_total" in text


def test_metrics_on_a_port_of_their_own_tell_each_ruling() -> None:
    """There only operators come; and they are read while requests are counted."""
    metrics = Metrics(apart=True)
    metrics.refused(GAME, "obstacle-sand", of_table=False)
    metrics.request("/", "GET", 200, 0.1)
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    with served_apart(metrics.registry, "127.0.0.1", port):
        text = ask(f"http://127.0.0.1:{port}/metrics").text
    assert f'referee_commands_refused_total{{game="{GAME}",ruling="obstacle-sand"}} 1.0' in text
    assert 'referee_http_requests_total{method="GET",route="/",status="200"} 1.0' in text


@pytest.mark.usefixtures("counting_from_nothing")
@pytest.mark.usefixtures("counting_from_nothing")
async def test_metrics_that_have_a_port_of_their_own_are_nowhere_else(api: Api) -> None:
    """Not found, as if there were none."""
    api.front.metrics.apart = True  # of an application that no other test has
    problem(await api.get("/metrics"), 404, "not-found")


@pytest.mark.usefixtures("counting_from_nothing")
async def test_tells_the_causes_of_503_apart(tmp_path: object) -> None:
    """By a counter for each."""
    async with application(f"unix://{tmp_path}/nothing.sock") as front:
        api = Api(front)
        for _ in range(5):
            problem(await api.get("/health/ready"), 503, "store-away")
        assert 'referee_unserved_total{cause="store-away"} 5.0' in await metrics(api)


@pytest.mark.usefixtures("counting_from_nothing")
async def test_a_match_file_that_breaks_off_is_told_by_its_cause(
    table: Table, redis_url: str
) -> None:
    """A log that was lost while it was sent is no fault of the service's."""
    for number in range(PIECE):
        await table.rule({"type": ("pause", "resume")[number % 2]})
    sent: list[Any] = []

    async def send(message: Any) -> None:
        sent.append(message)
        if message.get("body"):
            with redis.Redis.from_url(redis_url) as client:
                client.delete(log_key(table.match))

    scope: Any = {
        "type": "http", "method": "GET", "path": f"{table.path}/log", "query_string": b"",
        "headers": [(b"authorization", f"Bearer {ORGANIZER}".encode())],
    }  # fmt: skip
    arriving = [{"type": "http.request"}]

    async def receive() -> Any:
        return arriving.pop() if arriving else await asyncio.Future()

    await table.api.front(scope, receive, send)
    assert [message.get("status") for message in sent] == [200, None]
    assert 'referee_unserved_total{cause="unserved"} 1.0' in await metrics(table.api)


@pytest.mark.usefixtures("counting_from_nothing")
async def test_counts_requests_by_route_and_never_by_match(api: Api) -> None:
    """However many matches and paths there are, there is one series a route."""
    tables = [await api.create() for _ in range(3)]
    for table in tables:
        await table.play(0, PLACE)
        await table.view()
        await api.get(f"/nothing/{table.match}")
        await api.http.request("PROPFIND", table.path)

    text = await metrics(api)

    route = 'method="POST",route="/v1/matches/{match}/commands",status="200"'
    assert f"referee_http_requests_total{{{route}}} 3.0" in text
    assert (
        'referee_http_request_duration_seconds_count{method="GET",route="/v1/matches/{match}"}'
        in text
    )
    assert 'method="GET",route="unmatched",status="404"} 3.0' in text
    assert 'method="other"' in text
    assert not [table for table in tables if table.match in text]
    assert "PROPFIND" not in text


# ── Browsers and proxies ──────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize("path", ["/v1/matches", "{}", "{}/commands", "{}/check", "/nothing"])
async def test_lets_pages_of_any_origin_call(table: Table, path: str) -> None:
    """A preflight is answered for every path, with what is used here and what it asks for."""
    answer = await table.api.http.options(
        path.format(table.path),
        headers={**ORIGIN, "access-control-request-method": "POST",
                 "access-control-request-headers": "traceparent, x-requested-with"},
    )  # fmt: skip

    assert answer.status_code == 204
    assert answer.headers["access-control-allow-origin"] == "*"
    allowed = answer.headers["access-control-allow-headers"].lower().split(", ")
    assert {"authorization", "content-type", "idempotency-key", "if-match"} <= set(allowed)
    assert {"traceparent", "x-requested-with"} <= set(allowed)
    assert "POST" in answer.headers["access-control-allow-methods"]
    assert "access-control-allow-credentials" not in answer.headers


async def test_lets_pages_of_any_origin_read_answers_and_problems(table: Table) -> None:
    """With the headers that matter, whichever way the answer was made."""
    for answer in (
        await table.get(**ORIGIN),
        await table.get("", None, **ORIGIN),
        await table.send(PLACE, table.tokens[0], **ORIGIN),
        await table.send(PLACE, None, **ORIGIN),
    ):
        assert answer.headers["access-control-allow-origin"] == "*"
        shown = answer.headers["access-control-expose-headers"].split(", ")
        assert {"Date", "ETag", "Location", "Referee-Time", "Retry-After"} <= set(shown)
    assert "access-control-allow-origin" not in (await table.get()).headers


async def test_tells_the_time_with_every_answer_about_matches(table: Table) -> None:
    """Good or bad, with a body or without, to pages of other origins too; and with no other."""
    at = (await table.get("/events")).json()["events"][0]["at"]
    tag = (await table.get()).headers["etag"]
    answers = [
        await table.get(**ORIGIN),
        await table.get(if_none_match=tag),
        await table.get("", None),
        await table.get("/events?nothing=1"),
        await table.get("/nothing"),
        await table.send(PLACE, table.tokens[0]),
        await table.send({"type": "nothing"}, table.tokens[0], "/check"),
        await table.api.get("/v1/matches", ORGANIZER),
        await table.api.http.options(table.path),
    ]
    assert {answer.status_code for answer in answers} == {200, 204, 304, 400, 401, 404}
    for answer in answers:
        assert abs(int(answer.headers["referee-time"]) - at) < 3_600_000
    assert "Referee-Time" in answers[0].headers["access-control-expose-headers"]
    assert "referee-time" not in (await table.api.get("/v1/games")).headers


async def test_tells_no_time_that_it_does_not_know(redis_url: str) -> None:
    """Before the store has said what time it is."""
    async with application(redis_url) as front:
        answer = await Api(front).get("/v1/matches", ORGANIZER)
        assert answer.status_code == 200
        assert "referee-time" not in answer.headers


async def test_lets_no_cache_store_what_is_about_matches(table: Table) -> None:
    """Whatever the answer is, and whoever made it; what has a tag its asker may keep."""
    rests = ("", "?at=9", "?x=1", "/events", "/legal?seat=0", "/log", "/refusals", "/nothing")
    answers = [await table.get(rest, accept="*/*") for rest in rests]
    answers += [await table.get("", if_none_match="*"), await table.get("", None)]
    answers += [await table.send(PLACE, token) for token in (table.tokens[0], None)]
    answers += [await table.send(PLACE, ORGANIZER, rest) for rest in ("/check", "/seats/0/token")]
    answers += [await table.api.get("/v1/matches", ORGANIZER), await table.api.get("/v1/matches")]
    for answer in answers:
        stored = "private, no-cache" if "etag" in answer.headers else "no-store"
        assert answer.headers.get_list("cache-control") == [stored], answer.request.url


async def test_gives_every_answer_an_id_and_keeps_a_sane_one(table: Table) -> None:
    """So that a line in a log is found again; what is not sane is replaced."""
    for path in (table.path, f"{table.path}/commands", "/nothing"):
        kept = await table.api.get(path, None, x_request_id="abc-1.2_3")
        made = await table.api.get(path, None, x_request_id='bad id"\\')
        long = await table.api.get(path, None, x_request_id="x" * 65)
        assert kept.headers["x-request-id"] == "abc-1.2_3"
        ids = {made.headers["x-request-id"], long.headers["x-request-id"]}
        assert len(ids) == 2
        assert all(re.fullmatch(r"[0-9a-f]{12}-[0-9a-f]+", one) for one in ids)
        assert made.headers["x-content-type-options"] == "nosniff"


async def test_answers_an_error_that_nobody_expected_without_its_secrets(
    api: Api, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A 500 is a problem that says nothing of what went wrong."""
    table = await api.create()

    def broken(*_: object) -> None:
        raise RuntimeError("the seed is mackerel")

    monkeypatch.setattr(type(api.front.site.service), "legal", broken)  # type: ignore[union-attr]
    monkeypatch.setattr(type(api.front.site.service), "command", broken)  # type: ignore[union-attr]

    for answer in (await table.get("/legal"), await table.send(PLACE, table.tokens[0])):
        body = problem(answer, 500, "internal-error")
        assert "mackerel" not in answer.text
        assert body["instance"] == answer.request.url.path


async def test_refuses_a_host_that_is_none(api: Api) -> None:
    """As a bad request."""
    answer = await api.http.get("/health/live", headers={"host": "a b/c"})

    assert (answer.status_code, answer.json()["type"]) == (400, "/problems/bad-request")


async def test_forgets_a_request_when_it_is_answered(api: Api) -> None:
    """Lines that are logged outside of a request name none."""
    await api.get("/health/live")

    assert CURRENT.get() is None or CURRENT.get().match is None  # type: ignore[union-attr]


async def test_takes_a_path_with_a_slash_at_its_end_for_the_same(table: Table) -> None:
    """On the routes of the framework and on the one that is ours."""
    assert (await table.get("/")).status_code == 200
    assert (await table.send(PLACE, table.tokens[0], "/commands/")).status_code == 200
    assert paths(problem(await table.send({}, ORGANIZER, "/commands/"), 400, "invalid-fields"))
