"""Questions to the servers, and scripts that do no harm when they run twice."""

from typing import Any, Final

from referee.store.connection.faults import ErrorReply, TooFewReplicas
from referee.store.connection.pipeline import pack
from referee.store.connection.servers import Router
from referee.store.log import CorruptLog, StoreAway
from referee.store.scripts import Script, log_key

Part = str | int | bytes
"""One part of a command."""
NEWEST: Final = ("+", "-", "COUNT", 1)
"""What XREVRANGE is told to give a log's last entry."""


async def ask(router: Router, match: str, key: str, *command: Part) -> Any:
    """A question about a match's key (no match: another key); once more where its answer was lost.

    Raises:
        StoreAway: it was not answered.
        CorruptLog: what stands there is no log's.
    """
    packed = pack(command)
    try:
        return await router.submit(key, packed)
    except ErrorReply as refused:
        raise meaning(match, refused) from None
    except StoreAway as away:
        if not away.outcome_unknown:
            raise
    try:
        return await router.submit(key, packed)
    except StoreAway as away:
        raise StoreAway(str(away)) from None


async def run(router: Router, script: Script, keys: tuple[str, ...], *args: Part) -> Any:
    """Run a script that does no harm when it runs twice; the first key says where."""
    rest = (len(keys), *keys, *args)
    try:
        return await router.submit(keys[0], pack((b"EVALSHA", script.digest, *rest)))
    except StoreAway as away:
        if not (away.outcome_unknown or unscripted(away)) or isinstance(away, TooFewReplicas):
            raise
    return await router.submit(keys[0], pack((b"EVAL", script.source, *rest)))


def unscripted(fault: BaseException) -> bool:
    """Whether the server does not know the script: nothing was run."""
    return isinstance(fault, ErrorReply) and fault.code == "NOSCRIPT"


def meaning(match: str, refused: ErrorReply) -> StoreAway | CorruptLog:
    """What an error reply says about a match's own keys (no match: about no match's)."""
    if not match:
        return refused
    if refused.code == "WRONGTYPE":
        return CorruptLog(match, log_key(match), "another kind of value stands there")
    if "equal or smaller than the target stream" in refused.reply:
        return CorruptLog(match, log_key(match), "entries were taken off its end")
    return refused


def version_of(match: str, entry_id: bytes) -> int:
    """The version that an entry's id `<version>-0` says.

    Raises:
        CorruptLog: it is an id of another form.
    """
    version, dash, sequence = entry_id.partition(b"-")
    if dash and sequence == b"0" and version.isdigit():
        return int(version)
    raise CorruptLog(match, entry_id.decode(errors="replace"), "not an id of a commit")
