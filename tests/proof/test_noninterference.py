"""What a viewer may not know changes nothing that the viewer gets, byte for byte, over HTTP.

Two matches are played on two services, alike in all that one viewer may know and in nothing else.
That viewer asks both for everything, after every move: each answer must be the same in status,
headers, size and body, and so must be each message of both live streams, and in the end the
metrics. What may differ is listed in `MASKS`. The first match is played once more, on a third
service: the same things differ there as well. They come of when it was played, and of the salts,
not of what is hidden; but for the commitment to the seed, which is a digest of 32 random bytes.
"""

from __future__ import annotations

import asyncio
import contextlib
import re
from collections import Counter
from collections.abc import AsyncGenerator, Iterator, Sequence
from pathlib import Path
from typing import Any, Final

import msgspec
import pytest
from websockets.asyncio.client import connect

from referee.catalogue import catalogue
from referee.core.rules import Rules
from referee.core.visibility import SPECTATOR, Viewer, seat_viewer
from referee.selfplay import chance_of
from tests.clients import ORGANIZER, Made, bearer
from tests.conformance import sweep
from tests.live.readers import listening
from tests.live.servers import eventually
from tests.proof.cluster import Cluster
from tests.proof.twins import Move, Twins, twins_of
from tests.proof.wire import Got, Lines

pytestmark = [pytest.mark.prove, pytest.mark.timeout(0)]

PAIRS: Final = 20
"""Twins of each viewer of each game."""

TIMES: Final = ("at", "now", "created", "updated", "deadline", "window_ends")
_TIME = rb'(?<="%s":)\d{13}\b'
MASKS: Final = {
    "head": rb'(?<="head":")[0-9a-f]{64}(?=")',
    "seed commitment": rb'(?<="seed_commitment":"sha256:)[0-9a-f]{64}(?=")',
    **{name: _TIME % name.encode() for name in TIMES},
    "packed head": rb"(?<=\xa4head\xd9\x40)[0-9a-f]{64}",
    "packed seed commitment": rb"(?<=\xafseed_commitment\xd9\x47sha256:)[0-9a-f]{64}",
    "packed time": rb"(?:(?<=\xa2at\xcf)|(?<=deadline\xcf)|(?<=window_ends\xcf))[\x00-\xff]{8}",
    "header etag": rb'(?<=etag: "\d\.)[0-9a-f]{16}(?=")|(?<=etag: "\d\d\.)[0-9a-f]{16}(?=")',
    "header date": rb"(?<=date: )[^\n]{29}(?=\n)",
    "header referee-time": rb"(?<=referee-time: )\d{13}(?=\n)",
    "header x-request-id": rb"(?<=x-request-id: )[0-9a-f]{12}-[0-9a-f]+(?=\n)",
    "message id": rb"(?<=^id: \d\.)[0-9a-f]{16}|(?<=^id: \d\d\.)[0-9a-f]{16}",
}  # fmt: skip
"""What may differ, and where it stands: each of one length, so that sizes are compared as well."""

CLOCKS: Final = re.compile(
    rb"_seconds|^process_|^python_|_bytes|^# |_created[ {]|referee_store_|heartbeat"
)
"""Metrics that time and the machine make: of all others each number must be the same."""


class Comparison:
    """Of three answers, to the first match, its twin and the first match again."""

    def __init__(self) -> None:
        self.compared = 0
        self.of_twins: Counter[str] = Counter()
        self.of_the_same: Counter[str] = Counter()

    def alike(self, what: object, answers: Sequence[bytes]) -> None:
        """They are the same but for what is masked; and that is noted where it differs."""
        self.compared += 1
        (ours, mine), (theirs, others), (again, anew) = map(_masked, answers)
        assert ours == theirs, (what, *answers[:2])
        assert ours == again, (what, *answers[::2])
        for (name, one), (_, other), (_, same) in zip(mine, others, anew, strict=True):
            self.of_twins[name] += one != other
            self.of_the_same[name] += one != same


def _masked(data: bytes) -> tuple[bytes, list[tuple[str, bytes]]]:
    """The bytes without what is masked, and that."""
    found: list[tuple[str, bytes]] = []
    for name, pattern in MASKS.items():
        found += [(name, one) for one in re.findall(pattern, data, re.MULTILINE)]
        data = re.sub(pattern, lambda one: b"~" * len(one[0]), data, flags=re.MULTILINE)
    return data, found


class Side:
    """One of the two matches, on a service of its own, and what its viewer hears live."""

    def __init__(self, cluster: Cluster) -> None:
        self._cluster = cluster
        self._lines = Lines()
        self.messages: list[bytes] = []
        self.frames: list[bytes] = []
        self.match: Made

    async def create(self, order: dict[str, Any]) -> Got:
        """Make the match; the answer."""
        got = await self.ask("POST", "/v1/matches", ORGANIZER, order)
        assert got.status == 201, got
        self.match = Made(got.plain())
        return got

    async def ask(
        self, method: str, path: str, token: str | None, body: Any = None, **headers: str
    ) -> Got:
        """The answer to a request."""
        sent = {} if token is None else bearer(token)
        sent |= {name.replace("_", "-"): value for name, value in headers.items()}
        return await self._lines.ask(method, self._cluster.urls()[0] + path, sent, body)

    def token(self, viewer: Viewer) -> str:
        """The viewer's."""
        return self.match.spectator if viewer.seat is None else self.match.tokens[viewer.seat]

    @contextlib.asynccontextmanager
    async def live(self, viewer: Viewer) -> AsyncGenerator[None]:
        """Listen to both live streams meanwhile."""
        listening_ = (self._listen(viewer), self._watch(viewer))
        self._ears = [asyncio.create_task(ear) for ear in listening_]
        try:
            yield
        finally:
            for ear in self._ears:
                ear.cancel()
            await asyncio.gather(*self._ears, return_exceptions=True)

    async def _listen(self, viewer: Viewer) -> None:
        url = f"{self._cluster.urls()[0]}{self.match.path}/events?after=0"
        async with listening(url, self.token(viewer)) as stream:
            while (message := await stream.next()) is not None:
                if message.event != "time":
                    data = msgspec.json.encode(message.data)
                    self.messages.append(f"id: {message.id}\n{message.event}\n".encode() + data)

    async def _watch(self, viewer: Viewer) -> None:
        url = f"{self._cluster.urls()[0]}{self.match.path}/live?after=0".replace("http", "ws", 1)
        async with connect(url, additional_headers=bearer(self.token(viewer))) as socket:
            async for frame in socket:
                data = frame.encode() if isinstance(frame, str) else frame
                if not data.startswith(b'{"time"'):
                    self.frames.append(data)

    async def has(self, version: int) -> bool:
        """Whether it has come so far."""
        view = await self.ask("GET", self.match.path, ORGANIZER)
        return bool(view.plain()["version"] >= version)

    def heard(self, count: int) -> bool:
        """Whether so many commits have come on both."""
        assert not any(ear.done() for ear in self._ears), self._ears
        return min(len(self.messages), len(self.frames)) >= count

    async def metrics(self) -> list[bytes]:
        """Those that neither time nor the machine makes, without the order that time makes."""
        text = (await self.ask("GET", "/metrics", None)).body
        return sorted(line for line in text.splitlines() if not CLOCKS.search(line))

    def close(self) -> None:
        """End the connections."""
        self._lines.close()


def wire(got: Got) -> bytes:
    """An answer as it is compared: status, each header line in order, body."""
    lines = [f"{got.status}", *(f"{name}: {value}" for name, value in got.headers)]
    return "\n".join([*lines, "", ""]).encode() + got.body


async def compare(twins: Twins, sides: Sequence[Side], all_: Comparison) -> None:
    """Play all three, and let the viewer ask for everything after each move."""
    rules, viewer = twins.rules, twins.viewer
    for side, setup in zip(sides, (twins.ours, twins.theirs, twins.ours), strict=True):
        await side.create(_order(rules, setup))
    async with contextlib.AsyncExitStack() as live:
        for side in sides:
            await live.enter_async_context(side.live(viewer))
        await _everything(twins, sides, all_, 1)
        for version, move in enumerate(twins.moves, 2):
            await _move(move, sides, viewer, all_, version)
            await _everything(twins, sides, all_, version)
        count = len(twins.moves) + 1
        await eventually(lambda: all(side.heard(count) for side in sides))
        ours, theirs, again = [await side.metrics() for side in sides]
    for told in ([side.messages for side in sides], [side.frames for side in sides]):
        for three in zip(*told, strict=True):
            all_.alike("live", three)
    assert ours == theirs, set(ours) ^ set(theirs)
    assert ours == again, set(ours) ^ set(again)


def _order(rules: Rules, setup: Any) -> dict[str, Any]:
    return {
        "match": setup.match, "game": rules.game.id, "options": setup.options, "public": True,
        "seats": [{"name": f"p{seat}"} for seat in range(setup.seats)], "seed": setup.seed.hex(),
    }  # fmt: skip


async def _move(
    move: Move, sides: Sequence[Side], viewer: Viewer, all_: Comparison, version: int
) -> None:
    """All take it; what the service owes is waited for, by asking all as often."""
    if move.seat is None:
        while not all([await side.has(version) for side in sides]):  # noqa: ASYNC110
            await asyncio.sleep(0.1)
        return
    got = []
    for side, command in zip(sides, (move.ours, move.theirs, move.ours), strict=True):
        path, token = f"{side.match.path}/commands", side.match.tokens[move.seat]
        got.append(await side.ask("POST", path, token, command, idempotency_key=f"v{version}"))
        assert got[-1].status == 200, (got[-1], move)
    if move.seat == viewer.seat:
        all_.alike(move, [wire(one) for one in got])


def requests(twins: Twins, version: int) -> Iterator[tuple[str, str, Any, dict[str, str]]]:
    """All that a viewer may ask, of every route, in every form."""
    packed = {"accept": "application/msgpack"}
    earlier = 1 + version // 2
    for headers in ({}, packed, {"if_none_match": f'"{version}"'}, {"if_none_match": '"1"'}):
        yield "GET", "", None, headers
    yield "HEAD", "", None, {}
    for rest in (
        f"?at={earlier}", f"?at={version + 1}", "/events", f"/events?after={earlier}&limit=2",
        "/legal", "/legal?seat=1", "/board.svg", f"/board.svg?at={earlier}", "/report", "/verdict",
        "/log", "/refusals", "/nothing",
    ):  # fmt: skip
        yield "GET", rest, None, {}
        yield "GET", rest, None, packed
    pick = chance_of("asked", twins.ours.match, version)
    for command in sweep.sample(twins.rules, pick, 12):
        yield "POST", "/check", msgspec.to_builtins(command), {}
    yield "POST", "/check", {"type": "offer_draw", "more": 1}, packed
    yield "POST", "/commands", {"type": "resign"}, {"if_match": f'"{version + 9}"'}
    yield "POST", "/commands", {"type": "void", "reason": "mine"}, {}


async def _everything(twins: Twins, sides: Sequence[Side], all_: Comparison, version: int) -> None:
    for method, rest, body, headers in requests(twins, version):
        got = []
        for side in sides:
            path, token = side.match.path + rest, side.token(twins.viewer)
            got.append(wire(await side.ask(method, path, token, body, **headers)))
        all_.alike((twins.rules.game.id, twins.viewer, version, method, rest, body), got)


GAMES: Final = [pytest.param(rules, id=rules.game.id) for rules in catalogue()]
BY_THE_SEED: Final = {"seed commitment", "packed seed commitment"}


@pytest.mark.parametrize("rules", GAMES)
async def test_twins_look_the_same_over_http(rules: Rules, tmp_path: Path, share: float) -> None:
    """All viewers, all routes, both live streams and the metrics."""
    seats, differences, all_ = rules.game.players[0], 0, Comparison()
    with contextlib.ExitStack() as open_:
        clusters = [
            open_.enter_context(Cluster(tmp_path / str(n), 1, REFEREE_ALLOW_SEED="1"))
            for n in range(3)
        ]
        for number in range(max(2, round(PAIRS * share))):
            for viewer in (SPECTATOR, *map(seat_viewer, range(seats))):
                twins = twins_of(rules, viewer, seats, number)
                differences += twins.differences
                sides = [Side(cluster) for cluster in clusters]
                await compare(twins, sides, all_)
                for side in sides:
                    side.close()
    print(rules.game.id, differences, all_.compared, dict(all_.of_twins))
    assert differences
    by_chance = {name for name, count in all_.of_the_same.items() if count}
    assert {name for name, count in all_.of_twins.items() if count} <= by_chance | BY_THE_SEED
