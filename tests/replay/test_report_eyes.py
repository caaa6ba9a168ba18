"""`replay report` for whose eyes it is: an organizer's page shows all of them, a seat's its own."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.replay.conftest import Keep, Run
from tests.replay.logs import START, Record, table
from tests.replay.test_report import boards, shown, spliced


@pytest.fixture(scope="module")
def begun() -> Record:
    """A match of two in which cards lie face down: 12 commits."""
    return table(names=("Ann", "Bob")).play(11).record()


@pytest.fixture
def page(run: Run, tmp_path: Path) -> Any:
    """Writes a page, and gives its text."""

    def page(path: Path, viewer: str = "organizer") -> str:
        target = tmp_path / "report.html"
        run("report", path, "-o", target, "--viewer", viewer)
        return target.read_text("utf-8")

    return page


def test_the_organizer_can_look_on_as_anybody(keep: Keep, page: Any, begun: Record) -> None:
    """Every board, its words and what is told are those that the viewer's own page has."""
    path = keep(begun.file())
    organizers = page(path)
    assert 'id="viewer"' in organizers
    assert shown(organizers)["viewers"] == ["organizer", "seat 0", "seat 1", "spectator"]
    for number, viewer in enumerate(("0", "1", "spectator"), 1):
        own = page(path, viewer)
        for drawings in ("boards", "words"):
            assert boards(organizers, drawings, number) == boards(own, drawings)
        assert boards(organizers, "boards", number) != boards(organizers)


@pytest.mark.parametrize("viewer", ["0", "spectator"])
def test_nobody_else_can(keep: Keep, page: Any, begun: Record, viewer: str) -> None:
    """A seat's page holds no other viewer's board, nor a switch to one."""
    text = page(keep(begun.file()), viewer)
    assert 'id="viewer"' not in text
    assert len(shown(text)["viewers"]) == 1
    assert {len(step) for step in shown(text)["boards"]["steps"]} == {1}
    assert {len(step[4]) for step in shown(text)["steps"]} == {0}


def test_each_commit_rests_on_what_explain_says(
    run: Run, keep: Keep, page: Any, begun: Record
) -> None:
    """The rulings of the game beside a step are those of `explain`, in its order."""
    path = keep(begun.file())
    held = shown(page(path))
    for version in (2, 7, 12):
        told = run("explain", path, "--at", version, "--json").json
        judged = [one["ruling"] for one in told["judged"]]
        own = [one["id"] for one in judged if one["origin"] != "table"]
        own += [one["id"] for one in told["explains"]]
        numbers, of_table, *_ = held["steps"][version - 1]
        assert [held["rulings"][number][0] for number in numbers] == own
        assert of_table == len(judged) + len(told["explains"]) - len(own)


def test_what_was_refused_is_shown_to_whom_it_was(keep: Keep, page: Any, begun: Record) -> None:
    """Beside the commit after which it was: to the organizer, and to the seat that sent it."""
    path = keep(begun.file())
    refused = {"at": START, "by": "seat:1", "seat": 1, "version": 7}
    refused |= {"command": {"type": "choose_card", "card": 9}, "ruling": "card-in-hand"}
    line = json.dumps({**refused, "detail": "The card 9 is not in <the> hand."})
    path.with_suffix(".refusals.jsonl").write_text(f"{line}\n")
    said = (
        "seat 1 (Bob): choose card, card 9. The card 9 is not in &lt;the&gt; hand. (card-in-hand)"
    )
    for viewer, sees in (("organizer", True), ("1", True), ("0", False), ("spectator", False)):
        text = page(path, viewer)
        assert (said in text) == sees
        assert ("card 9" in text) == sees
    entry = page(path).partition('<li id="7"')[2].partition("<li")[0]
    assert said in entry


def due(held: Any, version: int) -> str:
    """The board that stands beside that of the commit at fault."""
    drawn: list[int] = []
    for splices in [*(step[0] for step in held["boards"]["steps"][:version]), held["due"][0]]:
        drawn = spliced(drawn, splices)
    return "".join(held["boards"]["pieces"][piece] for piece in drawn)


def test_at_the_fault_stands_the_board_that_the_rules_expect(
    keep: Keep, page: Any, played: Record
) -> None:
    """Beside the one of the log: what makes it of that is in the page, for a false event."""
    ends = ((version, played.opened(version)["ev"][-1]) for version in range(2, 52))
    version = next(v for v, event in ends if event.get("outcome") == "moved")
    forged = played.forged(version, lambda commit: commit["ev"][-1].update(to=33))
    text = page(keep(forged.file()))
    held = shown(text)
    true, false = boards(page(keep(played.file()))), boards(text)
    assert false[version - 1] != true[version - 1]
    assert held["due"] is not None
    assert due(held, version) == true[version - 1]


def test_a_command_that_is_refused_leaves_the_board_as_it_was(
    keep: Keep, page: Any, played: Record
) -> None:
    """What is expected beside an unlawful command is the board before it."""
    forged = played.forged(20, lambda commit: commit["cmd"].update(card=99))
    text = page(keep(forged.file()))
    held = shown(text)
    assert due(held, 20) == boards(text)[18]
    assert shown(page(keep(played.file())))["due"] is None
