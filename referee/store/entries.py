"""From a stream's entries, as the server gives them, to the log's; nothing foreign gets through."""

from typing import Any, Final

from referee.store.log import CorruptLog, Entry

FIELD: Final = b"c"
"""The one field of an entry: the commit's bytes."""


def version_of(match: str, entry_id: bytes) -> int:
    """The version that an entry's id `<version>-0` says.

    Raises:
        CorruptLog: it is an id of another form.
    """
    version, dash, sequence = entry_id.partition(b"-")
    if dash and sequence == b"0" and version.isdigit():
        return int(version)
    raise CorruptLog(match, entry_id.decode(errors="replace"), "not an id of a commit")


def parse_entries(match: str, after: int, reply: Any) -> list[Entry]:
    """The entries of an XRANGE that started right after version `after`.

    Raises:
        CorruptLog: a gap, a foreign id, or an entry that is not one field `c`.
    """
    entries: list[Entry] = []
    for version, (entry_id, fields) in enumerate(reply, after + 1):
        if entry_id != b"%d-0" % version:
            place = entry_id.decode(errors="replace")
            raise CorruptLog(match, place, f"{version}-0 should stand here")
        if len(fields) != 2 or fields[0] != FIELD:  # noqa: PLR2004 - a name and a value
            raise CorruptLog(match, f"{version}-0", "not exactly one field c")
        entries.append(Entry(version, fields[1]))
    return entries
