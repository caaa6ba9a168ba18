"""The archive: where matches go that are over, and a store that falls through to it."""

from referee.archive.archive import Archive, Row, open_archive
from referee.archive.places import ArchiveAway, BadArchive, Changed, Kept
from referee.archive.store import ArchivedStore, open_archived_store

__all__ = [
    "Archive",
    "ArchiveAway",
    "ArchivedStore",
    "BadArchive",
    "Changed",
    "Kept",
    "Row",
    "open_archive",
    "open_archived_store",
]
