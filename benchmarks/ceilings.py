"""The ceilings: what the same framework and store do with the same shapes when nothing is judged.

`append`, the ceiling: a handler of the framework's barest kind, which takes the body, waits for one
append that leaves together with all others given in the same turn of the event loop, and answers.
`plain`: a handler of the usual kind, which decodes the same command and waits for nothing. Both
answer as many bytes as the service does.
"""

from __future__ import annotations

import sys
from typing import Any, Final

import uvicorn
from litestar import Litestar, Response, asgi, post

from referee.games.giro_galoppo import types as giro
from referee.serving.server import spare_garbage
from referee.store.connection.pipeline import pack
from referee.store.connection.servers import servers_at

PATH: Final = "/v1/matches/{match:str}/commands"
COMMIT: Final = bytes(150)
"""About as many as a commit has."""
_HEAD: Final = 108
"""Bytes of an answer before its body."""
Command = giro.ChooseCard | giro.PlaceObstacle


def plain(answer: bytes) -> Any:
    """Decode, and answer."""

    @post(PATH, status_code=200)
    async def handler(match: str, data: Command) -> Response[bytes]:  # noqa: ARG001 -- decoded
        return Response(answer, media_type="application/json")

    return handler


def appending(answer: bytes, url: str) -> Any:
    """Append, and answer."""
    line = servers_at(url).router()
    head = [(b"content-type", b"application/json"), (b"content-length", b"%d" % len(answer))]
    start: Any = {"type": "http.response.start", "status": 200, "headers": head}
    end: Any = {"type": "http.response.body", "body": answer, "more_body": False}

    @asgi("/v1/matches", is_mount=True)  # which has no way with parameters
    async def handler(scope: Any, receive: Any, send: Any) -> None:
        await receive()
        key = scope["raw_path"]
        await line.submit(key, pack(("XADD", key, "*", "c", COMMIT)))
        await send(start)
        await send(end)

    return handler


def main() -> None:
    """Serve one: `python -m benchmarks.ceilings append|plain PORT ANSWER_BYTES REDIS_URL`."""
    which, port, size, url = sys.argv[1:]
    answer = b" " * (int(size) - _HEAD)
    handler = plain(answer) if which == "plain" else appending(answer, url)
    app = Litestar([handler], openapi_config=None)
    spare_garbage()
    uvicorn.run(
        app,
        port=int(port),
        loop="uvloop",
        http="httptools",
        access_log=False,
        log_level="warning",
        server_header=False,
    )


if __name__ == "__main__":
    main()
