"""Answers that somebody has kept, held against a log: what was said, and what stands there."""

from collections.abc import Iterable, Iterator, Sequence
from io import BytesIO
from pathlib import Path
from typing import Annotated, Any

import msgpack  # type: ignore[import-untyped]
import msgspec
from msgspec import Struct

from referee.core.audit import signed
from referee.core.commit import each_head, receipt_text
from replay.exits import Unusable
from replay.judging.examine import Examined
from replay.sources.files import read_whole


class Answer(Struct, frozen=True):
    """What is read of an answer to a command: the commit that it became, and its receipt."""

    match: str
    version: int
    head: Annotated[str, msgspec.Meta(pattern="^[0-9a-f]{64}$")]
    receipt: str | None = None


class _Frame(Struct, frozen=True):
    """An answer as it came on a socket."""

    ok: Answer


class Held(Struct, frozen=True):
    """An answer held against a log.

    `signed_by` is the trusted key that signed its receipt; `found` the version whose head it
    names, None where the log has no such head; `by` who sent that commit; `good` says
    that the log is as the answer says, and that somebody vouches for the answer where keys are
    trusted.
    """

    match: str
    version: int
    head: str
    signed_by: str | None
    found: int | None
    by: str | None
    good: bool


def read_answers(path: Path) -> list[Answer]:
    """The answers in a file: one or many, as JSON, JSON Lines or MessagePack.

    Raises:
        Unusable: it cannot be read, or holds none.
    """
    try:
        answers = [_answer(value) for value in _values(read_whole(path))]
    except (ValueError, RecursionError) as error:
        raise Unusable(
            "no answers to commands: neither JSON nor MessagePack of them", str(path)
        ) from error
    if not answers:
        raise Unusable("no answers to commands", str(path))
    return answers


def _values(data: bytes) -> Iterator[Any]:
    """The values that a file holds, those of a list one by one."""
    for value in _documents(data):
        yield from value if isinstance(value, list) else [value]


def _documents(data: bytes) -> Iterable[Any]:
    text = data.lstrip(b"\xef\xbb\xbf \t\r\n")
    if text[:1] not in (b"{", b"["):
        return list(msgpack.Unpacker(BytesIO(data)))
    try:
        return [msgspec.json.decode(text)]
    except msgspec.DecodeError:
        return msgspec.json.Decoder().decode_lines(text)


def _answer(value: Any) -> Answer:
    if isinstance(value, dict) and "ok" in value:
        return msgspec.convert(value, _Frame).ok
    return msgspec.convert(value, Answer)


class Kept(Struct, frozen=True):
    """Answers that somebody has kept, and the keys that are trusted to have signed them."""

    answers: list[Answer]
    keys: tuple[str, ...]

    def of_others(self, match: str) -> int:
        """How many are of other matches."""
        return sum(answer.match != match for answer in self.answers)

    def against(self, log: Examined) -> list[Held]:
        """Hold the answers against the log of their match; those of others are left out.

        Raises:
            Unusable: there is none of this match.
        """
        versions = {head.hex(): version for version, head in enumerate(each_head(log.heads), 1)}
        of_it = (answer for answer in self.answers if answer.match == log.match)
        held = [self._held(answer, versions.get(answer.head), log.senders) for answer in of_it]
        if not held:
            raise Unusable(f"no answer is of match {log.match}", log.source)
        return held

    def _held(self, answer: Answer, found: int | None, senders: Sequence[str]) -> Held:
        match, version, head = answer.match, answer.version, answer.head
        text, receipt = receipt_text(match, version, head), answer.receipt or ""
        signed_by = next((key for key in self.keys if signed(key, receipt, text)), None)
        good = found == version and (signed_by is not None or not self.keys)
        by = senders[found - 1] if found and found <= len(senders) else None
        return Held(match, version, head, signed_by, found, by, good)
