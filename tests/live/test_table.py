"""The table over HTTP: what seats agree on and arbiters rule, at two servers by turns."""

from __future__ import annotations

from typing import Any

import pytest

from tests.clients import ORGANIZER, accepted, bearer
from tests.live.servers import Server, Table

GAME = "giro-galoppo"
OBSTACLES = 5


def a_table(servers: list[Server], moves: int = 0, **order: object) -> Table:
    """A match of three with so many moves made, by turns on either server."""
    table = Table(servers[0], GAME, 3, **order)
    for number in range(moves):
        table.move(servers[number % 2])
    return table


def refusal(table: Table, who: int | str, command: dict[str, Any], server: Server) -> str:
    """The ruling that refuses a command; the problem's type leads to it."""
    token = table.tokens[who] if isinstance(who, int) else who
    answer = table.send(token, command, server)
    assert answer.status_code == 422, answer.text
    problem = answer.json()
    assert problem["version"] == table.view()["version"]
    ruling = accepted(table.client.get(f"{server.url}{problem['type']}"))
    assert ruling["id"] == problem["ruling"]
    return str(problem["ruling"])


def last_event(table: Table) -> dict[str, Any]:
    """The event that came last, without its place."""
    event = table.events()[-1]
    return {name: value for name, value in event.items() if name not in ("version", "index", "at")}


# ── Leaving ───────────────────────────────────────────────────────────────────────────────────────


def test_a_seat_may_resign_while_the_match_is_paused(servers: list[Server]) -> None:
    """Nothing is played in a pause, but nobody is held in it."""
    here, there = servers[:2]
    table = a_table(servers, 1)
    move = table.legal(1)[0]
    table.rule({"type": "pause"}, there)
    assert table.view()["status"] == "paused"
    assert refusal(table, 1, move, here) == "match-paused"
    table.play(2, {"type": "resign"}, there)
    assert table.view()["seats"][2]["withdrawn"]
    table.rule({"type": "resume"}, here)
    table.play(1, move, there)
    assert refusal(table, 2, {"type": "resign"}, here) == "withdrawn"
    table.play(1, {"type": "resign"}, there)
    view = table.view()
    assert (view["status"], view["result"]["reason"]) == ("finished", "withdrawal")
    assert view["result"]["winners"] == [0]
    assert refusal(table, 0, {"type": "resign"}, here) == "match-over"


def test_an_arbiter_may_take_a_seat_out(servers: list[Server]) -> None:
    """With a reason, which the players are shown."""
    here, there = servers[:2]
    table = a_table(servers, 2)
    command = {"type": "forfeit", "seat": 1, "reason": "left the room"}
    assert table.send(table.tokens[0], command, here).status_code == 403
    table.rule(command, there)
    shown = {"type": "withdrawn", "seat": 1, "why": "forfeited", "reason": "left the room"}
    assert last_event(table) == shown
    assert table.events(table.tokens[2]) == table.events(table.spectator)
    assert refusal(table, ORGANIZER, command, here) == "withdrawn"
    assert refusal(table, ORGANIZER, {**command, "seat": 7}, here) == "not-seated"
    bare = {"type": "forfeit", "seat": 0}
    assert table.send(ORGANIZER, bare, there).status_code == 400


# ── Agreeing ──────────────────────────────────────────────────────────────────────────────────────


def test_all_who_are_in_may_agree_on_a_draw(servers: list[Server]) -> None:
    """Every other seat has to; the place is shared, and who has left has none."""
    here, there = servers[:2]
    table = a_table(servers)
    table.play(2, {"type": "resign"})
    assert refusal(table, 0, {"type": "accept_draw"}, here) == "no-draw-offered"
    table.play(1, {"type": "offer_draw"}, there)
    assert refusal(table, 0, {"type": "offer_draw"}, here) == "draw-offered"
    assert refusal(table, 1, {"type": "accept_draw"}, here) == "no-draw-offered"
    table.play(0, {"type": "decline_draw"}, here)
    assert refusal(table, 1, {"type": "offer_draw"}, there) == "offer-again"
    table.play(0, {"type": "offer_draw"}, here)
    table.play(1, {"type": "accept_draw"}, there)
    result = table.view()["result"]
    assert (result["reason"], result["winners"]) == ("agreed", [0, 1])
    assert [row["place"] for row in result["ranking"]] == [1, 1, None]


def test_an_offer_lapses_when_its_seat_is_to_act_again(servers: list[Server]) -> None:
    """An offer is not for ever."""
    table = a_table(servers, 1)
    table.play(0, {"type": "offer_draw"}, servers[1])
    for _ in range(2):
        table.move()
    assert last_event(table) == {"type": "offer_lapsed", "seat": 0, "offer": "draw"}
    assert refusal(table, 1, {"type": "accept_draw"}, servers[1]) == "no-draw-offered"


def test_all_together_may_take_moves_back(servers: list[Server]) -> None:
    """The match is as it was; the log keeps everything."""
    here, there = servers[:2]
    table = a_table(servers)
    before = table.view()
    for _ in range(2):
        table.move(there)
    assert refusal(table, 0, {"type": "request_takeback", "to": 3}, there) == "takeback-target"
    table.play(0, {"type": "request_takeback", "to": 1}, here)
    assert refusal(table, 1, {"type": "request_takeback", "to": 1}, there) == "takeback-requested"
    table.play(1, {"type": "decline_takeback"}, here)
    assert refusal(table, 2, {"type": "accept_takeback"}, there) == "no-takeback-requested"
    assert refusal(table, 0, {"type": "request_takeback", "to": 1}, there) == "offer-again"
    table.play(2, {"type": "request_takeback", "to": 1}, there)
    for seat in (0, 1):
        table.play(seat, {"type": "accept_takeback"}, servers[seat % 2])
    assert last_event(table) == {"type": "taken_back", "to": 1, "reason": None}
    after = table.view(server=there)
    assert (after["state"], after["to_act"]) == (before["state"], before["to_act"])
    assert after["version"] == 8


def test_players_take_nothing_back_that_was_revealed(servers: list[Server]) -> None:
    """Cards have been turned up: only the organizer may go back past that."""
    here, there = servers[:2]
    table = a_table(servers, OBSTACLES)
    before = table.view()
    for seat in range(3):
        table.play(seat, table.legal(seat)[0], servers[seat % 2])
    back = {"type": "request_takeback", "to": before["version"]}
    assert refusal(table, 0, back, there) == "takeback-reveals"
    command = {"type": "take_back", "to": before["version"], "reason": "the wrong deck"}
    assert table.send(table.tokens[0], command, here).status_code == 403
    table.rule(command, there)
    assert last_event(table) == {
        "type": "taken_back",
        "to": before["version"],
        "reason": "the wrong deck",
    }
    assert table.view(server=here)["state"] == before["state"]


# ── Ruling ────────────────────────────────────────────────────────────────────────────────────────


def test_a_result_is_provisional_until_it_is_certified(servers: list[Server]) -> None:
    """After that only an arbiter who adjudicates anew changes it; all of it is in the log."""
    here, there = servers[:2]
    table = a_table(servers, 1)
    ranking = [{"seat": seat, "place": place} for seat, place in ((0, 1), (1, 1), (2, 3))]
    first = {"type": "adjudicate", "ranking": ranking, "reason": "the hall closes"}
    assert refusal(table, ORGANIZER, {"type": "certify"}, here) == "match-not-finished"
    bad = {**first, "ranking": ranking[:2]}
    assert refusal(table, ORGANIZER, bad, there) == "ranking-complete"
    table.rule(first, here)
    assert table.view(table.tokens[1])["result"]["certified"] is False
    table.rule({"type": "certify"}, there)
    assert table.view(table.tokens[1])["result"]["certified"] is True
    assert refusal(table, ORGANIZER, {"type": "certify"}, here) == "result-certified"
    assert refusal(table, ORGANIZER, {"type": "void", "reason": "x"}, here) == "result-certified"
    scored: list[dict[str, Any]] = [
        {"seat": seat, "place": seat + 1, "score": 2.5} for seat in range(3)
    ]
    table.rule({"type": "adjudicate", "ranking": scored, "reason": "on appeal"}, there)
    result = table.view()["result"]
    assert (result["certified"], result["reason"]) == (False, "adjudicated")
    assert [row["place"] for row in result["ranking"]] == [1, 2, 3]
    reasons = [event["reason"] for event in table.events() if event["type"] == "adjudicated"]
    assert reasons == ["the hall closes", "on appeal"]


def test_a_match_may_be_declared_void(servers: list[Server]) -> None:
    """It has no result, and its seed is known."""
    table = a_table(servers, 1)
    table.rule({"type": "void", "reason": "a false start"}, servers[1])
    view = table.view(table.spectator)
    assert (view["status"], view["result"]) == ("void", None)
    assert view["seed"] is not None
    assert refusal(table, ORGANIZER, {"type": "pause"}, servers[0]) == "match-over"


def test_time_is_granted_where_there_is_a_clock(servers: list[Server]) -> None:
    """A seat's clock gets as much more as the arbiter says."""
    here, there = servers[:2]
    grant = {"type": "grant_time", "seat": 1, "seconds": 30}
    table = a_table(servers, clock={"base_s": 600})
    table.rule(grant, there)
    assert table.view()["clock"]["left_ms"][1] == 630_000
    assert table.send(ORGANIZER, {**grant, "seconds": 0}, here).status_code == 400
    assert table.send(table.tokens[1], grant, here).status_code == 403
    without = a_table(servers)
    assert refusal(without, ORGANIZER, grant, here) == "no-clock"
    assert refusal(without, 1, {"type": "claim_timeout", "seat": 0}, there) == "no-clock"


@pytest.mark.parametrize("kind", ["pause", "resume", "certify"])
def test_arbiters_commands_are_no_players(servers: list[Server], kind: str) -> None:
    """Neither a seat nor a spectator rules."""
    table = a_table(servers)
    for token in (table.tokens[0], table.spectator):
        assert table.send(token, {"type": kind}, servers[1]).status_code == 403


def test_who_ruled_stands_in_the_log(servers: list[Server]) -> None:
    """Each commit says by whom it is."""
    table = a_table(servers, 1, clock={"base_s": 600})
    table.rule({"type": "pause"}, servers[1])
    table.rule({"type": "resume"})
    table.rule({"type": "void", "reason": "x"})
    answer = table.client.get(table.url("/log"), headers=bearer(ORGANIZER))
    for by in (b"\xa9organizer", b"\xa6seat:0"):
        assert by in answer.content
    assert answer.content.count(b"\xa9organizer") == 4
