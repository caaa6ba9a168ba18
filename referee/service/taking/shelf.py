"""Bringing what is at hand up to what the log says: reading, folding, going back.

A process trusts its memory only as far as the log bears it out. Every look at the log reads from
the commit that was seen last, and compares that commit's head: where a failover has rewritten
history, what was known is thrown away and the whole log read again.
"""

from __future__ import annotations

from collections import OrderedDict
from typing import Any, Final

import msgspec
import structlog

from referee.catalogue import Catalogue, UnknownGame
from referee.core.commit import open_envelope
from referee.core.match import Match
from referee.core.rules import BadLog, Rules
from referee.core.verify import fold_log
from referee.service.errors import Unserved
from referee.service.taking.residents import Resident
from referee.store import CorruptLog, Entry, MatchStore

log = structlog.get_logger(__name__)

PAST_KEPT: Final = 8
"""States gone by that are kept a match, for those who step through it."""


class Shelf:
    """Reads matches from the store and folds them by the catalogue's rules."""

    def __init__(self, store: MatchStore, catalogue: Catalogue) -> None:
        self._store = store
        self._catalogue = catalogue

    async def catch_up(self, resident: Resident) -> bool:
        """Make a resident what the log holds now; whether that changed it.

        Afterwards its ``match`` is None where there is no such match. The caller has its lock.

        Raises:
            Unserved: the log cannot be read by this process.
            StoreAway: the store is away.
        """
        known = resident.match
        if known is None:
            await self._load(resident)
            return resident.match is not None
        entries = await self._read(resident.id, known.version - 1)
        if not entries or entries[0].data != resident.tail:
            log.warning("the log was rewritten", match=resident.id, version=known.version)
            await self._load(resident)
            return True
        if len(entries) == 1:
            return False
        await self._fold_tail(resident, known, entries[1:])
        return True

    async def _fold_tail(self, resident: Resident, known: Match, tail: list[Entry]) -> None:
        assert resident.rules is not None  # noqa: S101 - it has a match, and so its rules
        try:
            resident.match = fold_log(resident.rules, (entry.data for entry in tail), known)
            resident.tail = tail[-1].data
        except Exception:  # noqa: BLE001 - whatever the tail does not fit, the whole log will tell
            await self._load(resident)

    async def _load(self, resident: Resident) -> None:
        resident.forget()
        commits = [entry.data for entry in await self._read(resident.id, 0)]
        if commits:
            resident.rules = self._rules_of(resident.id, commits[0])
            resident.match = self._folded(resident.rules, resident.id, commits)
            resident.tail = commits[-1]

    async def past(self, resident: Resident, version: int) -> Match:
        """The resident's match as it stood after commit ``version``, 1 to its present one.

        Raises what `catch_up` raises.
        """
        present, rules = resident.match, resident.rules
        assert present is not None and rules is not None  # noqa: S101, PT018 - it is loaded
        if version == present.version:
            return present
        if resident.past is None:
            resident.past = OrderedDict()
        found = resident.past.get(version)
        if found is None:
            commits = await self.commits(resident.id, version)
            found = resident.past[version] = self._folded(rules, resident.id, commits)
            if len(resident.past) > PAST_KEPT:
                resident.past.popitem(last=False)
        return found

    async def commits(self, match_id: str, version: int) -> list[bytes]:
        """The bytes of the commits 1 to ``version``.

        Raises:
            Unserved: there are fewer, for the log was rewritten this moment, or it is corrupt.
        """
        return await self.commits_after(match_id, 0, version)

    async def commits_after(self, match_id: str, after: int, last: int) -> list[bytes]:
        """The bytes of the commits ``after`` + 1 to ``last``; raises what `commits` raises."""
        if after >= last:
            return []
        entries = await self._read(match_id, after, last - after)
        if len(entries) < last - after:
            raise Unserved(match_id, "The log has just lost commits; ask again.", retry_after=1)
        return [entry.data for entry in entries]

    async def commit(self, match_id: str, version: int) -> bytes:
        """The bytes of one commit; raises what `commits` raises."""
        entries = await self._read(match_id, version - 1, 1)
        if not entries:
            raise Unserved(match_id, "The log has just lost commits; ask again.", retry_after=1)
        return entries[0].data

    async def _read(self, match_id: str, after: int, limit: int | None = None) -> list[Entry]:
        try:
            return await self._store.read(match_id, after, limit)
        except CorruptLog as fault:
            raise unreadable(match_id, fault) from fault

    def _rules_of(self, match_id: str, first: bytes) -> Rules:
        ruleset = _ruleset_of(first)
        if ruleset is None:
            raise unreadable(match_id, BadLog("the first commit does not create a match"))
        try:
            return self._catalogue.rules(ruleset)
        except UnknownGame as unknown:
            log.warning("a match of rules that are unknown here", match=match_id, ruleset=ruleset)
            text = f"The match is played by {ruleset}, which this server does not know."
            raise Unserved(match_id, text) from unknown

    @staticmethod
    def _folded(rules: Rules, match_id: str, commits: list[bytes]) -> Match:
        try:
            match = fold_log(rules, commits)
        except Exception as fault:  # whatever it is, the log's facts cannot be folded
            raise unreadable(match_id, fault) from fault
        setting = match.setting
        if (setting.match, setting.ruleset) != (match_id, rules.game.ruleset):
            other = BadLog(f"this is the log of {setting.match} by {setting.ruleset}")
            raise unreadable(match_id, other)
        return match


def unreadable(match_id: str, fault: Exception) -> Unserved:
    """The answer where a log cannot be relied on; people are told of it in ours."""
    log.error("a log cannot be read", match=match_id, fault=str(fault), exc_info=fault)
    return Unserved(match_id, "The match's log cannot be read by this server.")


def _ruleset_of(first: bytes) -> str | None:
    """The ruleset that a match's first commit names, None where it is no such commit."""
    try:
        command: Any = msgspec.msgpack.decode(open_envelope(first).cmd)
    except (msgspec.DecodeError, RecursionError):
        return None
    ruleset = command.get("ruleset") if isinstance(command, dict) else None
    return ruleset if isinstance(ruleset, str) else None
