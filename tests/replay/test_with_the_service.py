"""`replay` on a service that runs: what was played over HTTP is what is audited."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.error import HTTPError
from urllib.request import Request, urlopen

import pytest
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat

from referee.core.commit import read_match_file
from tests.replay.conftest import Run
from tests.replay.logs import KEY, OTHER_KEY, public


@dataclass
class Served:
    """A match at a service: its address, two tokens, where the store listens."""

    base: str
    token: str
    socket: Path
    match: str = ""
    seat: str = ""

    @property
    def url(self) -> str:
        """The match's address."""
        return f"{self.base}/v1/matches/{self.match}"

    def call(self, path: str, body: Any = None, token: str | None = None) -> Any:
        """One request; its answer's JSON."""
        headers = {
            "Authorization": f"Bearer {token or self.token}",
            "Content-Type": "application/json",
        }
        data = None if body is None else json.dumps(body).encode()
        with urlopen(Request(self.base + path, data, headers)) as answer:  # noqa: S310 - ours
            return json.load(answer)


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    """A service on its embedded store, which signs."""
    folder = tmp_path_factory.mktemp("served")
    (folder / "key.pem").write_bytes(
        KEY.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption())
    )
    env = {name: value for name, value in os.environ.items() if not name.startswith("REFEREE_")}
    env |= {"REFEREE_DATA_DIR": str(folder / "d"), "REFEREE_SIGNING_KEY": str(folder / "key.pem")}
    env["REFEREE_COMMAND_RATE"] = "0"
    command = [sys.executable, "-m", "referee", "serve", "--port", "0"]
    pipes: dict[str, Any] = {"stdout": subprocess.PIPE, "stderr": subprocess.DEVNULL, "text": True}
    with subprocess.Popen(command, env=env, **pipes) as process:
        try:
            yield _ready(process, folder)
        finally:
            process.terminate()


def _ready(process: subprocess.Popen[str], folder: Path) -> Served:
    said = ""
    assert process.stdout is not None
    for line in process.stdout:
        said += line
        if "listening on" in line:
            break
    token = re.search(r"eyJ[\w.-]+", said)
    base = re.search(r"listening on (http://\S+)", said)
    assert token, said
    assert base, said
    (socket,) = (folder / "d").rglob("*.sock")
    return Served(base[1], token[0], socket)


@pytest.fixture(scope="module")
def heads(served: Served) -> list[str]:
    """The head of every commit, as the service told it while a match was played to its end."""
    seats = [{"name": "Ann"}, {"name": "Bob"}]
    order = {"game": "giro-galoppo", "seats": seats, "options": {}, "tournament": "The Cup"}
    made = served.call("/v1/matches", order)
    served.match, served.seat = made["match"], made["seats"][1]["token"]
    path, heads = f"/v1/matches/{served.match}", [made["head"]]
    while (view := served.call(path))["status"] == "active":
        token = made["seats"][view["to_act"][0]]["token"]
        command = served.call(f"{path}/legal", token=token)["commands"][-1]
        heads.append(served.call(f"{path}/commands", command, token)["head"])
    return heads


@pytest.mark.usefixtures("heads")
def test_a_match_that_was_played_over_http_is_proven(
    run: Run, served: Served, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The service's log holds in every commit, and is signed with its key."""
    monkeypatch.setenv("REFEREE_TOKEN", served.token)
    ran = run("verify", served.url, "--key", public(KEY))
    assert (ran.status, f"signed by {public(KEY)}" in ran.out) == (0, True)


@pytest.mark.usefixtures("heads")
def test_a_service_says_which_keys_are_its_own(
    run: Run, served: Served, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """Its logs are judged by them, and a file by a service that is named; another key's are not."""
    monkeypatch.setenv("REFEREE_TOKEN", served.token)
    path = tmp_path / "m.match"
    run("pull", served.url, "-o", path)
    for args in ([served.url], [path, "--key", served.base], [path, "--key", served.url]):
        ran = run("verify", *args, "--json")
        assert (ran.status, ran.json["logs"][0]["verdict"]) == (0, "signed")
    assert run("verify", path, "--json").json["logs"][0]["verdict"] == "not signed"
    assert run("verify", served.url, "--key", public(OTHER_KEY)).status == 1


def test_every_head_that_was_told_is_in_the_chain(
    run: Run, served: Served, heads: list[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """The heads of the answers are the heads of the log, each at its own version."""
    monkeypatch.setenv("REFEREE_TOKEN", served.token)
    run("pull", served.url, "-o", tmp_path / "m.match")
    lines = run("export", tmp_path / "m.match").out.splitlines()[1:]
    assert [json.loads(line)["head"] for line in lines] == heads
    ran = run("verify", tmp_path / "m.match", "--head", heads[4])
    assert "is that of commit 5" in ran.out


def test_the_store_and_the_service_hold_the_same_commits(
    run: Run,
    served: Served,
    heads: list[str],
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
) -> None:
    """A log pulled from the store beside the service is the service's, but for the signature."""
    monkeypatch.setenv("REFEREE_TOKEN", served.token)
    run("pull", served.url, "-o", tmp_path / "a.match")
    run("pull", f"unix://{served.socket}#{served.match}", "-o", tmp_path / "b.match")
    a, b = (read_match_file((tmp_path / name).read_bytes()) for name in ("a.match", "b.match"))
    assert list(a.commits) == list(b.commits)
    assert (a.header.head, b.header.head) == (heads[-1], heads[-1])


@pytest.mark.usefixtures("heads")
def test_a_view_of_the_past_is_the_one_that_the_service_gives(
    run: Run, served: Served, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What show draws from the log is what ?at= answers, for the organizer."""
    monkeypatch.setenv("REFEREE_TOKEN", served.token)
    for version in (1, 7, 12):
        ours = run("show", served.url, "--at", version, "--json").json
        assert ours == served.call(f"/v1/matches/{served.match}?at={version}")


@pytest.mark.usefixtures("heads")
def test_a_log_takes_a_token(run: Run, served: Served, monkeypatch: pytest.MonkeyPatch) -> None:
    """Without a token the log of a match that is not public is not had, and it says why."""
    monkeypatch.delenv("REFEREE_TOKEN", raising=False)
    ran = run("log", served.url)
    assert (ran.status, "REFEREE_TOKEN is not set" in ran.err) == (2, True)


@pytest.mark.usefixtures("heads")
def test_a_tournament_is_pulled_with_what_was_refused(
    run: Run, served: Served, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """All its matches, again only what has changed; what was refused is explained from both."""
    monkeypatch.setenv("REFEREE_TOKEN", served.token)
    path = f"/v1/matches/{served.match}"
    with pytest.raises(HTTPError, match="422"):
        served.call(f"{path}/commands", {"type": "resign"}, served.seat)
    while not served.call(f"{path}/refusals")["refusals"]:  # noted behind the answer
        pass
    cup = f"{served.base}/v1/matches?tournament=The%20Cup"
    for written in (True, False):
        (log,) = run("pull", cup, "-o", tmp_path / "cup", "--json").json["logs"]
        assert (log["written"], log["refusals"]) == (written, 1)
    for source in (served.url, tmp_path / "cup"):
        ran = run("explain", source, "--refusal", 1)
        assert (ran.status, "BROKEN  match-over" in ran.out) == (0, True)
    assert run("standings", cup, "--json").json["tournaments"][0]["matches"] == 1
    assert run("verify", f"{cup}&colour=red").status == 2
