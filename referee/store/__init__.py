"""The log: one protocol, Redis Streams behind it, the embedded server, the live feed."""

from referee.core.table.commands import Outage
from referee.store.log import (
    Conflict,
    CorruptLog,
    Cursor,
    Due,
    Entry,
    Finding,
    InLists,
    Listed,
    Listing,
    MatchStore,
    Primary,
    Rewritten,
    StoreAway,
    StoreError,
    Subscription,
    TooSlow,
    WrongTime,
)
from referee.store.moving import Interfered, MovingStore
from referee.store.streams import RedisStore, examined, open_store

__all__ = [
    "Conflict",
    "CorruptLog",
    "Cursor",
    "Due",
    "Entry",
    "Finding",
    "InLists",
    "Interfered",
    "Listed",
    "Listing",
    "MatchStore",
    "MovingStore",
    "Outage",
    "Primary",
    "RedisStore",
    "Rewritten",
    "StoreAway",
    "StoreError",
    "Subscription",
    "TooSlow",
    "WrongTime",
    "examined",
    "open_store",
]
