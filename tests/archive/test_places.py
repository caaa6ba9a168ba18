"""Where an archive's files are: whole files, for good, and nothing newer lost."""

import os
import resource
from collections.abc import Callable
from pathlib import Path

import pytest

from referee.archive import places
from referee.archive.places import (
    ArchiveAway,
    BadArchive,
    Changed,
    Folder,
    Kept,
    Place,
    open_place,
)
from tests.archive.objects import BUCKET, Objects


@pytest.fixture
def folder(tmp_path: Path) -> Folder:
    """A folder that is not there yet."""
    return Folder(tmp_path / "archive")


@pytest.fixture(params=["folder", pytest.param("objects", marks=pytest.mark.archive)])
def place(request: pytest.FixtureRequest, tmp_path: Path) -> Place:
    """A place of each kind, with nothing in it yet."""
    if request.param == "folder":
        return open_place(str(tmp_path / "archive"))
    request.getfixturevalue("objects")
    return open_place(f"s3://{BUCKET}/{tmp_path.name}/of-tests")


def read(place: Place, key: str) -> Kept:
    """What a file holds, which is there."""
    kept = place.get(key)
    assert kept is not None
    return kept


def test_a_file_is_written_only_over_what_was_seen_there(place: Place) -> None:
    """Of two that have seen the same one comes too late, and nothing is lost by it."""
    assert place.get("a/b") is None
    place.put("a/b", b"1", None)
    seen = read(place, "a/b")
    place.put("a/b", b"2", seen)
    for stale in (None, seen):
        with pytest.raises(Changed):
            place.put("a/b", b"3", stale)
    assert read(place, "a/b").data == b"2"


def test_a_disk_that_is_full_keeps_nothing_that_is_not_whole(
    folder: Folder, tmp_path: Path
) -> None:
    """Neither under the file's name nor beside it; what stood there stands."""
    folder.put("a/b", b"1", None)
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (1_000, hard))
    try:
        with pytest.raises(ArchiveAway, match="cannot be used"):
            folder.put("a/b", bytes(2_000), read(folder, "a/b"))
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
    assert read(folder, "a/b").data == b"1"
    assert [file.name for file in (tmp_path / "archive" / "a").iterdir()] == ["b"]


def test_a_file_and_every_folder_on_the_way_are_synced(
    folder: Folder, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """The file before it has its name, and then the folder in which the name stands."""
    synced: list[Path] = []
    fsync = os.fsync

    def noted(opened: int) -> None:
        synced.append(Path(f"/proc/self/fd/{opened}").readlink())
        fsync(opened)

    monkeypatch.setattr(os, "fsync", noted)
    folder.put("a/b/c", b"1", None)
    root = tmp_path / "archive"
    assert synced[:3] == [tmp_path, root, root / "a"]
    assert synced[3:] == [root / "a/b/c.part", root / "a/b"]


def test_what_was_never_finished_is_no_file(folder: Folder, tmp_path: Path) -> None:
    """A part that a killed process left is listed nowhere, and is written over."""
    folder.put("a/b", b"1", None)
    part = tmp_path / "archive/a/c.part"
    part.write_bytes(b"half")
    assert list(folder.names("a")) == ["b"]
    assert folder.get("a/c") is None
    folder.put("a/c", b"whole", None)
    assert not part.exists()
    assert list(folder.names("a")) == ["b", "c"]


def test_names_come_in_order_from_where_one_asks(place: Place) -> None:
    """Behind a name, which need not be there; no folders among them."""
    for name in ("3", "1", "20", "2", "x/y"):
        place.put(f"a/{name}", b"", None)
    assert list(place.names("a")) == ["1", "2", "20", "3"]
    assert list(place.names("a", "2")) == ["20", "3"]
    assert list(place.names("a", "21")) == ["3"]
    assert list(place.names("nowhere")) == []
    assert place.folders("a") == ["x"]
    assert place.folders("nowhere") == []


def test_keys_that_are_percent_encoded_stay_so(place: Place) -> None:
    """What is written is listed, and read, under the very same name."""
    place.put("index/%2E%2E/1-%2F.json", b"1", None)
    assert place.folders("index") == ["%2E%2E"]
    assert list(place.names("index/%2E%2E")) == ["1-%2F.json"]
    assert read(place, "index/%2E%2E/1-%2F.json").data == b"1"


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


@pytest.mark.parametrize("make", [os.mkfifo, os.mkdir])
def test_what_is_no_file_is_not_waited_for(make: Callable[[Path], None], tmp_path: Path) -> None:
    """Of a pipe nothing ever comes; it and a folder are not taken for a missing file either."""
    (tmp_path / "matches").mkdir()
    make(tmp_path / "matches/a")
    with pytest.raises(ArchiveAway, match="cannot be used"):
        Folder(tmp_path).get("matches/a")


@pytest.mark.archive
def test_an_object_store_that_does_not_answer_is_away(
    objects: Objects, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It says so in time, and does not say that there is nothing."""
    monkeypatch.setattr(places, "_CLIENT", {"connect_timeout": "1s", "timeout": "1s"})
    monkeypatch.setattr(places, "_RETRIES", {"max_retries": 0})
    place = open_place(f"s3://{BUCKET}/still")
    place.put("a", b"1", None)
    with objects.standing_still(), pytest.raises(ArchiveAway, match="cannot be used") as away:
        place.get("a")
    assert "\n" not in str(away.value)
    assert read(place, "a").data == b"1"


@pytest.mark.archive
@pytest.mark.parametrize("url", ["az://container/path", "ftp://host/path"])
def test_a_place_that_cannot_be_opened_says_why(url: str) -> None:
    """At once, and in one line."""
    with pytest.raises(BadArchive) as bad:
        open_place(url)
    assert str(bad.value)
    assert "\n" not in str(bad.value)
