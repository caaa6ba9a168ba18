"""Where logs come from: files, folders, services, stores."""

from __future__ import annotations

import asyncio
import json
import os
import subprocess
import threading
from collections.abc import Callable, Generator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any
from urllib.parse import parse_qsl

import pytest

from referee.store import open_store
from replay.exits import Unusable
from replay.sources import expand, http, load
from tests.replay.conftest import Keep, Ran, Run
from tests.replay.logs import Record, table
from tests.replay.test_main import process

# ── Files and folders ─────────────────────────────────────────────────────────────────────────────


def test_a_file_that_changes_while_it_is_read_cannot_be_used(keep: Keep, played: Record) -> None:
    """It stays where it is, and what was read of it would not fit what is read next."""
    path = keep(played.file())
    log = load(expand([str(path)])[0])
    assert tuple(log.file.commits) == played.commits
    path.write_bytes(played.having(played.commits[:-1]).file())
    with pytest.raises(Unusable, match="was changed while it was read"):
        tuple(log.file.commits)


def test_a_folder_is_every_match_file_in_it_and_below(
    run: Run, keep: Keep, played: Record, tmp_path: Path
) -> None:
    """Files that end in .match are taken at every depth, by path; others are left alone."""
    for name in ("b.match", "a.match", "round/1/c.match"):
        keep(played.file(), name)
    keep(b"something else", "readme.txt")
    logs = run("verify", tmp_path, "--json").json["logs"]
    names = [str(Path(log["source"]).relative_to(tmp_path)) for log in logs]
    assert names == ["a.match", "b.match", "round/1/c.match"]


def test_a_command_for_one_log_takes_a_folder_that_holds_one(
    run: Run, keep: Keep, played: Record, tmp_path: Path
) -> None:
    """A folder of one match file will do where one log is wanted, a folder of two will not."""
    keep(played.file(), "a.match")
    assert run("show", tmp_path).status == 0
    keep(played.file(), "b.match")
    ran = run("show", tmp_path)
    assert (ran.status, "holds 2 matches" in ran.err) == (2, True)


def test_reads_a_pipe(run: Run, played: Record, tmp_path: Path) -> None:
    """What another program writes can be read without a file between."""
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    writer = threading.Thread(target=pipe.write_bytes, args=(played.file(),))
    writer.start()
    assert run("verify", pipe).status == 0
    writer.join()


def test_passes_over_what_is_no_file_in_a_folder(
    run: Run, keep: Keep, played: Record, tmp_path: Path
) -> None:
    """A named pipe would be waited for without end: it is left out with a word."""
    keep(played.file(), "a.match")
    os.mkfifo(tmp_path / "b.match")
    ran = run("verify", tmp_path)
    says = "passed over: it is a pipe, which is read where it is named itself"
    assert (ran.status, ran.err) == (0, f"replay: {tmp_path}/b.match: {says}\n")


def test_passes_over_links_to_what_has_no_end(
    run: Run, keep: Keep, played: Record, tmp_path: Path
) -> None:
    """A device behind a link, as a log and as the refusals beside one, is not read."""
    file = keep(played.file(), "a.match")
    (tmp_path / "b.match").symlink_to("/dev/zero")
    (tmp_path / "a.refusals.jsonl").symlink_to("/dev/zero")
    ran = run("verify", tmp_path)
    says = f"replay: {tmp_path}/b.match: passed over: it is a device and no file\n"
    assert (ran.status, ran.err) == (0, says)
    assert "of 0 refused commands known" in run("explain", file, "--refusal", 1).err


@pytest.mark.parametrize("option", ["--key", "--receipt", "--names"])
def test_reads_no_device_whatever_it_is_named_for(
    run: Run, keep: Keep, played: Record, option: str
) -> None:
    """A file of keys, of answers or of names that has no end is told as what it is."""
    ran = run("verify", keep(played.file()), option, "/dev/zero")
    assert (ran.status, "is a device, and neither a file nor a pipe" in ran.err) == (2, True)
    assert "is a folder" in run("verify", keep(played.file()), option, "/tmp").err  # noqa: S108


@pytest.mark.parametrize(
    ("source", "says"),
    [
        ("gone.match", "No such file or directory"),
        ("empty", "no file in this folder ends in .match"),
        ("ftp://host/x", "a source is a path or one of http"),
        ("redis://host/0", "the id of a match is missing behind a #"),
        ("redis://host/0#no match", "the id of a match is missing behind a #"),
        ("redis://host:port/0#m", "a server is HOST or HOST:PORT"),
        ("redis+sentinel://host#m", "behind the hosts stands the primary's name"),
        ("http://host/matches/m1", "http(s)://host/v1/matches/ID"),
        ("http://host/v1/matches/m1?at=3", "http(s)://host/v1/matches/ID"),
        ("http://host:port/v1/matches/m1", "no host, or no port from 0 to 65535"),
        ("http:///v1/matches/m1", "http(s)://host/v1/matches/ID"),
        ("https://user:secret@host/v1/matches/m1", "the token comes from REFEREE_TOKEN"),
        ("/dev/null", "is a device, and neither a file nor a pipe"),
        ("s3://", "the name of a bucket is missing: s3://bucket"),
        ("gs:///prefix", "the name of a bucket is missing: gs://bucket"),
    ],
)
def test_refuses_what_is_no_source(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, source: str, says: str
) -> None:
    """A source that cannot be used ends with 2, one line that says why, and no secret in it."""
    monkeypatch.chdir(tmp_path)
    Path("empty").mkdir()
    ran = run("log", source)
    assert (ran.status, ran.out) == (2, "")
    assert says in ran.err
    assert len(ran.err.splitlines()) == 1
    assert "secret" not in ran.err


def test_refuses_a_file_that_is_too_long(
    run: Run, keep: Keep, played: Record, monkeypatch: pytest.MonkeyPatch
) -> None:
    """No file is read without end."""
    monkeypatch.setattr("replay.sources.files.LONGEST", 1000)
    ran = run("log", keep(played.file()))
    assert (ran.status, "longer than 1000 bytes" in ran.err) == (2, True)


# ── A service ─────────────────────────────────────────────────────────────────────────────────────

Serve = Callable[[BaseHTTPRequestHandler], None]


class Service:
    """A tiny service: what it was asked with which token, and an answer of the test's own."""

    def __init__(self, answer: Serve) -> None:
        self.asked: list[tuple[str, str | None]] = []
        service = self

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                service.asked.append((self.path, self.headers["Authorization"]))
                answer(self)

            def log_message(self, format: str, *args: Any) -> None:  # noqa: A002 - its name there
                """Say nothing."""

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)

    @property
    def url(self) -> str:
        """The address of a match at this service."""
        return f"http://127.0.0.1:{self._server.server_port}/v1/matches/m1"

    @contextmanager
    def running(self) -> Generator[Service]:
        """The service while it runs."""
        thread = threading.Thread(target=self._server.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        try:
            yield self
        finally:
            self._server.shutdown()
            thread.join()
            self._server.server_close()


def answering(status: int, body: bytes, *, length: int | None = None, **headers: str) -> Service:
    """A service with one answer; `length` is what its Content-Length says."""

    def answer(to: BaseHTTPRequestHandler) -> None:
        to.send_response(status)
        for name, value in headers.items():
            to.send_header(name, value)
        to.send_header("Content-Length", str(len(body) if length is None else length))
        to.end_headers()
        to.wfile.write(body)

    return Service(answer)


@pytest.fixture(autouse=True)
def no_token(monkeypatch: pytest.MonkeyPatch) -> None:
    """No token and no proxy from the environment of whoever runs the tests."""
    for name in ("REFEREE_TOKEN", "http_proxy", "HTTP_PROXY", "all_proxy", "ALL_PROXY"):
        monkeypatch.delenv(name, raising=False)


def test_reads_the_log_of_a_match_at_a_service(
    run: Run, played: Record, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its address with /log behind it is asked with the token; the service's keys without one."""
    monkeypatch.setenv("REFEREE_TOKEN", "t0ken")
    with answering(200, played.signed()).running() as service:
        for url in (service.url, f"{service.url}/log", f"{service.url}/"):
            ran = run("verify", url)
            assert (ran.status, "m1 · giro-galoppo/1" in ran.out) == (0, True)
    assert service.asked == [("/v1/matches/m1/log", "Bearer t0ken"), ("/v1/keys", None)] * 3


def test_asks_without_a_token_where_there_is_none(run: Run, played: Record) -> None:
    """A public match's log needs no token."""
    with answering(200, played.file()).running() as service:
        assert run("log", service.url).status == 0
    assert service.asked[0][1] is None


@pytest.mark.parametrize(
    ("status", "body", "says"),
    [
        (401, b'{"title":"Unauthorized","detail":"No token."}', "401 No token. (REFEREE_TOKEN is"),
        (404, b'{"title":"Not found"}', "the service answers 404 Not found"),
        (
            400,
            b'{"detail":"Unknown.","errors":[{"path":"x","message":"is not known"}]}',
            "answers 400 Unknown. (x is not known)",
        ),
        (503, b"<html>", "the service answers 503 Service Unavailable"),
        (500, b'{"detail": "\\u001b[2J"}', "the service answers 500 [2J"),
        (200, b'{"detail": "no log"}', "not a match file"),
    ],
)
def test_says_what_the_service_answered(run: Run, status: int, body: bytes, says: str) -> None:
    """An answer that is no log ends with 2 and the problem that it states, safe to print."""
    with answering(status, body).running() as service:
        ran = run("log", service.url)
    assert (ran.status, says in ran.err) == (2, True)


def test_follows_no_redirect(run: Run, played: Record, monkeypatch: pytest.MonkeyPatch) -> None:
    """The token goes to the host that was named and to no other."""
    monkeypatch.setenv("REFEREE_TOKEN", "t0ken")
    there = answering(200, played.file())
    here = answering(302, b"", Location=f"{there.url}/log")
    with there.running() as other, here.running() as service:
        ran = run("log", service.url)
    assert (ran.status, other.asked) == (2, [])
    assert "302" in ran.err


def test_notices_an_answer_that_was_cut_off(run: Run, played: Record, tmp_path: Path) -> None:
    """A connection that ends before the promised length is no log, also between two commits."""
    whole, cut = played.file(), played.having(played.commits[:-5]).file(count=len(played.commits))
    with answering(200, cut, length=len(whole)).running() as service:
        ran = run("pull", service.url, "-o", tmp_path / "m.match")
    assert (ran.status, "cut off" in ran.err) == (2, True)
    assert list(tmp_path.iterdir()) == []


def test_notices_a_service_that_is_not_there(run: Run, played: Record) -> None:
    """A connection refused ends with 2."""
    with answering(200, played.file()).running() as service:
        gone = service.url
    ran = run("log", gone)
    assert (ran.status, "not reached" in ran.err) == (2, True)


def test_reads_no_answer_without_end(
    run: Run, played: Record, monkeypatch: pytest.MonkeyPatch
) -> None:
    """An answer longer than any log is given up."""
    monkeypatch.setattr(http, "LONGEST", 1000)
    with answering(200, played.file()).running() as service:
        ran = run("log", service.url)
    assert (ran.status, "longer than 1000 bytes" in ran.err) == (2, True)


def listing(logs: dict[str, bytes]) -> Service:
    """A service with a list of matches, one a page, and their logs; it tells no refusals.

    Where the log is empty it hangs up.
    """
    ids = list(logs)

    def answer(to: BaseHTTPRequestHandler) -> None:
        address, _, query = to.path.partition("?")
        match = address.split("/")[3:4]
        if not match:
            place = int(dict(parse_qsl(query)).get("cursor", "0"))
            cursor = str(place + 1) if place + 1 < len(ids) else None
            page = {"matches": [{"match": ids[place], "version": 1}], "cursor": cursor}
            body, status = json.dumps(page).encode(), 200
        elif address.endswith("/log"):
            body, status = logs[match[0]], 200
            if not body:
                return
        elif address.endswith("/refusals"):
            body, status = b"", 403
        else:
            has_it = to.headers["If-None-Match"].startswith('"51.')
            body, status = b"", 304 if has_it else 200
        to.send_response(status)
        to.send_header("Content-Length", str(len(body)))
        to.end_headers()
        to.wfile.write(body)

    return Service(answer)


def test_takes_every_match_of_a_list(run: Run, played: Record, tmp_path: Path) -> None:
    """Page by page, with the parameters as they are; pulled again only what has changed."""
    other = table("m2", names=("Ann", "Bob")).record().file()
    with listing({"m1": played.file(), "m2": other}).running() as service:
        url = service.url.replace("/m1", "?tournament=a%20b&round=2")
        ran = run("verify", url)
        assert (ran.status, ran.out.splitlines()[-1][:23]) == (0, "2 logs: 0 signed, 2 not")
        assert run("pull", url, "-o", tmp_path / "all").status == 0
        service.asked.clear()
        ran = run("pull", url, "-o", tmp_path / "all")
    paths = [path for path, _ in service.asked]
    assert paths[1] == "/v1/matches?limit=500&tournament=a+b&round=2&cursor=1"
    assert [path for path in paths if path.endswith("/log")] == ["/v1/matches/m2/log"]
    assert ran.out.splitlines()[0] == f"m1: 51 commits as before in {tmp_path}/all/m1.match"
    assert (tmp_path / "all" / "m2.match").read_bytes() == other


@pytest.mark.parametrize(
    ("command", "jobs"),
    [("verify", 1), ("stats", 1), ("standings", 1), ("chance", 1), ("standings", 2)],
)
def test_judging_stops_where_the_service_has_gone(
    run: Run, played: Record, command: str, jobs: int
) -> None:
    """A process asks a service that is away once, and the matches not asked for are one line."""
    logs = {"m1": played.file()} | {f"m{number}": b"" for number in range(2, 30)}
    with listing(logs).running() as service:
        ran = run(command, service.url.replace("/m1", "?limit=40"), "--jobs", jobs)
    said = [line for line in (ran.out + ran.err).splitlines() if "m29" in line or "not " in line]
    reached = [line for line in said if "the service closed the connection" in line]
    asked = [path for path, _ in service.asked if path.endswith("/log")]
    assert (ran.status, 2 <= len(asked) <= 1 + jobs) == (2, True)
    assert any(f"{29 - len(asked)} matches not asked for" in line for line in said)
    assert 1 <= len(reached) <= 2 * jobs


def test_says_that_a_log_is_there_whose_refusals_are_not(
    run: Run, played: Record, tmp_path: Path
) -> None:
    """A service that goes between the two has not kept the log back."""

    def answer(to: BaseHTTPRequestHandler) -> None:
        if to.path.endswith("/log"):
            to.send_response(200)
            to.send_header("Content-Length", str(len(played.file())))
            to.end_headers()
            to.wfile.write(played.file())

    with Service(answer).running() as service:
        ran = run("pull", service.url, "-o", tmp_path / "m.match")
    held = f"51 commits written to {tmp_path}/m.match, yet not what was refused: not reached: "
    assert (ran.status, held in ran.err) == (2, True)
    assert (tmp_path / "m.match").read_bytes() == played.file()


def test_stops_where_the_service_has_gone(run: Run, played: Record, tmp_path: Path) -> None:
    """What is there stays there; nobody is asked for the others, and pulling again goes on."""
    other = table("m3", names=("Ann", "Bob")).record().file()
    logs = {"m1": played.file(), "m2": b"", "m3": other}
    with listing(logs).running() as service:
        url = service.url.replace("/m1", "?tournament=a")
        ran = run("pull", url, "-o", tmp_path / "all")
        assert not any("m3" in path for path, _ in service.asked)
        rows = run("pull", url, "-o", tmp_path / "all", "--json").json["logs"]
        logs["m2"] = table("m2").record().file()
        again = run("pull", url, "-o", tmp_path / "all")
    assert (ran.status, ran.err.splitlines()[-1]) == (
        2,
        "replay: 1 match not asked for; pull again goes on from here",
    )
    assert [row.get("error") for row in rows][::2] == [None, "not asked for"]
    assert (again.status, [" as before " in line for line in again.out.splitlines()]) == (
        0,
        [True, False, False],
    )


@pytest.mark.parametrize("command", ["verify", "standings", "pull"])
def test_a_list_without_a_match_is_no_fine_one(run: Run, tmp_path: Path, command: str) -> None:
    """A tournament's name that is not written as it is has no match: that is told."""
    with answering(200, b'{"matches": [], "cursor": null}').running() as service:
        url = service.url.replace("/m1", "?tournament=Autum")
        ran = run(command, url, *(("-o", tmp_path / "all") if command == "pull" else ()))
    assert (ran.status, "no match of this list" in ran.out + ran.err) == (2, True)


def test_takes_no_list_for_whole_that_is_not(run: Run) -> None:
    """Where a part of the service's store is away, matches are missing from it: that is said."""

    def answer(to: BaseHTTPRequestHandler) -> None:
        body = json.dumps({"matches": [], "cursor": None, "incomplete": True}).encode()
        to.send_response(200)
        to.send_header("Content-Length", str(len(body)))
        to.end_headers()
        to.wfile.write(body)

    with Service(answer).running() as service:
        ran = run("standings", service.url.replace("/m1", "?tournament=t"))
    assert (ran.status, "a part of the service's store is away" in ran.err) == (2, True)


# ── A store ───────────────────────────────────────────────────────────────────────────────────────


async def _append(url: str, match: str, commits: tuple[bytes, ...]) -> None:
    store = open_store(url)
    try:
        for version, data in enumerate(commits, 1):
            await store.append(match, version, data)
    finally:
        await store.aclose()


def test_reads_a_log_straight_from_a_store(run: Run, redis_url: str, played: Record) -> None:
    """The stream's commits make a match file with a true header, unsigned."""
    asyncio.run(_append(redis_url, "m1", played.commits))
    (source,) = expand([f"{redis_url}#m1"])
    assert source.read() == played.file()
    ran = run("verify", f"{redis_url}#m1")
    assert (ran.status, f"head {played.head[:16]}" in ran.out) == (0, True)


def test_says_that_a_store_has_no_such_match(run: Run, redis_url: str) -> None:
    """A match that the store does not hold is unusable input."""
    ran = run("log", f"{redis_url}#nobody")
    assert (ran.status, "holds no such match" in ran.err) == (2, True)


def test_disputes_a_stream_that_is_no_log(run: Run, redis_url: str, played: Record) -> None:
    """Commits that somebody else wrote into the stream are a dispute, not a guess."""
    asyncio.run(_append(redis_url, "m1", (b"junk", *played.commits[1:])))
    ran = run("verify", f"{redis_url}#m1")
    assert (ran.status, ran.out[:10]) == (1, "in dispute")
    assert run("log", f"{redis_url}#m1").status == 1


def test_says_that_a_store_is_not_there(run: Run, tmp_path: Path) -> None:
    """A store that cannot be reached ends with 2; its password is not shown."""
    ran = run("log", f"unix://user:secret@{tmp_path}/no.sock#m1")
    assert (ran.status, "cannot be reached" in ran.err, "secret" in ran.err) == (2, True, False)


@pytest.mark.parametrize(
    ("address", "why"),
    [
        ("redis://127.0.0.1:9/0", "Connection refused"),
        ("rediss://127.0.0.1:9", "Connection refused"),
        ("redis+cluster://127.0.0.1:9", "Connection refused"),
        ("redis+sentinel://127.0.0.1:9/mine", "no sentinel that answers knows the primary mine"),
        ("unix:///no/such.sock", "No such file or directory"),
    ],
)
def test_says_why_a_store_is_away_in_no_words_of_a_library(
    run: Run, address: str, why: str
) -> None:
    """What the system says of it, whichever way a server is reached."""
    ran = run("log", f"{address}#m1")
    said = f"{address}#m1: the store's server cannot be reached: {why}"
    assert (ran.status, last_line(ran)) == (2, f"replay: {said}")


def test_says_of_a_store_that_is_away_nothing_else() -> None:
    """Not what a service logs of it: a process of its own, in which none was set up."""
    address = "redis://127.0.0.1:9/0#m1"
    ran = subprocess.run(process("log", address), capture_output=True, text=True, check=False)
    said = f"replay: {address}: the store's server cannot be reached: Connection refused\n"
    assert (ran.returncode, ran.stdout, ran.stderr) == (2, "", said)


def last_line(ran: Ran) -> str:
    """What the command says, behind what a service of the same process logs, if one was set up."""
    return ran.err.splitlines()[-1]


@pytest.mark.parametrize(
    ("scheme", "why"),
    [
        ("redis", "what answers there is no Redis"),
        ("rediss", "TLS does not come about: wrong version number"),
    ],
)
def test_says_that_what_answers_is_no_store(run: Run, scheme: str, why: str) -> None:
    """As where somebody took the port of the service for that of its store."""
    with answering(200, b"").running() as service:
        ran = run("log", f"{scheme}{service.url.removeprefix('http').partition('/v1')[0]}#m1")
    assert (ran.status, last_line(ran).partition("cannot be reached: ")[2]) == (2, why)


def test_a_source_is_read_when_it_is_its_turn(keep: Keep) -> None:
    """Expanding reads nothing: files may come and go until they are read."""
    path = keep(b"junk")
    (source,) = expand([str(path)])
    path.write_bytes(table().record().file())
    assert load(source).file.header.match == "m1"
