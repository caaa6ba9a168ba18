"""The log: one protocol, Redis Streams behind it, the embedded server, the live feed."""

from referee.core.table.commands import Outage
from referee.store.log import (
    Conflict,
    CorruptLog,
    Cursor,
    Due,
    Entry,
    Listed,
    MatchStore,
    Rewritten,
    StoreAway,
    StoreError,
    Subscription,
    TooSlow,
    WrongTime,
)
from referee.store.streams import RedisStore, open_store

__all__ = [
    "Conflict",
    "CorruptLog",
    "Cursor",
    "Due",
    "Entry",
    "Listed",
    "MatchStore",
    "Outage",
    "RedisStore",
    "Rewritten",
    "StoreAway",
    "StoreError",
    "Subscription",
    "TooSlow",
    "WrongTime",
    "open_store",
]
