"""What the server's error replies mean to us."""

import os
import re
import socket
import ssl
from typing import Final

from redis.asyncio.sentinel import MasterNotFoundError
from redis.exceptions import AuthenticationError, InvalidResponse

from referee.store.log import StoreAway

# Of an error raised inside a script, Redis 6.2 keeps the code only in the middle of the text.
_MEANINGS: Final = {
    "READONLY": "it is a replica, which takes no writes",
    "LOADING": "it is still loading its data",
    "MASTERDOWN": "it is a replica that has lost its primary",
    "OOM": "it is out of memory",
    "MISCONF": "it cannot save its data, and so takes no writes",
    "NOREPLICAS": "it has too few replicas, and so takes no writes",
    "CLUSTERDOWN": "the cluster is down",
    "TRYAGAIN": "the cluster is moving this match",
    "NOAUTH": "it wants a user name and password",
    "WRONGPASS": "it does not take our user name and password",
    "NOPERM": "our user may not do this",
    "UNBLOCKED": "it stopped being the primary while we waited",
    "BUSY": "it is busy running somebody's script",
}
_CODE: Final = re.compile(r"\b(?:WRONGTYPE|" + "|".join(_MEANINGS) + r")\b")


# Of a right that a script lacks, in the words of Redis from 7 on and of 6.2.
_NO_RIGHT: Final = re.compile("ACL failure in script|user executing the script can't")


class ErrorReply(StoreAway):
    """The server answered with an error: the command was not carried out.

    `code` is the reply's first word, or one of those that we know, wherever it stands.
    """

    def __init__(self, reply: Exception) -> None:
        self.reply = str(reply)
        known = _CODE.search(self.reply)
        self.code = known.group() if known else self.reply.partition(" ")[0]
        if _NO_RIGHT.search(self.reply):
            self.code = "NOPERM"
        meaning = _MEANINGS.get(self.code)
        super().__init__(
            f"the store's server refuses: {meaning} ({self.reply})"
            if meaning
            else f"the store's server answered with an error: {self.reply}"
        )

    @property
    def unable(self) -> bool:
        """Whether the server cannot do it now, whoever asks."""
        return self.code in _MEANINGS and self.code not in {"NOPERM", "NOAUTH", "WRONGPASS"}

    @property
    def stale(self) -> bool:
        """Whether this connection leads to a server that is not the primary (any more)."""
        return self.code in {"READONLY", "MASTERDOWN", "UNBLOCKED"}


class TooFewReplicas(StoreAway):
    """A command was carried out, but not enough replicas said in time that they have it."""

    def __init__(self, have: int, need: int, reply: object) -> None:
        super().__init__(
            f"{have} of {need} replicas have it so far: it may still be lost",
            outcome_unknown=True,
        )
        self.reply = reply


def unreachable(error: BaseException) -> StoreAway:
    """What a failed attempt to connect means; the command was never sent."""
    if isinstance(error, AuthenticationError):
        return StoreAway(f"the store's server does not let us in: {error}")
    return StoreAway(f"the store's server cannot be reached: {_why(error)}")


_IN_WORDS: Final = (
    (MasterNotFoundError, "no sentinel that answers knows the primary {}"),
    (InvalidResponse, "what answers there is no Redis"),
)


def _why(error: BaseException) -> str:
    """What the system says of it, where a library has only put its own words around that."""
    fault: BaseException | None = error
    while fault is not None and not isinstance(fault, OSError):
        fault = fault.__cause__ or fault.__context__
    known = next((text.format(error) for kind, text in _IN_WORDS if isinstance(error, kind)), None)
    return known or (_of_system(fault) if fault else None) or str(error) or "it took too long"


def _of_system(fault: OSError) -> str | None:
    """The same of an address that is not reached: its many texts have one number."""
    if isinstance(fault, ssl.SSLCertVerificationError):
        return f"its certificate does not hold: {fault.verify_message}"
    if isinstance(fault, ssl.SSLError):
        return f"TLS does not come about: {(fault.reason or 'it ends').replace('_', ' ').lower()}"
    if isinstance(fault, TimeoutError):
        return "it took too long"
    is_named = isinstance(fault, socket.gaierror)
    return fault.strerror if is_named or fault.errno is None else os.strerror(fault.errno)


def lost(reason: str) -> StoreAway:
    """An answer that will not come: the command may have been carried out."""
    return StoreAway(f"the store's server did not answer: {reason}", outcome_unknown=True)
