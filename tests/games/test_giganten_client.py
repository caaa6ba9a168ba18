"""A program that knows the contract and nothing of Giganten's code plays it, by JSON alone.

It sees views and legal lists as they are sent, fills in forms in the contract's language, asks
whether a form will do before it sends it, and takes at random what is listed.
"""

from __future__ import annotations

from typing import Any

import msgspec
import pytest

from referee.core.game import Asker
from referee.core.match import SeatName
from referee.core.randomness import Chance
from referee.core.ruling import Refusal
from referee.core.table.commands import CreateMatch, Resign
from referee.core.views import view_of
from referee.core.visibility import seat_viewer
from referee.games.giganten import GAME
from referee.selfplay import chance_of, seed_of
from tests.core.play import rules_of
from tests.filling import filled

RULES = rules_of(GAME)
SALT = bytes(12)
ENOUGH = 120
"""So many commands are played; then a side gives up."""


class Server:
    """What a client of the service can do, in JSON."""

    def __init__(self, seats: int, options: dict[str, Any]) -> None:
        names = tuple(SeatName(f"player {seat}") for seat in range(seats))
        order = CreateMatch(
            match="client", game="giganten", ruleset="giganten/1", seats=names, options=options,
            tournament=None, round=None, table=None, public=False, clock=None, idle_s=0, calls=0,
            entropy=("",) * seats,
            seed=seed_of("client", seats).hex(),
        )  # fmt: skip
        self.match = RULES.create(order, 1, salt=SALT).match

    def view(self, seat: int) -> Any:
        """`GET /v1/matches/{match}`."""
        return _json(view_of(RULES, self.match, seat_viewer(seat)))

    def legal(self, seat: int) -> Any:
        """`GET /v1/matches/{match}/legal`."""
        return _json(RULES.legal(self.match, Asker("seat", seat, self.match.at)))

    def check(self, seat: int, command: Any) -> bool:
        """`POST /v1/matches/{match}/check`."""
        read = RULES.read_command(msgspec.json.encode(command))
        try:
            RULES.judge(self.match, Asker("seat", seat, self.match.at), read)
        except Refusal:
            return False
        return True

    def send(self, seat: int, command: Any) -> None:
        """`POST /v1/matches/{match}/commands`."""
        read = RULES.read_command(msgspec.json.encode(command))
        by = Asker("seat", seat, self.match.at + 1000)
        self.match = RULES.decide(self.match, by, read, salt=SALT).match


def _json(value: Any) -> Any:
    return msgspec.json.decode(msgspec.json.encode(value))


def one_command(server: Server, seat: int, pick: Chance) -> Any:
    """Something lawful: of those listed, or a form that is checked before it is sent."""
    legal = server.legal(seat)
    if legal["complete"]:
        return pick.one_of(legal["commands"])
    for _ in range(2000):
        command = filled(pick.one_of(legal["templates"]), pick)
        if server.check(seat, command):
            return command
    raise AssertionError("no form would do")


@pytest.mark.parametrize(
    ("seats", "options"),
    [
        (2, {}),
        (4, {}),
        (2, {"blank": "trap", "secret_trap": True, "hidden_setup": True, "double_moves": True}),
        (4, {"board": "six", "blank": "ghost", "reserve": "any", "trap_effect": "return"}),
    ],
    ids=str,
)
def test_a_program_written_from_the_contract_plays(seats: int, options: dict[str, Any]) -> None:
    """Tiles, set-ups, moves; then one side gives up, and the other has won."""
    server, pick = Server(seats, options), chance_of("client", seats, str(options))
    for _ in range(ENOUGH):
        owed = server.view(0)["to_act"]
        if not owed:
            break
        seat = pick.one_of(owed)
        assert seat in server.view(seat)["to_act"]
        server.send(seat, one_command(server, seat, pick))
    for seat in range(0, seats, 2):
        if not server.match.over:
            server.send(seat, msgspec.to_builtins(Resign()))
    view = server.view(1)
    assert view["status"] == "finished"
    assert view["result"]["ranking"][0]["place"] == 1
    assert all(piece["kind"] for piece in view["state"]["pieces"])
