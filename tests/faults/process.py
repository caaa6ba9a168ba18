"""`referee serve` as a process with its own embedded store, and players who do not give up."""

from __future__ import annotations

import asyncio
import contextlib
import os
import random
import secrets
import signal
import subprocess
import sys
from collections.abc import AsyncGenerator, Generator
from pathlib import Path
from typing import Any, Final

import httpx

from referee.catalogue import catalogue
from referee.core.commit import MatchFile, each_head, read_match_file
from referee.core.verify import verify
from tests.clients import PATIENCE_S, ask, bearer, created, order_of

PLACE: Final = {"type": "place_obstacle", "space": 20}


class Process:
    """One `referee serve` on the data in a folder."""

    def __init__(self, folder: Path, *options: str, **settings: str) -> None:
        environ = {k: v for k, v in os.environ.items() if not k.startswith("REFEREE_")}
        environ |= {"REFEREE_DATA_DIR": str(folder), "REFEREE_PORT": "0"}
        environ |= {"REFEREE_COMMAND_RATE": "0", **settings}
        self.folder = folder
        self.errors = folder.with_name(f"{folder.name}.log")
        with self.errors.open("ab") as errors:
            self.popen = subprocess.Popen(
                [sys.executable, "-m", "referee", "serve", *options],
                env=environ,
                stdout=subprocess.PIPE,
                stderr=errors,
                text=True,
            )
        assert self.popen.stdout is not None
        self.said: list[str] = []
        for line in self.popen.stdout:
            self.said.append(line.strip())
            if line.startswith("listening on "):
                break
        self.url = self.said[-1].removeprefix("listening on ") if self.said else ""

    @property
    def organizer(self) -> str:
        """The organizer's token that was printed."""
        return next(
            line.removeprefix("organizer token: ")
            for line in self.said
            if line.startswith("organizer token: ")
        )

    def children(self, name: str) -> list[int]:
        """The processes below it, by id, with this in their command line."""
        return [pid for pid in _below(self.popen.pid) if name in _command_line(pid)]

    def kill(self) -> None:
        """SIGKILL."""
        self.popen.kill()
        self.wait()

    def stop(self, sig: signal.Signals = signal.SIGTERM) -> int:
        """Tell it to stop; its exit status."""
        self.popen.send_signal(sig)
        return self.wait()

    def wait(self) -> int:
        """Its exit status, once it has ended."""
        status = self.popen.wait(PATIENCE_S)
        if self.popen.stdout is not None:
            self.popen.stdout.close()
        return status

    def log(self) -> str:
        """What it logged so far."""
        return self.errors.read_text()


def alive(pid: int) -> bool:
    """Whether a process runs (a zombie does not)."""
    return _stat(pid)[:1] not in ([], ["Z"])


def _stat(pid: int) -> list[str]:
    """What the kernel says of a process, from its state on; nothing where there is none."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    except OSError:
        return []


def _below(parent: int) -> list[int]:
    everybody = [int(one.name) for one in Path("/proc").iterdir() if one.name.isdigit()]
    children = [pid for pid in everybody if _stat(pid)[1:2] == [str(parent)]]
    return children + [below for child in children for below in _below(child)]


def _command_line(pid: int) -> str:
    try:
        return Path(f"/proc/{pid}/cmdline").read_bytes().replace(b"\0", b" ").decode()
    except OSError:
        return ""


@contextlib.contextmanager
def running(folder: Path, *options: str, **settings: str) -> Generator[Process]:
    """A process, gone afterwards."""
    process = Process(folder, *options, **settings)
    try:
        assert process.url, process.log()
        yield process
    finally:
        if process.popen.poll() is None:
            process.stop()
        process.wait()


class Acknowledged:
    """Every command that was answered, by match and version, with its answer."""

    def __init__(self) -> None:
        self.answers: dict[tuple[str, int], dict[str, Any]] = {}
        self.away = 0

    def check(self, match: str, file: MatchFile) -> None:
        """Every acknowledged command is in the log, once, as it was answered; the log verifies."""
        verdict = verify(catalogue().rules(file.header.ruleset), match, file.commits)
        assert verdict.dispute is None
        heads = [head.hex() for head in each_head(verdict.chain.heads)]
        ours = {v: a for (m, v), a in self.answers.items() if m == match}
        assert ours
        for version, answer in ours.items():
            assert heads[version - 1] == answer["head"]


class Player:
    """Plays one seat with whatever is legal; repeats, with the same key, what got no answer."""

    def __init__(self, url: list[str], match: str, token: str, told: Acknowledged) -> None:
        self._url, self._match, self._told = url, match, told
        self._http = httpx.AsyncClient(timeout=PATIENCE_S, headers=bearer(token))
        self._pick = random.Random(token)  # noqa: S311 - a test's own chance
        self._keys = 0
        self._own = secrets.token_hex(4)  # another player of the same seat has other keys

    async def play(self, stop: asyncio.Event) -> None:
        """Until told to stop, or until the match is over."""
        async with self._http:
            while not stop.is_set() and await self._turn():
                pass

    async def _turn(self) -> bool:
        legal = await self._ask("GET", "/legal")
        if not legal["commands"]:
            view = await self._ask("GET", "")
            return bool(view["status"] == "active")
        self._keys += 1
        command = self._pick.choice(legal["commands"])
        answer = await self._ask("POST", "/commands", command, f"{self._own}-{self._keys}")
        if "head" in answer:
            self._told.answers[self._match, answer["version"]] = answer
        return True

    async def _ask(self, method: str, rest: str, body: Any = None, key: str = "k") -> Any:
        """The answer to a request, however often it has to be sent."""
        while True:
            try:
                url = f"{self._url[0]}/v1/matches/{self._match}{rest}"
                headers = {"Idempotency-Key": key} if body is not None else {}
                answer = await self._http.request(method, url, json=body, headers=headers)
                if answer.status_code in (200, 422):
                    return answer.json()
                assert answer.status_code == 503, answer.text
                assert int(answer.headers["retry-after"]) >= 1
            except httpx.HTTPError:
                pass
            self._told.away += 1
            await asyncio.sleep(0.2)


class Tables:
    """Matches under way on a process, whose address may change."""

    def __init__(self, process: Process) -> None:
        self.url = [process.url]
        self.organizer = process.organizer
        self.told = Acknowledged()
        self.made: list[dict[str, Any]] = []

    def create(self, count: int) -> None:
        """So many matches of three."""
        order = order_of(3, options={"length": 80})
        self.made += [created(self.url[0], order, self.organizer) for _ in range(count)]

    @contextlib.asynccontextmanager
    async def play(self) -> AsyncGenerator[None]:
        """Every seat of every match plays meanwhile."""
        stop = asyncio.Event()
        players = [
            asyncio.ensure_future(Player(self.url, m["match"], s["token"], self.told).play(stop))
            for m in self.made
            for s in m["seats"]
        ]
        try:
            yield
        finally:
            stop.set()
            await asyncio.gather(*players)

    async def until(self, count: int) -> None:
        """Wait until so many commands more are acknowledged."""
        goal = len(self.told.answers) + count
        async with asyncio.timeout(PATIENCE_S):
            while len(self.told.answers) < goal:  # noqa: ASYNC110 - there is no event to wait for
                await asyncio.sleep(0.01)

    def check(self) -> None:
        """What was acknowledged is in the logs, once, and they verify."""
        for made in self.made:
            url = f"{self.url[0]}/v1/matches/{made['match']}/log"
            file = read_match_file(ask(url, headers=bearer(self.organizer)).content)
            self.told.check(made["match"], file)
