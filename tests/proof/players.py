"""Who plays, looks and listens in a proof, and notes all that comes of it.

A player never gives up and never waits: what got no answer is sent again with the same key, to
whichever service, or left for good, so that nobody knows whether it was taken.
"""

from __future__ import annotations

import asyncio
import contextlib
import random
import time
from collections.abc import Callable, Sequence
from typing import Any, Final

from msgspec import Struct

from referee.selfplay import chance_of
from tests.clients import ORGANIZER, Made, bearer
from tests.filling import filled
from tests.live.readers import Listener, Message, listening
from tests.proof.history import Era, History, Plain, Seen, Sent, leaps_of
from tests.proof.wire import Lines

PATIENCE_S: Final = 120.0
WAIT_S: Final = 0.05

Urls = Callable[[], list[str]]
"""Where the services are now."""


class Away(Exception):
    """No answer, or one that says that nothing was acknowledged."""


class Gone(Exception):
    """There is no such match any more, or no such version: the judge knows whether that may be."""


class Answer(Struct, frozen=True):
    """An answer and when its request began and ended."""

    status: int
    body: Any
    begun: float
    ended: float


class Game(Made):
    """A match in play: what was made, what was seen, and who reads along.

    `began`: when it was ordered; `last`: the id of its last message, once that is known, and
    `ended`.
    """

    def __init__(self, made: Plain, urls: Urls, began: float) -> None:
        super().__init__(made)
        self.urls: Final = urls
        self.history: Final = History(began)
        self.last: str | None = None
        self.ended: Final = asyncio.Event()
        self.gone = False
        self.over = False
        self.paused = False
        self.dealt = True
        self.owing: list[int] = []
        self.acknowledged = 0
        self.answered = 0.0
        """When the newest request began that was answered with a commit."""
        self.taken = 0.0
        """The same of those that were answered with that commit for the first time."""
        everybody = [f"seat {seat}" for seat in range(len(self.tokens))]
        self.bearers: Final = dict(zip(everybody, self.tokens, strict=True)) | {
            "spectator": self.spectator,
            "organizer": ORGANIZER,
        }
        self.listeners = [Reader(self, who) for who in self.bearers]


class Client:
    """One that asks, about one match, as one of its bearers."""

    def __init__(self, game: Game, who: str, lines: Lines, seed: object) -> None:
        self.game, self.who, self._lines = game, who, lines
        self.pick: Final = random.Random(f"{seed} {who}")

    async def once(self, method: str, rest: str, body: Any = None, **headers: str) -> Answer:
        """One request to one of the services.

        Raises:
            Away: it was not answered, or with 503.
            Gone: there is no such match, or no such version of it.
        """
        url = f"{self.pick.choice(self.game.urls())}{self.game.path}{rest}"
        sent = bearer(self.game.bearers[self.who])
        sent |= {name.replace("_", "-"): value for name, value in headers.items()}
        begun = time.monotonic()
        try:
            got = await self._lines.ask(method, url, sent, body)
        except (OSError, EOFError) as error:
            raise Away from error
        if got.status == 503:
            assert int(got.header("retry-after") or 0) >= 1
            raise Away
        answer = Answer(got.status, got.plain(), begun, time.monotonic())
        if got.status == 404:
            self._missed(answer, rest)
        return answer

    def _missed(self, answer: Answer, rest: str) -> None:
        """There is no such version, or no such match."""
        missing = int(rest.rpartition("=")[2]) if "version" in answer.body else 1
        self.game.gone |= missing == 1
        self.game.over |= self.game.gone
        seen = Seen(
            how="none", who=self.who, version=missing, head="", begun=answer.begun,
            ended=answer.ended,
        )  # fmt: skip
        self.game.history.missed.append(seen)
        raise Gone

    async def ask(self, rest: str) -> Answer:
        """A look, however often it has to be asked for."""
        async with asyncio.timeout(PATIENCE_S):
            while True:
                with contextlib.suppress(Away):
                    return await self.once("GET", rest)
                await asyncio.sleep(WAIT_S)

    async def look(self, at: int | None = None) -> Plain:
        """The match as it stands, or as it stood, noted."""
        answer = await self.ask("" if at is None else f"?at={at}")
        assert answer.status == 200, answer
        view: Plain = answer.body
        self._note("view" if at is None else "past", answer, view, view)
        if at is None:
            self.game.over = view["status"] in {"finished", "void"}
        self.game.owing = view["to_act"]
        self.game.dealt = view["state"] is not None
        self.game.paused = view["status"] == "paused"
        return view

    def leave(self) -> None:
        """End the connections."""
        self._lines.close()

    def _note(self, how: str, answer: Answer, told: Plain, body: Any) -> None:
        seen = Seen(
            how=how, who=self.who, version=told["version"], head=told["head"],
            begun=answer.begun, ended=answer.ended, body=body,
        )  # fmt: skip
        self.game.history.seen.append(seen)

    async def send(self, sent: Sent, **headers: str) -> None:
        """Send a command until it is answered, or leave it."""
        async with asyncio.timeout(PATIENCE_S):
            while not await self._sent(sent, headers) and self.pick.random() > 0.1:  # noqa: ASYNC110
                await asyncio.sleep(WAIT_S)

    async def _sent(self, sent: Sent, headers: dict[str, str]) -> bool:
        begun = time.monotonic()
        try:
            answer = await self.once(
                "POST", "/commands", sent.command, idempotency_key=sent.key, **headers
            )
        except Away:
            sent.unknown += 1
            return False
        except Gone:
            sent.refused.append((begun, time.monotonic()))
            raise
        if answer.status != 200:
            assert answer.status in {412, 422}, answer
            sent.refused.append((answer.begun, answer.ended))
            return True
        if not sent.answers:
            self.game.acknowledged += 1
            self.game.taken = max(self.game.taken, answer.begun)
        self.game.answered = max(self.game.answered, answer.begun)
        sent.answers.append(answer.body)
        self._note("answer", answer, answer.body, told_of(answer.body["events"]))
        return True


def told_of(events: list[Plain]) -> list[Plain]:
    """Events without their places, which streams leave out."""
    return [{k: v for k, v in one.items() if k not in {"version", "index"}} for one in events]


class Player(Client):
    """A seat, or the organizer, or somebody who only looks."""

    @property
    def _by(self) -> str:
        return self.who.replace(" ", ":")

    def _fresh(self, command: Plain) -> Sent:
        key = f"{len(self.game.history.sent)}-{self.pick.getrandbits(32):08x}"
        sent = Sent(by=self._by, key=key, command=command)
        self.game.history.sent[sent.by, sent.key] = sent
        return sent

    async def turn(self) -> None:
        """Do one thing; mostly nothing while others are to move."""
        with contextlib.suppress(Gone):
            await self._turn()

    async def _turn(self) -> None:
        if not self._is_to_move() and self.pick.random() < 0.99:
            await asyncio.sleep(0.02)
            return
        does = self.pick.choices(
            (self._play, self._again, self.look, self._look_back), (20, 1, 1, 1)
        )
        await does[0]()

    def _is_to_move(self) -> bool:
        if self.game.paused:
            return self.who == "organizer"
        return self.who.startswith("seat") if not self.game.owing else self._owes()

    def _owes(self) -> bool:
        return self.who in {f"seat {seat}" for seat in self.game.owing}

    async def void(self) -> None:
        """End the match."""
        sent = self._fresh({"type": "void", "reason": "the end"})
        while not sent.answers:
            await self.send(sent)

    async def _again(self) -> None:
        """Send something again that was sent before, answered or not."""
        own = [sent for (by, _), sent in self.game.history.sent.items() if by == self._by]
        if own:
            await self.send(self.pick.choice(own[-20:]))

    async def _look_back(self) -> None:
        newest = (await self.look())["version"]
        await self.look(self.pick.randint(1, newest))

    async def _play(self) -> None:
        command = await self._command()
        if command is not None:
            stale = {"if_match": '"1"'} if self.pick.random() < 0.05 else {}
            await self.send(self._fresh(command), **stale)
            await self.look()

    async def _command(self) -> Plain | None:
        if self.who == "spectator":
            return None
        if self.who == "organizer":
            kinds = ("resume", "pause") if self.pick.random() < 0.1 else ("resume",)
            called = {"type": "answer_call", "reason": "play on"}
            return called if self.pick.random() < 0.5 else {"type": self.pick.choice(kinds)}
        if not self.game.dealt:
            return {"type": "add_entropy", "hex": self.pick.randbytes(16).hex()}
        if self.pick.random() < 0.15:
            return await self._of_the_table()
        return await self._of_the_game()

    async def _of_the_table(self) -> Plain:
        kinds = (
            "offer_draw",
            "decline_draw",
            "accept_takeback",
            "decline_takeback",
            "call_arbiter",
            "request_takeback",
        )
        kind = self.pick.choice(kinds) if self.pick.random() > 0.01 else "resign"
        if kind == "call_arbiter":
            return {"type": kind, "text": "look at this"}
        if kind != "request_takeback":
            return {"type": kind}
        return {
            "type": kind,
            "to": max(1, (await self.look())["version"] - self.pick.randint(0, 4)),
        }

    async def _of_the_game(self) -> Plain | None:
        legal = (await self.ask("/legal")).body
        if legal["commands"]:
            command: Plain = self.pick.choice(legal["commands"])
            return command
        if legal["complete"]:
            return None
        return await self._form(legal["templates"])

    async def _form(self, templates: list[Plain]) -> Plain:
        """A form of a template, one that would be taken if there is one among a few."""
        command: Plain = {}
        for _ in range(10):
            chance = chance_of(self.pick.random())
            command = filled(self.pick.choice(templates), chance)
            with contextlib.suppress(Away):
                if (await self.once("POST", "/check", command)).status == 200:
                    break
        return command


class Reader:
    """One who follows the live stream, through whatever happens, and comes back where it stood."""

    def __init__(self, game: Game, who: str) -> None:
        self._game, self.who = game, who
        self._last: str | None = None
        self.told: list[Seen] = []

    def __str__(self) -> str:
        game = self._game
        return f"{self.who} of {game.match} at {self._last}, which ends with {game.last}"

    async def follow(self) -> None:
        """Read until all of the match was told and the stream ends, or there is no such match."""
        turn = 0
        while not self._game.gone:
            turn += 1
            urls = self._game.urls()
            url, ended = f"{urls[turn % len(urls)]}{self._game.path}/events", False
            with contextlib.suppress(OSError, asyncio.IncompleteReadError, TimeoutError):
                token, begun = self._game.bearers[self.who], time.monotonic()
                async with listening(url, token, last=self._last, limit=1 << 20) as stream:
                    # A match that is over and was told whole has no stream any more: 204.
                    ended = stream.status == 204 or await self._read(stream, begun)
            if ended and await self._is_done():
                return
            await asyncio.sleep(WAIT_S)

    async def _is_done(self) -> bool:
        """Whether all was told, if it began before that: what a match ends with shows in the end.

        A server that stops ends streams too.
        """
        if self._game.over:
            await self._game.ended.wait()
        return self._game.last is not None and self._last in {None, self._game.last}

    async def _read(self, stream: Listener, begun: float) -> bool:
        if stream.status != 200:
            return False
        while (message := await stream.next()) is not None:
            assert message.event in {"commit", "rewritten"}, message
            self._last = message.id
            self._note(message, begun)
        return True

    def _note(self, message: Message, begun: float) -> None:
        news = message.event == "rewritten"
        version, _, head = message.id.partition(".")
        seen = Seen(
            how="rewritten" if news else "told", who=self.who, begun=begun,
            version=message.version, head=head if news else message.data["head"],
            ended=time.monotonic(), body=None if news else told_of(message.data["events"]),
        )  # fmt: skip
        assert (str(seen.version), True) == (version, seen.head.startswith(head)), message
        self.told.append(seen)
        self._game.history.seen.append(seen)

    def faults(self, eras: Sequence[Era]) -> list[str]:
        """Where what it was told does not follow on what it was told before."""
        return [f"{self.who}'s stream leaps from {a} to {b}" for a, b in leaps_of(self.told, eras)]
