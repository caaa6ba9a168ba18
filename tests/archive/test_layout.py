"""Where an archive has what of a match."""

import pytest

from referee.archive.archive import folder_of, match_key, refusals_key, row_key


def test_a_matchs_files_are_named_by_its_id() -> None:
    """The match file, what was refused beside it, and a row below its tournament."""
    assert match_key("m-1") == "matches/m-1.match"
    assert refusals_key("m-1") == "matches/m-1.refusals.jsonl"
    assert row_key("m-1", 1_700_000_000_000, None) == "index/-/998300000000000-m-1.json"
    assert row_key("m", 1, "Spring Cup") == "index/Spring%20Cup/999999999999999-m.json"


@pytest.mark.parametrize("match", ["", "..", "a/b", "a.b", "a" * 65, "m\n", "é"])
def test_nothing_but_a_matchs_id_names_a_file(match: str) -> None:
    """No id leads out of the archive's folder."""
    with pytest.raises(ValueError, match="no match's id"):
        match_key(match)


@pytest.mark.parametrize("name", ["-", ".", "..", "...", "a/b", "../x", "%2D", " ", "Ü", "🂡" * 100])
def test_a_tournaments_folder_is_one_folder_and_no_other_tournaments(name: str) -> None:
    """Whatever its name is; `-` is that of matches without one."""
    folder = folder_of(name)
    assert "/" not in folder
    assert folder.strip(".") not in {"", "-"}
    assert len(folder) <= 200
    assert folder.isascii()


def test_long_names_that_begin_alike_have_folders_of_their_own() -> None:
    """What does not fit into a folder's name is told by a digest."""
    assert folder_of("🂡" * 99 + "a") != folder_of("🂡" * 99 + "b")


def test_later_rows_come_first() -> None:
    """As their names are sorted, from the first millisecond to far away."""
    times = [0, 1, 999, 10**6, 1_700_000_000_000, 1_700_000_000_001, 9 * 10**14]
    keys = [row_key("m", at, None) for at in times]
    assert sorted(set(keys), reverse=True) == [*dict.fromkeys(keys)]
