"""An archive's folder: whole files, for good, and nothing newer lost."""

import os
from pathlib import Path

import pytest

from referee.archive.places import ArchiveAway, Changed, Folder, Kept


@pytest.fixture
def place(tmp_path: Path) -> Folder:
    """A folder that is not there yet."""
    return Folder(tmp_path / "archive")


def read(place: Folder, key: str) -> Kept:
    """What a file holds, which is there."""
    kept = place.get(key)
    assert kept is not None
    return kept


def test_a_file_is_written_only_over_what_was_seen_there(place: Folder) -> None:
    """Of two that have seen the same one comes too late, and nothing is lost by it."""
    assert place.get("a/b") is None
    place.put("a/b", b"1", None)
    seen = read(place, "a/b")
    place.put("a/b", b"2", seen)
    for stale in (None, seen):
        with pytest.raises(Changed):
            place.put("a/b", b"3", stale)
    assert read(place, "a/b").data == b"2"


def test_a_file_and_every_folder_on_the_way_are_synced(
    place: Folder, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """The file before it has its name, and then the folder in which the name stands."""
    synced: list[Path] = []
    fsync = os.fsync

    def noted(opened: int) -> None:
        synced.append(Path(f"/proc/self/fd/{opened}").readlink())
        fsync(opened)

    monkeypatch.setattr(os, "fsync", noted)
    place.put("a/b/c", b"1", None)
    root = tmp_path / "archive"
    assert synced[:3] == [tmp_path, root, root / "a"]
    assert synced[3:] == [root / "a/b/c.part", root / "a/b"]


def test_what_was_never_finished_is_no_file(place: Folder, tmp_path: Path) -> None:
    """A part that a killed process left is listed nowhere, and is written over."""
    place.put("a/b", b"1", None)
    part = tmp_path / "archive/a/c.part"
    part.write_bytes(b"half")
    assert list(place.names("a")) == ["b"]
    assert place.get("a/c") is None
    place.put("a/c", b"whole", None)
    assert not part.exists()
    assert list(place.names("a")) == ["b", "c"]


def test_names_come_in_order_from_where_one_asks(place: Folder) -> None:
    """Behind a name, which need not be there; no folders among them."""
    for name in ("3", "1", "20", "2", "x/y"):
        place.put(f"a/{name}", b"", None)
    assert list(place.names("a")) == ["1", "2", "20", "3"]
    assert list(place.names("a", "2")) == ["20", "3"]
    assert list(place.names("a", "21")) == ["3"]
    assert list(place.names("nowhere")) == []
    assert place.folders("a") == ["x"]
    assert place.folders("nowhere") == []


def test_a_folder_that_cannot_be_used_is_away(tmp_path: Path) -> None:
    """It says so, and does not say that there is nothing."""
    (tmp_path / "file").write_text("no folder")
    place = Folder(tmp_path / "file")
    for ask in (
        lambda: place.get("matches/a"),
        lambda: place.put("matches/a", b"", None),
        lambda: list(place.names("matches")),
        lambda: place.folders("index"),
    ):
        with pytest.raises(ArchiveAway, match="cannot be used"):
            ask()
