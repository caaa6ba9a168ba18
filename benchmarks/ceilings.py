"""The ceilings: what the same framework does with the same shapes when it judges nothing.

`noop` decodes the same command and answers the same shape; `append` also waits for one bare
append by the client library, as its documentation shows it.
"""

from __future__ import annotations

import gc
import os
import sys
from typing import Any

import uvicorn
from litestar import Litestar, post
from msgspec import Struct
from redis.asyncio import Redis

from referee.games.giro_galoppo import types as giro

_EVENT = {
    "version": 2,
    "index": 0,
    "at": 1700000000000,
    "type": "card_chosen",
    "seat": 0,
    "card": 4,
}


Command = giro.ChooseCard | giro.PlaceObstacle


class Answer(Struct, frozen=True):
    """The shape of an answer to a command."""

    match: str
    version: int
    events: list[dict[str, Any]]
    head: str


@post("/v1/matches/{match:str}/commands", status_code=200)
async def noop(match: str, data: Command) -> Answer:  # noqa: ARG001 -- decoded, as a service must
    """Decode, and answer."""
    return Answer(match, 2, [_EVENT], "00" * 32)


def appending(url: str) -> Any:
    """The same with one append a request."""
    redis = Redis.from_url(url)

    @post("/v1/matches/{match:str}/commands", status_code=200)
    async def append(match: str, data: Command) -> Answer:  # noqa: ARG001 -- likewise
        await redis.xadd(f"bench:{match}", {"c": bytes(150)})
        return Answer(match, 2, [_EVENT], "00" * 32)

    return append


def main() -> None:
    """Serve one ceiling: `python -m benchmarks.ceilings noop|append PORT [REDIS_URL]`."""
    which, port = sys.argv[1], int(sys.argv[2])
    handler = noop if which == "noop" else appending(sys.argv[3])
    app = Litestar([handler], openapi_config=None)
    gc.collect()
    gc.freeze()
    gc.set_threshold(50_000, 50, 50)
    os.environ.pop("REFEREE_LOG_LEVEL", None)
    uvicorn.run(
        app, port=port, loop="uvloop", http="httptools", access_log=False, log_level="warning"
    )


if __name__ == "__main__":
    main()
