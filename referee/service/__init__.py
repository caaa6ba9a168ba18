"""Taking commands and answering questions about matches. Knows no HTTP and no Redis."""

from referee.service.asking.bodies import Body
from referee.service.asking.requests import Bearer, CommandRates
from referee.service.following import Following
from referee.service.minding import mind
from referee.service.receipts import Signer
from referee.service.service import Service
from referee.service.timing.timer import Timer

# What befalls the store passes through the service as it is.
from referee.store import CorruptLog, Primary, StoreAway

__all__ = [
    "Bearer",
    "Body",
    "CommandRates",
    "CorruptLog",
    "Following",
    "Primary",
    "Service",
    "Signer",
    "StoreAway",
    "Timer",
    "mind",
]
