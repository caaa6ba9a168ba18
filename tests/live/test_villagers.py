"""Four hands over sockets: grabs land in the order that the log says, for everybody alike."""

from __future__ import annotations

import asyncio
import contextlib
import json
from typing import Any

from websockets.asyncio.client import ClientConnection

from referee.catalogue import catalogue
from referee.core.commit import open_envelope, read_match_file
from referee.core.verify import verify
from referee.games.dancing_villager.events import Grabbed
from tests.clients import ORGANIZER, bearer
from tests.live.servers import Server, Table
from tests.live.test_sockets import socket

GAME = "dancing-villager"
WINDOW_MS = 250
ROUNDS = 3


class Hand:
    """A player at a socket: says ready, grabs at both things as soon as the villagers lie."""

    def __init__(self, seat: int, ws: ClientConnection) -> None:
        self.seat = seat
        self.ws = ws
        self.seen: list[dict[str, Any]] = []
        self.answers: dict[str, dict[str, Any]] = {}

    async def play(self) -> None:
        """Until the match is over."""
        await self._send("ready")
        async for frame in self.ws:
            said = json.loads(frame)
            if "id" in said:
                self.answers[said["id"]] = said
            if "events" not in said:
                continue
            self.seen.append(said)
            kinds = {event["type"] for event in said["events"]}
            if "match_ended" in kinds:
                break
            if "rolled" in kinds:
                for what in ("dog", "bonfire") if self.seat % 2 else ("bonfire", "dog"):
                    await self._send("grab", what=what)
            if "window_closed" in kinds:
                await self._send("ready")

    async def _send(self, kind: str, **fields: str) -> None:
        name = f"{kind}-{len(self.seen)}-{fields.get('what', '')}"
        await self.ws.send(json.dumps({"id": name, "command": {"type": kind, **fields}}))


async def test_grabs_land_in_the_order_of_the_log(servers: list[Server]) -> None:
    """Two servers, four sockets: all see the same commits in order, and the state lists them so."""
    options = {"window_ms": WINDOW_MS, "max_rounds": ROUNDS}
    table = Table(servers[0], GAME, 4, options=options)
    async with contextlib.AsyncExitStack() as stack:
        hands = [
            Hand(
                seat,
                await stack.enter_async_context(
                    socket(table, token, "?after=0", servers[seat % 2])
                ),
            )
            for seat, token in enumerate(table.tokens)
        ]
        async with asyncio.timeout(60):
            await asyncio.gather(*(hand.play() for hand in hands))

    file = read_match_file(table.client.get(table.url("/log"), headers=bearer(ORGANIZER)).content)
    rules = catalogue().current(GAME)
    assert verify(rules, table.match, file.commits).dispute is None
    versions = list(range(1, len(file.commits) + 1))
    logged = [rules.read_events(open_envelope(data).ev) for data in file.commits]
    grabs = [
        (version, event.seat, event.what)
        for version, events in zip(versions, logged, strict=True)
        for event in events
        if isinstance(event, Grabbed)
    ]
    assert len(grabs) > ROUNDS * 4
    for hand in hands:
        assert [said["version"] for said in hand.seen] == versions
        assert _grabs(hand.seen) == grabs
        taken = {said["ok"]["version"] for said in hand.answers.values() if "ok" in said}
        own = {version for version, seat, _ in grabs if seat == hand.seat}
        assert own <= taken


def _grabs(seen: list[dict[str, Any]]) -> list[tuple[int, int, str]]:
    """(version, seat, what) of every grab, in the order in which it came."""
    return [
        (said["version"], event["seat"], event["what"])
        for said in seen
        for event in said["events"]
        if event["type"] == "grabbed"
    ]
