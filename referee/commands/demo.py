"""`referee demo`: a whole match over HTTP, by random players, and the audit of its log.

It starts the service with a store of its own in a folder that is gone afterwards, and is then a
client like any other: it creates a match, sends each seat's commands with that seat's token, and
lets the `replay` command examine what was played. Where a game has random play of its own, because
play at random among all that is lawful would be long, the log tells that what it has to know.
"""

import contextlib
import os
import re
import subprocess
import sys
import tempfile
import time
from collections.abc import Generator, Mapping
from http.client import HTTPConnection
from pathlib import Path
from typing import Any, Final

import click
import msgspec

from referee.catalogue import UnknownGame, catalogue
from referee.core.commit import read_match_file
from referee.core.game import Asker
from referee.core.rules import Rules
from referee.core.verify import fold_log
from referee.selfplay import chance_of

BOARDS: Final = 12
"""About so many boards are shown on the way."""
PATIENCE_S: Final = 60.0
_LISTENING: Final = re.compile(r"^listening on http://(?P<host>[^:/]+):(?P<port>\d+)", re.MULTILINE)
_TOKEN: Final = re.compile(r"^organizer token: (\S+)", re.MULTILINE)
_NAMES: Final = ("Ada", "Ben", "Cleo", "Dov", "Eve")


@click.command("demo")
@click.argument("game", default="giro-galoppo")
@click.option("--seats", type=int, help="Number of seats. [default: as many as the game takes]")
@click.option("--options", "options_json", help="The game's options, as JSON.")
@click.option("--seed", default="demo", help="The same seed makes the same choices.")
@click.option("--every", type=click.IntRange(1), help="Show the board every so many commits.")
def command(
    game: str, *, seats: int | None, options_json: str | None, seed: str, every: int | None
) -> None:
    """Play a match of GAME over HTTP, show it, and audit its log."""
    try:
        rules = catalogue().current(game)
        options = msgspec.json.decode(options_json) if options_json else rules.game.demo_options
    except UnknownGame as error:
        known = ", ".join(rules.game.id for rules in catalogue())
        raise click.UsageError(f"{error}; there are {known}") from error
    except msgspec.DecodeError as error:
        raise click.UsageError(str(error)) from error
    with _service() as (client, organizer):
        demo = _Demo(client, organizer, rules, seed)
        demo.create(seats or rules.game.players[-1], options)
        demo.play(every)
        status = demo.audit()
    sys.exit(status)


class _Client:
    """A front end, as small as can be."""

    def __init__(self, host: str, port: int) -> None:
        self.url = f"http://{host}:{port}"
        self._connection = HTTPConnection(host, port, timeout=PATIENCE_S)

    def ask(self, method: str, path: str, token: str, body: Any = None, **headers: str) -> Any:
        """Send a request: the answer's JSON. Raises what `fetch` raises."""
        return msgspec.json.decode(self.fetch(method, path, token, body, **headers))

    def fetch(self, method: str, path: str, token: str, body: Any = None, **headers: str) -> bytes:
        """Send a request: the answer's bytes.

        Raises:
            click.ClickException: it is a problem.
        """
        data = None if body is None else msgspec.json.encode(body)
        sent = {"Authorization": f"Bearer {token}", "Content-Type": "application/json", **headers}
        self._connection.request(method, path, data, sent)
        answer = self._connection.getresponse()
        text = answer.read()
        if answer.status >= 400:  # noqa: PLR2004 - HTTP's errors
            raise click.ClickException(f"{method} {path}: {text.decode()}")
        return text


@contextlib.contextmanager
def _service() -> Generator[tuple[_Client, str]]:
    """A service of our own on a free port, and its organizer's token."""
    kept = {name: text for name, text in os.environ.items() if not name.startswith("REFEREE_")}
    with tempfile.TemporaryDirectory(prefix="referee-demo-") as folder:
        ours = {"DATA_DIR": folder, "LOG_LEVEL": "warning", "COMMAND_RATE": "0"}
        environment = kept | {f"REFEREE_{name}": text for name, text in ours.items()}
        output = Path(folder) / "serve.out"
        with output.open("wb") as out:
            process = subprocess.Popen(
                [sys.executable, "-m", "referee", "serve", "--port", "0"],
                env=environment,
                stdout=out,
            )
        try:
            found, token = _announced(output, process)
            click.echo(f"The service listens on http://{found['host']}:{found['port']}.")
            yield _Client(found["host"], int(found["port"])), token
        finally:
            process.terminate()
            process.wait(30)


def _announced(output: Path, process: subprocess.Popen[bytes]) -> tuple[re.Match[str], str]:
    """What the service prints once it is ready: its address, and an organizer's token."""
    until = time.monotonic() + PATIENCE_S
    while time.monotonic() < until and process.poll() is None:
        text = output.read_text()
        listening, token = _LISTENING.search(text), _TOKEN.search(text)
        if listening and token:
            return listening, token[1]
        time.sleep(0.05)
    raise click.ClickException("The service did not start:\n" + output.read_text())


class _Demo:
    """One match, from its creation to its audit."""

    def __init__(self, client: _Client, organizer: str, rules: Rules, seed: str) -> None:
        self._client = client
        self._organizer = organizer
        self._rules = rules
        self._game = rules.game
        self._chance = chance_of("demo", seed)
        self._names: list[str] = []
        self._tokens: list[str] = []
        self._path = ""

    def create(self, seats: int, options: Mapping[str, Any]) -> None:
        """Create the match; its seats' tokens come with the answer."""
        named = [{"name": _NAMES[seat % len(_NAMES)]} for seat in range(seats)]
        body = {"game": self._game.id, "seats": named, "options": options}
        created = self._client.ask("POST", "/v1/matches", self._organizer, body)
        self._names = [seat["name"] for seat in created["seats"]]
        self._tokens = [seat["token"] for seat in created["seats"]]
        self._path = f"/v1/matches/{created['match']}"
        click.echo(f"{self._game.title}, match {created['match']}, {', '.join(self._names)}.")
        click.echo(f"The seed is committed to: {created['seed_commitment']}\n")

    def play(self, every: int | None) -> None:
        """Let random players play it to its end, showing events, and boards now and then."""
        view = self._view()
        shown, step = view["version"], every or 4
        self._show(view)
        while view["status"] == "active":
            self._move(view)
            view, before = self._view(), view
            self._tell(before["version"])
            if every is None and view["version"] > BOARDS * step:
                step *= 2
            if view["version"] >= shown + step and view["status"] == "active":
                shown = view["version"]
                self._show(view)
        self._show(view)
        self._tell_result(view)

    def _move(self, view: dict[str, Any]) -> None:
        """One seat's command; where nobody owes one, whoever likes grabs, or time goes by."""
        seats = view["to_act"] or range(len(self._tokens))
        seat = self._chance.one_of(tuple(seats))
        sampled = self._sampled(seat) if view["to_act"] else None
        if sampled is not None:
            self._send(seat, sampled, view["version"])
            return
        answer = self._client.ask("GET", f"{self._path}/legal", self._tokens[seat])
        legal = answer["commands"]
        if view["to_act"] and not legal and not answer["complete"]:
            raise click.ClickException("Random players cannot play this game: it lists no command.")
        if not legal or (not view["to_act"] and self._chance.below(4)):
            time.sleep(0.05)
            return
        self._send(seat, self._chance.one_of(tuple(legal)), view["version"])

    def _sampled(self, seat: int) -> Any:
        """What the game's own random play would send for a seat, if it has any."""
        if self._game.sample is None:
            return None
        log = self._client.fetch("GET", f"{self._path}/log", self._organizer)
        match = fold_log(self._rules, read_match_file(log).commits)
        return self._game.sample(match.state, Asker("seat", seat, match.at), self._chance)

    def _send(self, seat: int, command: Any, version: int) -> None:
        path, token = f"{self._path}/commands", self._tokens[seat]
        headers = {"Idempotency-Key": f"demo-{version}-{seat}"}
        try:
            self._client.ask("POST", path, token, command, **headers)
        except click.ClickException:
            # The service's clock may have moved on in between; then it is in the log by now.
            if self._view()["version"] == version:
                raise

    def _view(self) -> Any:
        return self._client.ask("GET", self._path, self._organizer)

    def _show(self, view: dict[str, Any]) -> None:
        click.echo(f"\n─── version {view['version']} " + "─" * 60)
        click.echo(self._game.text(view))
        click.echo()

    def _tell(self, after: int) -> None:
        """What has happened since, in the game's words."""
        path = f"{self._path}/events?after={after}"
        tags = {kind.__struct_config__.tag for kind in self._game.events}
        for event in self._client.ask("GET", path, self._organizer)["events"]:
            if event["type"] in tags:
                click.echo(f"{event['version']:>4}  {self._game.tell(event, self._names)}")

    def _tell_result(self, view: dict[str, Any]) -> None:
        result = view["result"]
        click.echo(f"Finished ({result['reason']}):")
        for row in result["ranking"]:
            click.echo(f"  {standing(row, self._names[row['seat']])}")

    def audit(self) -> int:
        """Let `replay verify` examine the log over HTTP; its exit status."""
        url = self._client.url + self._path
        click.echo(f"\n$ replay verify {url}", nl=True)
        sys.stdout.flush()
        environment = {**os.environ, "REFEREE_TOKEN": self._organizer}
        replay = [sys.executable, "-m", "replay", "verify", url]
        return subprocess.run(replay, env=environment, check=False).returncode  # noqa: S603


def standing(row: Mapping[str, Any], name: str) -> str:
    """A row of the ranking: the place, whose it is, and the score where the game has scores.

    >>> standing({"place": 1, "score": 7}, "Ada"), standing({"place": None, "score": None}, "Bo")
    (' 1. Ada, score 7', '  – Bo')
    """
    place = "–" if row["place"] is None else f"{row['place']}."
    score = "" if row["score"] is None else f", score {row['score']}"
    return f"{place:>3} {name}{score}"
