"""The archive: where matches go that are over, and a store that falls through to it."""

from referee.archive.archive import Archive, Row, open_archive
from referee.archive.places import ArchiveAway, BadArchive, Changed, Kept
from referee.archive.store import ArchivedStore, open_archived_store
from referee.archive.turns import STRANGER, TooManyLookups

__all__ = [
    "STRANGER",
    "Archive",
    "ArchiveAway",
    "ArchivedStore",
    "BadArchive",
    "Changed",
    "Kept",
    "Row",
    "TooManyLookups",
    "open_archive",
    "open_archived_store",
]
