"""The side record of refused commands: for arbiters, beside the log and without weight."""

import asyncio
from typing import Final

import msgspec
import structlog

from referee.core.commit import decoded
from referee.service.answers import RefusedCommand
from referee.service.asking.requests import SentCommand
from referee.service.errors import Refused
from referee.service.logs import unreadable
from referee.store import MatchStore, StoreError

log = structlog.get_logger(__name__)

NOTES: Final = 256
"""Refusals on their way into the side record at once; more are not noted."""
_RECORDS: Final = msgspec.msgpack.Decoder(RefusedCommand)


class RefusalNotes:
    """Notes refused commands beside a match's log, and reads them back."""

    def __init__(self, store: MatchStore) -> None:
        self._store = store
        self._notes: set[asyncio.Task[None]] = set()

    def note(self, refused: Refused, sent: SentCommand, at: int) -> None:
        """Note a refusal at `at`, Unix ms, without anybody waiting for it."""
        if len(self._notes) >= NOTES:
            log.warning("a refusal was not noted: too many at once", match=refused.match)
            return
        record = RefusedCommand(
            at=at,
            by=_by(sent),
            seat=_seat(sent),
            version=refused.version,
            command=sent.command,
            ruling=refused.ruling,
            detail=str(refused),
        )
        task = asyncio.ensure_future(self._write(refused.match, _whose(sent), record))
        self._notes.add(task)
        task.add_done_callback(self._notes.discard)

    async def _write(self, match: str, whose: str, record: RefusedCommand) -> None:
        try:
            await self._store.note_refusal(match, whose, record.packed())
        except StoreError as fault:
            log.warning("a refusal was not noted", match=match, fault=str(fault))

    async def of(self, match: str) -> list[RefusedCommand]:
        """The refused commands of a match, the newest last (the last 50 of each who sent some).

        Raises:
            Unserved: what stands there is no such record.
            StoreAway: the store is away.
        """
        records = await self._store.refusals(match)
        try:
            return [decoded(_RECORDS, data) for data in records]
        except msgspec.DecodeError as fault:
            raise unreadable(match, fault) from fault

    async def settle(self) -> None:
        """Wait for the notes that are on their way."""
        if self._notes:
            await asyncio.wait(self._notes, timeout=5)


def _by(sent: SentCommand) -> str:
    """Who sent it, as a commit would say: `organizer:NAME/seat:2`."""
    acts_for = sent.bearer and sent.bearer.seat is None and sent.seat is not None
    return f"{sent.bearer}/seat:{sent.seat}" if acts_for else str(sent.bearer)


def _whose(sent: SentCommand) -> str:
    """Among whose refusals it is counted: the sending seat's, or all organizers'."""
    seat = sent.bearer.seat if sent.bearer else None
    return "organizers" if seat is None else str(seat)


def _seat(sent: SentCommand) -> int | None:
    """The seat whose command it is, as far as its sender says."""
    own = sent.bearer.seat if sent.bearer else None
    return own if sent.seat is None else sent.seat
