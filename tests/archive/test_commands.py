"""`referee archive` and `referee restore` beside services that run, as their operators use them."""

from __future__ import annotations

import json
import os
import random
import signal
import subprocess
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path

import httpx
import pytest
import redis

from referee.archive import open_archive
from referee.core.commit import read_match_file
from tests.archive.objects import BUCKET, Objects
from tests.clients import ORGANIZER, accepted, bearer
from tests.live.servers import Server, Table, serving

pytestmark = pytest.mark.archive

VOID = {"type": "void", "reason": "rain"}
CERTIFY = {"type": "certify"}


class Post:
    """A service on a store of its own with an archive behind it, and who archives."""

    def __init__(self, server: Server, store: str, archive: str, more: Mapping[str, str]) -> None:
        self.server = server
        self.archive = archive
        self._environment = {k: v for k, v in os.environ.items() if not k.startswith("REFEREE_")}
        self._environment |= {"REFEREE_REDIS_URL": store, "REFEREE_ARCHIVE": archive, **more}

    def start(self, *words: str) -> subprocess.Popen[str]:
        """A command of `referee`, or of another program, under way."""
        return subprocess.Popen(
            [sys.executable, "-m", *words],
            env=self._environment,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )

    def run(self, *words: str, status: int = 0) -> tuple[str, str]:
        """The same, and what it says when it has ended."""
        with self.start(*words) as process:
            out, err = process.communicate(timeout=100)
        assert process.returncode == status, (out, err)
        return out, err

    def over(self, *, certified: bool = True, **order: object) -> Table:
        """A match that is finished."""
        table = Table(self.server, "giro-galoppo", 2, **order)
        table.move()
        table.play(1, {"type": "resign"})
        if certified:
            table.rule(CERTIFY)
        return table

    def listed(self, query: str) -> list[str]:
        """The matches of a list."""
        url = f"{self.server.url}/v1/matches?limit=500&{query}"
        answer = httpx.get(url, headers=bearer(ORGANIZER), timeout=60)
        return [row["match"] for row in accepted(answer)["matches"]]


@pytest.fixture(scope="module")
def post(lasting_redis_url: str, running_objects: Objects) -> Iterator[Post]:
    """A service whose archive is in an object store, below a prefix."""
    archive = f"s3://{BUCKET}/club/archive"
    before = dict(os.environ)
    os.environ.update(running_objects.environment)
    with serving(lasting_redis_url, REFEREE_ARCHIVE=archive) as (server,):
        yield Post(server, lasting_redis_url, archive, running_objects.environment)
    os.environ.clear()
    os.environ.update(before)


def test_matches_go_to_an_object_store_and_are_seen_and_judged_there(
    post: Post, objects: Objects, tmp_path: Path
) -> None:
    """From the dry run to the restored match, with `replay` on the archive itself."""
    done, open_, provisional = post.over(tournament="A/B"), post.over(), post.over(certified=False)
    post.run("referee", "restore", open_.match, status=1)
    out, _ = post.run("referee", "archive", "--dry-run")
    assert f"{done.match}: would go" in out
    assert provisional.match not in out
    assert objects.keys() == []
    out, _ = post.run("referee", "archive", "--after", "1")
    assert "none of those" in out
    view, log = done.view(), done.client.get(done.url("/log"), headers=bearer(ORGANIZER)).content
    out, _ = post.run("referee", "archive")
    assert f"{done.match}: archived" in out
    assert f"{provisional.match}" not in out
    keys = objects.keys()
    assert f"club/archive/matches/{done.match}.match" in keys
    assert f"club/archive/matches/{done.match}.refusals.jsonl" in keys
    assert [key for key in keys if key.startswith("club/archive/index/A%2FB/")]
    assert done.view() == view
    assert done.client.get(done.url("/log"), headers=bearer(ORGANIZER)).content == log
    refused = done.send(ORGANIZER, VOID)
    assert (refused.status_code, refused.json()["type"]) == (409, "/problems/archived")
    assert post.listed("archived=true") == [open_.match, done.match]
    assert post.listed("tournament=A/B") == [done.match]

    # replay, on all of the archive and on one file of it
    out, _ = post.run("replay", "verify", post.archive, "--json", "--jobs", "2")
    assert len(json.loads(out)["logs"]) == 2
    out, _ = post.run("replay", "log", f"{post.archive}/matches/{done.match}.match")
    assert "The result is certified." in out
    post.run("replay", "pull", post.archive, "-o", str(tmp_path / "pulled"))
    assert (tmp_path / f"pulled/{done.match}.match").read_bytes() == log
    post.run("replay", "verify", f"{post.archive}/matches/none.match", status=2)
    post.run("replay", "verify", f"s3://{BUCKET}/nothing", status=2)

    out, _ = post.run("referee", "restore", done.match, open_.match)
    assert out.splitlines() == [f"{done.match}: restored", f"{open_.match}: restored"]
    assert post.listed("archived=true") == []
    assert done.view() == view
    ranking = [{"seat": 0, "place": 2}, {"seat": 1, "place": 1}]
    done.rule({"type": "adjudicate", "ranking": ranking, "reason": "seen again"})
    out, err = post.run("referee", "restore", done.match, "none", status=1)
    assert out == f"{done.match}: is in the store already\n"
    assert "none: not restored: the archive has no such match" in err


def test_a_store_that_is_away_and_an_archive_that_is_away_are_told(post: Post) -> None:
    """In a sentence, with a status."""
    post.over()
    away = {"AWS_ENDPOINT_URL": "http://127.0.0.1:9"}
    elsewhere = Post(post.server, "redis://127.0.0.1:9", post.archive, {})
    _, err = elsewhere.run("referee", "archive", status=1)
    assert "Error: the store's server cannot be reached" in err
    cut = Post(post.server, post._environment["REFEREE_REDIS_URL"], post.archive, away)
    for more in ((), ("--after", "36500")):  # of those, there is none
        _, err = cut.run("referee", "archive", *more, status=1)
        assert "the archive s3://hall/club/archive cannot be used" in err
    assert "Traceback" not in err
    nowhere = Post(post.server, "redis://127.0.0.1:9", "", {})
    del nowhere._environment["REFEREE_ARCHIVE"]
    _, err = nowhere.run("referee", "restore", "m", status=1)
    assert "REFEREE_ARCHIVE: is needed" in err
    post.run("referee", "archive")


def test_an_archive_that_cannot_be_used_is_told_before_anybody_serves(
    post: Post, tmp_path: Path
) -> None:
    """By the doctor, and by a service that does not start where it cannot even be opened."""
    data = {"REFEREE_DATA_DIR": str(tmp_path)}
    store = post._environment["REFEREE_REDIS_URL"]
    nobodys = Post(post.server, store, "az://container/path", data)
    del nobodys._environment["REFEREE_REDIS_URL"]
    for words in (("doctor",), ("serve", "--workers", "2")):
        out, err = nobodys.run("referee", *words, status=1)
        assert "REFEREE_ARCHIVE: cannot be used" in out + err
        assert "Traceback" not in err
    cut = Post(post.server, store, post.archive, {"AWS_ENDPOINT_URL": "http://127.0.0.1:9", **data})
    del cut._environment["REFEREE_REDIS_URL"]
    out, _ = cut.run("referee", "doctor", status=1)
    assert f"the archive {post.archive} cannot be used" in out
    del cut._environment["AWS_ENDPOINT_URL"]
    cut._environment["REFEREE_ARCHIVE"] = str(tmp_path / "yet to be made")
    cut.run("referee", "doctor")


def test_whenever_an_archiver_is_killed_nothing_is_lost(post: Post) -> None:
    """Killed in the midst of its work, again and again; all of it is there, and in one place."""
    tables = {table.match: table for table in (post.over(tournament="K") for _ in range(40))}
    before = {match: table.view() for match, table in tables.items()}
    draw, killed = random.Random(7), 0  # noqa: S311 - to be drawn again
    while post.listed("tournament=K&archived=false"):
        with post.start("referee", "archive") as process:
            assert process.stdout is not None
            for _ in range(draw.randrange(1, 12)):
                process.stdout.readline()
            process.send_signal(signal.SIGKILL)
            process.wait()
            killed += process.returncode == -signal.SIGKILL
        assert sorted(post.listed("tournament=K")) == sorted(tables)
        assert {match: table.view() for match, table in tables.items()} == before
    assert killed
    assert sorted(post.listed("tournament=K&archived=true")) == sorted(tables)
    with redis.Redis.from_url(post._environment["REFEREE_REDIS_URL"]) as client:
        assert not [match for match in tables if client.exists(f"match:{{{match}}}:log")]


def test_an_embedded_store_is_archived_beside_its_service_and_without_it(tmp_path: Path) -> None:
    """By the data folder alone, into another."""
    data, there = str(tmp_path / "data"), str(tmp_path / "archive")
    with serving("", REFEREE_DATA_DIR=data, REFEREE_ARCHIVE=there) as (server,):
        post = Post(server, "", there, {"REFEREE_DATA_DIR": data})
        del post._environment["REFEREE_REDIS_URL"]
        first, second = post.over(), post.over()
        post.run("referee", "archive")
        assert first.view()["status"] == "finished"
        post.run("referee", "restore", second.match)
        server.stop()
    out, _ = post.run("referee", "archive")
    assert out.startswith(f"{second.match}: archived")
    archive = open_archive(there)
    assert sorted(archive.matches()) == sorted([first.match, second.match])
    for match in archive.matches():
        kept = archive.match(match)
        assert kept is not None
        assert len(read_match_file(kept.data).commits) == 4
