"""Who may do what: every route, for everybody, in matches of every kind."""

from __future__ import annotations

import itertools
from typing import Final

import httpx
import pytest

from referee.http.tokens import Tokens
from referee.service import Bearer
from tests.clients import GAME, ORGANIZER, SECRET, TOKENS, accepted
from tests.http.site import Api, Table, problem

LATE: Final = Tokens([SECRET.encode()], now=lambda: 1_000.0)
OTHER: Final = Tokens([b"somebody else's secret, as long as ours is"])

WHO: Final = (
    "organizer", "seat 0", "seat 1", "spectator", "foreign seat", "foreign spectator", "nobody",
    "dead", "expired", "forged", "garbage",
)  # fmt: skip
NOT_BELIEVED: Final = ("dead", "expired", "forged", "garbage")
KINDS: Final = ("private", "public", "private over", "public over")
KINDS_OF: Final = {"nobody": 401, **dict.fromkeys(NOT_BELIEVED, 401)}

RESIGN: Final = {"type": "resign"}


def token_of(who: str, table: Table, foreign: Table) -> str | None:
    """The token of somebody."""
    tokens = {
        "organizer": ORGANIZER,
        "seat 0": table.tokens[0],
        "seat 1": table.tokens[1],
        "spectator": table.spectator,
        "foreign seat": foreign.tokens[0],
        "foreign spectator": foreign.spectator,
        "nobody": None,
        "dead": TOKENS.issue(Bearer("seat", table.match, 0, 6)),
        "expired": LATE.issue(Bearer("organizer")),
        "forged": OTHER.issue(Bearer("organizer")),
        "garbage": "x.y.z",
    }
    return tokens[who]


async def tables(api: Api, kind: str) -> tuple[Table, Table]:
    """A match of a kind, and another one."""
    table = await api.create(public="public" in kind)
    if "over" in kind:
        await table.finish()
    return table, await api.create()


def looking(who: str, kind: str) -> int:
    """The status of a look at a match."""
    if who in NOT_BELIEVED:
        return 401
    if "public" in kind or who in ("organizer", "seat 0", "seat 1", "spectator"):
        return 200
    return 401 if who == "nobody" else 404


def commanding(who: str, kind: str) -> int:
    """The status of a lawful command (or one that comes too late) of whoever may send it."""
    if who in (*NOT_BELIEVED, "nobody"):
        return 401
    if who in ("organizer", "seat 0", "seat 1"):
        return 422 if "over" in kind else 200
    return 403 if who == "spectator" or "public" in kind else 404


def legal(who: str, kind: str) -> int:
    """The status of a list of legal commands; one of nothing when it is over."""
    return 200 if commanding(who, kind) == 422 else commanding(who, kind)


def log(who: str, kind: str) -> int:
    """The status of the full log."""
    if looking(who, kind) != 200 or who == "organizer":
        return looking(who, kind)
    if "over" in kind and ("public" in kind or who in ("seat 0", "seat 1")):
        return 200
    return 401 if who == "nobody" else 403


def organizing(who: str) -> int:
    """The status of what only an organizer may do."""
    if who in (*NOT_BELIEVED[1:], "nobody"):
        return 401
    return 200 if who == "organizer" else 403


def by_form(answer: httpx.Response, status: int) -> None:
    """The answer has this status, and is a problem where that is one."""
    assert answer.status_code == status, answer.text
    names = {401: "unauthorized", 403: "forbidden", 404: "not-found"}
    if status in names:
        problem(answer, status, names[status])
    assert ("www-authenticate" in answer.headers) is (status == 401)


@pytest.mark.parametrize(("who", "kind"), list(itertools.product(WHO, KINDS)))
async def test_lets_everybody_look_at_what_is_theirs_to_see(api: Api, who: str, kind: str) -> None:
    """The view, that of a version, events, legal commands, the log with its verdict and report."""
    table, foreign = await tables(api, kind)
    token = token_of(who, table, foreign)

    for rest in ("", "?at=1", "/events", "/events?after=1"):
        by_form(await table.get(rest, token), looking(who, kind))
    seat = "?seat=0" if who == "organizer" else ""
    by_form(await table.get(f"/legal{seat}", token), legal(who, kind))
    for rest in ("/log", "/report", "/verdict"):
        by_form(await table.get(rest, token), log(who, kind))


@pytest.mark.both_ways
@pytest.mark.parametrize(("who", "kind"), list(itertools.product(WHO, KINDS)))
async def test_lets_only_seats_and_organizers_act(api: Api, who: str, kind: str) -> None:
    """Commands, sent or only checked; whoever may not act leaves the log as it was."""
    table, foreign = await tables(api, kind)
    token = token_of(who, table, foreign)
    seat = "?seat=0" if who == "organizer" else ""
    before = await table.view()

    by_form(await table.send(RESIGN, token, f"/check{seat}"), commanding(who, kind))
    assert await table.view() == before
    by_form(await table.send(RESIGN, token, f"/commands{seat}"), commanding(who, kind))
    assert (await table.view() == before) is (commanding(who, kind) != 200)


@pytest.mark.parametrize("who", WHO)
async def test_lets_only_organizers_organize(api: Api, who: str) -> None:
    """Creating and listing matches, refusals, new tokens."""
    table, foreign = await tables(api, "public")
    token = token_of(who, table, foreign)
    # A dead token is a seat's here: its generation is looked at only where its match is.
    status = organizing(who)
    order = {"game": GAME, "seats": [{"name": "a"}, {"name": "b"}]}

    by_form(await api.get("/v1/matches", token), status)
    by_form(await table.get("/refusals", token), status)
    by_form(await table.send(b"", token, "/seats/1/token"), status)
    created = await api.post("/v1/matches", order, token)
    by_form(created, 201 if status == 200 else status)


@pytest.mark.parametrize("who", WHO)
async def test_lets_everybody_read_what_is_for_everybody(api: Api, who: str) -> None:
    """The catalogue, rulings, keys, probes, metrics and descriptions look at no token."""
    table, foreign = await tables(api, "private")
    token = token_of(who, table, foreign)

    for path in (
        "/v1/games",
        f"/v1/games/{GAME}/rulings/obstacle-gap",
        "/v1/keys",
        "/health/live",
        "/health/ready",
        "/metrics",
        "/schema",
        "/schema/openapi.json",
        "/problems/forbidden",
    ):
        assert (await api.get(path, token)).status_code == 200


@pytest.mark.parametrize("who", WHO)
@pytest.mark.parametrize("match", ["nosuchmatch", "a b", "x" * 65, "}", "..", "%00"])
async def test_tells_nobody_of_matches_that_there_are_not(api: Api, who: str, match: str) -> None:
    """An unknown match is answered like one that must not be known of."""
    table, foreign = await tables(api, "private")
    token = token_of(who, table, foreign)
    unbelieved = {401} if who in (*NOT_BELIEVED[1:], "nobody") else {404}

    for rest in ("", "/legal", "/events", "/log"):
        answer = await api.get(f"/v1/matches/{match}{rest}", token)
        assert answer.status_code in unbelieved | ({404} if match == ".." else set())
    for rest in ("/commands", "/check"):
        answer = await api.post(f"/v1/matches/{match}{rest}", RESIGN, token)
        assert answer.status_code in unbelieved | ({404} if match == ".." else set())


async def test_answers_alike_for_no_match_and_a_private_one(api: Api) -> None:
    """Nothing in the answer tells which of the two it is."""
    table, foreign = await tables(api, "private")

    for token in (None, foreign.tokens[0], foreign.spectator):
        real = await table.get("", token)
        none = await api.get("/v1/matches/" + "a" * len(table.match), token)
        assert real.status_code == none.status_code
        shown = [
            answer.text.replace(match, "?")
            for answer, match in ((real, table.match), (none, "a" * len(table.match)))
        ]
        assert shown[0] == shown[1]


async def test_lets_a_seat_act_for_itself_alone(table: Table) -> None:
    """A token may name its own seat, and no other."""
    own = await table.send(RESIGN, table.tokens[1], "/check?seat=1")
    other = await table.send(RESIGN, table.tokens[1], "/commands?seat=0")

    assert accepted(own) == {"legal": True}
    problem(other, 403, "forbidden")
    problem(await table.get("/legal?seat=0", table.tokens[1]), 403, "forbidden")


async def test_lets_no_seat_send_an_arbiters_command(table: Table) -> None:
    """What only the organizer may rule is forbidden, not refused."""
    for command in ({"type": "pause"}, {"type": "void", "reason": "x"}, {"type": "certify"}):
        problem(await table.send(command, table.tokens[0]), 403, "forbidden")


async def test_kills_a_seats_token_when_a_new_one_is_made(table: Table) -> None:
    """The old one is dead at once, the new one lives, the other seat's is untouched."""
    answer = accepted(await table.send(b"", ORGANIZER, "/seats/0/token"))

    assert (answer["match"], answer["seat"], answer["version"]) == (table.match, 0, 2)
    problem(await table.get("", table.tokens[0]), 401, "unauthorized")
    problem(await table.send(RESIGN, table.tokens[0]), 401, "unauthorized")
    assert (await table.view(answer["token"]))["viewer"] == "seat 0"
    assert (await table.view(table.tokens[1]))["viewer"] == "seat 1"


@pytest.mark.parametrize("seat", ["2", "99", "-1", "x", "9999999"])
async def test_makes_no_token_for_a_seat_that_does_not_exist(table: Table, seat: str) -> None:
    """Not found, and no commit is made."""
    answer = await table.send(b"", ORGANIZER, f"/seats/{seat}/token")

    problem(answer, 404, "not-found")
    assert (await table.view())["version"] == 1


async def test_takes_no_token_from_the_address(public: Table, table: Table) -> None:
    """Addresses stand in logs; only live streams take a token from there."""
    path = f"?access_token={ORGANIZER}"

    problem(await table.get(path, None), 400, "invalid-fields")
    problem(await table.get(f"/events{path}", None), 401, "unauthorized")
    events = accepted(await public.get(f"/events{path}", None))["events"]
    assert events[0]["seed"] is None  # which an organizer would see
