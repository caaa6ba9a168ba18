"""Traces: what a collector gets, and what it never gets."""

from __future__ import annotations

import subprocess
import sys
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import pytest
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest

from referee.http.tracing import spans_for
from tests.clients import ORGANIZER
from tests.live.readers import listening
from tests.live.servers import Table, serving

SEED = "5eed" * 16
OUTER = "0af7651916cd43dd8448eb211c80319c"


class Collector(ThreadingHTTPServer):
    """Takes spans by OTLP, on loopback."""

    def __init__(self) -> None:
        self.bodies: list[bytes] = []
        super().__init__(("127.0.0.1", 0), _Taker)

    @property
    def url(self) -> str:
        """Where it is."""
        return f"http://127.0.0.1:{self.server_port}"

    @property
    def sent(self) -> list[Any]:
        """What came: the spans of a process, each time."""
        requests = [ExportTraceServiceRequest.FromString(body) for body in self.bodies]
        return [each for request in requests for each in request.resource_spans]

    @property
    def spans(self) -> list[Any]:
        """The spans."""
        return [span for each in self.sent for scope in each.scope_spans for span in scope.spans]


class _Taker(BaseHTTPRequestHandler):
    server: Collector

    def do_POST(self) -> None:
        assert self.path == "/v1/traces"
        self.server.bodies.append(self.rfile.read(int(self.headers["content-length"])))
        self.send_response(200)
        self.end_headers()

    def log_message(self, *_: object) -> None:
        """Nothing."""


@pytest.fixture
def collector() -> Iterator[Collector]:
    """A collector that listens."""
    with Collector() as collecting:
        thread = threading.Thread(target=collecting.serve_forever)
        thread.start()
        yield collecting
        collecting.shutdown()
        thread.join()


async def test_spans_are_named_for_routes_and_tell_no_secret(
    lasting_redis_url: str, collector: Collector
) -> None:
    """One a request, all of them sent before the process ends; none of a live stream."""
    with serving(lasting_redis_url, OTEL_EXPORTER_OTLP_ENDPOINT=collector.url) as (server,):
        table = Table(server, "giro-galoppo", 2, seed=SEED)
        space = {"type": "place_obstacle", "space": 20}
        parent = f"00-{OUTER}-b7ad6b7169203331-01"
        token = table.tokens[0]
        assert table.send(token, space, traceparent=parent).status_code == 200
        assert table.send(token, space).status_code == 422
        async with listening(table.url("/events"), ORGANIZER) as stream:
            assert await stream.versions(1) == [1]
        table.view()
        server.client.get(f"{server.url}/v2/{table.match}?access_token={table.tokens[1]}")
        assert server.stop() == 0
    commands = "POST /v1/matches/{match}/commands"
    assert [span.name for span in collector.spans] == [
        "POST /v1/matches", commands, commands, "GET /v1/matches/{match}", "GET unmatched"
    ]  # fmt: skip
    about = {each.key: each.value.string_value for each in collector.spans[1].attributes}
    assert collector.spans[1].trace_id.hex() == OUTER
    assert (about["http.route"], about["referee.match"]) == (commands[5:], table.match)
    assert set(about) <= {
        "http.request.method", "http.route", "http.response.status_code",
        "referee.request_id", "referee.match", "referee.version", "referee.seat",
    }  # fmt: skip
    services = [each.resource.attributes for each in collector.sent]
    assert {a.value.string_value for of in services for a in of if a.key == "service.name"} == {
        "referee"
    }
    told = b"".join(collector.bodies).decode("latin-1")
    for secret in (*table.tokens, table.spectator, ORGANIZER, SEED, "place_obstacle", "access_tok"):
        assert secret not in told


def test_there_are_none_where_nobody_asks_or_the_libraries_are_missing() -> None:
    """Which is said."""
    without = (
        "import sys; sys.modules['opentelemetry.exporter'] = None; "
        "from referee.http.tracing import spans_for; "
        "print(spans_for({'OTEL_EXPORTER_OTLP_ENDPOINT': 'http://127.0.0.1:1'}))"
    )
    said = subprocess.run([sys.executable, "-c", without], capture_output=True, check=True).stdout

    assert spans_for({}) is None
    assert b"install referee[otel]" in said
    assert said.endswith(b"None\n")
