"""Logs to audit: played here by the rules alone, and tampered with in every way."""

from __future__ import annotations

import base64
import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import msgspec
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from referee.catalogue import catalogue
from referee.core.commit import (
    FORMAT,
    Header,
    file_text,
    first_prev,
    head_after,
    write_match_file,
)
from referee.core.game import Asker, Command
from referee.core.match import ClockSetting, Match
from referee.core.rules import BadLog, Rules
from referee.core.verify import fold_log
from referee.selfplay import Setup

START = 1_700_000_000_000
KEY = Ed25519PrivateKey.from_private_bytes(bytes(range(32)))
OTHER_KEY = Ed25519PrivateKey.from_private_bytes(bytes(range(1, 33)))
NAMES = ("Ann", "Bob", "Cai")
SALT = bytes(range(12))


@dataclass(frozen=True)
class Record:
    """A log: its header's match and ruleset, and its commits. Editing makes another one."""

    match: str
    ruleset: str
    commits: tuple[bytes, ...]

    @property
    def status(self) -> str:
        """The status of the match after the last commit, as far as the rules can tell."""
        try:
            return fold_log(catalogue().rules(self.ruleset), self.commits).status
        except BadLog:
            return "active"

    @property
    def head(self) -> str:
        """The head that the stored bytes lead to."""
        head = first_prev(self.match, self.ruleset)
        for data in self.commits:
            head = head_after(head, data)
        return head.hex()

    def header(self, **fields: Any) -> Header:
        """A true header, but for these fields."""
        game = self.ruleset.partition("/")[0]
        true = Header(FORMAT, self.match, game, self.ruleset, self.head, len(self.commits))
        return msgspec.structs.replace(true, **fields)

    def file(self, **fields: Any) -> bytes:
        """The match file, with a header that is true but for these fields."""
        return write_match_file(self.header(**fields), self.commits)

    def signed(self, key: Ed25519PrivateKey = KEY, **fields: Any) -> bytes:
        """The match file, signed; these fields are changed afterwards."""
        header = self.header()
        text = file_text(header.match, header.count, header.head, self.status)
        proof = {"public_key": public(key), "signature": b64(key.sign(text))}
        return self.file(**{**proof, **fields})

    def having(self, commits: Sequence[bytes]) -> Record:
        """The same match with other commits."""
        return replace(self, commits=tuple(commits))

    def put(self, version: int, data: bytes) -> Record:
        """With these bytes for a commit, and nothing done about the chain."""
        return self.having([*self.commits[: version - 1], data, *self.commits[version:]])

    def opened(self, version: int) -> dict[str, Any]:
        """A commit as a map."""
        opened: dict[str, Any] = msgspec.msgpack.decode(self.commits[version - 1])
        return opened

    def edited(self, version: int, change: Callable[[dict[str, Any]], Any]) -> Record:
        """With one commit changed, the chain left as it was."""
        commit = self.opened(version)
        change(commit)
        return self.put(version, msgspec.msgpack.encode(commit))

    def forged(self, version: int, change: Callable[[dict[str, Any]], Any]) -> Record:
        """With one commit changed, and all heads from there on made to fit again."""
        return self.edited(version, change).chained()

    def chained(self) -> Record:
        """With every commit's `prev` made to fit."""
        head, commits = first_prev(self.match, self.ruleset), []
        for data in self.commits:
            commit = msgspec.msgpack.decode(data)
            commit["prev"] = head
            commits.append(msgspec.msgpack.encode(commit))
            head = head_after(head, commits[-1])
        return self.having(commits)


@dataclass
class Table:
    """A match in play, without a service around it."""

    rules: Rules
    match: Match
    commits: list[bytes]
    now: int = START
    pick: random.Random = field(default_factory=lambda: random.Random(1))  # noqa: S311 - play

    def send(self, by: int | str, command: Command, *, after: int = 10) -> Match:
        """One command of a seat, or of `organizer` or `service`, so many ms later."""
        self.now += after
        seat, role = (by, "seat") if isinstance(by, int) else (None, by)
        asker = Asker(role, seat, self.now)  # type: ignore[arg-type]
        decided = self.rules.decide(self.match, asker, command, salt=SALT, past=self.at)
        self.commits.append(decided.data)
        self.match = decided.match
        return self.match

    def at(self, version: int) -> Match:
        """The match as it stood after commit `version`."""
        return fold_log(self.rules, self.commits[:version])

    def play(self, commits: int | None = None) -> Table:
        """Random lawful commands: so many, or to the end."""
        while not self.match.over and (commits is None or commits > 0):
            seat = self.pick.choice(self.match.owed)
            legal = self.rules.legal(self.match, Asker("seat", seat, self.now + 10))
            self.send(seat, self.pick.choice(legal.commands))
            commits = None if commits is None else commits - 1
        return self

    def record(self) -> Record:
        """The log so far."""
        setting = self.match.setting
        return Record(setting.match, setting.ruleset, tuple(self.commits))


def table(
    match: str = "m1",
    *,
    seed: int = 1,
    names: Sequence[str] = NAMES,
    rules: Rules | None = None,
    options: dict[str, Any] | None = None,
    **setting: Any,
) -> Table:
    """A new match of giro-galoppo (or of `rules`), played on by chance from `seed`."""
    rules = rules or catalogue().current("giro-galoppo")
    setup = Setup(
        match=match,
        seats=len(names),
        options=options or {},
        seed=seed.to_bytes(32, "big"),
        names=tuple(names),
    )
    order = msgspec.structs.replace(setup.order(rules), **setting)
    decided = rules.create(order, START, salt=SALT)
    return Table(rules, decided.match, [decided.data], pick=random.Random(seed))  # noqa: S311 - play


def clocked(base_s: int = 60) -> ClockSetting:
    """A clock whose flag takes a seat out."""
    return ClockSetting(base_s=base_s)


def public(key: Ed25519PrivateKey) -> str:
    """A key's public half as a header holds it."""
    return b64(key.public_key().public_bytes_raw())


def b64(data: bytes) -> str:
    """Base64url without padding."""
    return base64.urlsafe_b64encode(data).decode().rstrip("=")
