"""`replay verify --as`: what another version of the rules would have made of a log."""

from __future__ import annotations

import dataclasses
from typing import Any

import msgspec
import pytest

from referee.core.game import Outcome
from referee.core.table.commands import TakeBack
from referee.games.giro_galoppo import rules as first_version
from referee.games.giro_galoppo import types
from tests.replay.conftest import Keep, Run
from tests.replay.logs import Record, table
from tests.replay.rulesets import ORIGINAL, install, second_version, with_ruling


def test_finds_no_difference_where_there_is_none(
    run: Run, keep: Keep, played: Record, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A version that rules alike yields the same, though every head would be another."""
    install(monkeypatch, second_version())
    ran = run("verify", keep(played.file()), "--as", "giro-galoppo/2")
    assert (ran.status, "under giro-galoppo/2 every commit comes out the same" in ran.out) == (
        0,
        True,
    )
    other = run("verify", keep(played.file()), "--as", "giro-galoppo/2", "--json").json
    assert other["logs"][0]["as"] == {"ruleset": "giro-galoppo/2", "differs": None}
    assert run("verify", keep(played.file()), "--as", "giro-galoppo/1").status == 0


def test_finds_the_first_command_that_would_be_refused(
    run: Run, keep: Keep, played: Record, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A ruling more: the first commit that it would refuse is named with the ruling."""
    version = next(n for n in range(1, 51) if played.opened(n)["cmd"].get("card") == 4)

    def no_fours(_state: Any, _by: Any, command: Any) -> str | None:
        return "Four is not played." if command.card == 4 else None

    install(monkeypatch, second_version(**with_ruling("choose_card", no_fours)))
    path = keep(played.file())
    ran = run("verify", path, "--as", "giro-galoppo/2", "--json")
    log = ran.json["logs"][0]
    assert (ran.status, log["verdict"], log["proven"]) == (1, "not signed", version - 1)
    differs = log["as"]["differs"]
    assert (differs["version"], differs["kind"]) == (version, "illegal")
    assert (differs["ruling"]["id"], differs["found"]["card"]) == ("unheard-of", 4)
    assert "this would come out differently" in run("verify", path, "--as", "giro-galoppo/2").out
    assert run("verify", path).status == 0


def test_finds_the_first_event_that_would_be_another(
    run: Run, keep: Keep, played: Record, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Where the same command would bring something else, both events are told."""
    place = ORIGINAL.commands[0]

    def beside(at: Any, command: Any) -> Any:
        return first_version.place_obstacle(at, types.PlaceObstacle(command.space + 1))

    commands = (dataclasses.replace(place, decide=beside), *ORIGINAL.commands[1:])
    install(monkeypatch, second_version(commands=commands))
    ran = run("verify", keep(played.file()), "--as", "giro-galoppo/2", "--json")
    differs = ran.json["logs"][0]["as"]["differs"]
    assert (ran.status, differs["version"], differs["kind"], differs["index"]) == (1, 2, "event", 0)
    assert differs["expected"]["space"] == differs["found"]["space"] + 1


def test_finds_a_match_that_would_have_ended_otherwise(
    run: Run, keep: Keep, played: Record, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Another ranking is told as a ranking."""

    def upside_down(state: Any) -> Outcome | None:
        outcome = first_version.outcome(state)
        if outcome is None:
            return None
        ranking = tuple(
            msgspec.structs.replace(row, score=-1 if row.score is None else -row.score)
            for row in outcome.ranking
        )
        return msgspec.structs.replace(outcome, ranking=ranking)

    install(monkeypatch, second_version(outcome=upside_down))
    ran = run("verify", keep(played.file()), "--as", "giro-galoppo/2", "--json")
    differs = ran.json["logs"][0]["as"]["differs"]
    assert (ran.status, differs["kind"], differs["version"]) == (1, "ranking", len(played.commits))


def test_still_checks_the_chain_and_the_header(
    run: Run, keep: Keep, played: Record, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Another ruleset judges only what the log truly holds."""
    install(monkeypatch, second_version())
    broken = played.having(played.commits[:10] + played.commits[11:])
    ran = run("verify", keep(broken.file(count=99)), "--as", "giro-galoppo/2", "--json")
    kinds = [dispute["kind"] for dispute in ran.json["logs"][0]["disputes"]]
    assert (ran.status, kinds, ran.json["logs"][0]["proven"]) == (1, ["chain", "count"], 10)


def test_judges_logs_whose_own_rules_are_gone(
    run: Run, keep: Keep, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The log's own ruleset need not be known for the question what another makes of it."""
    game = table().play()
    record = Record("m1", "giro-galoppo/7", tuple(game.commits)).chained()
    install(monkeypatch)
    path = keep(record.file())
    assert run("verify", path).status == 2
    other = run("verify", path, "--as", "giro-galoppo/1", "--json").json["logs"][0]["as"]
    assert other["differs"] is None


def test_asks_for_rules_of_the_same_game(run: Run, keep: Keep, played: Record) -> None:
    """Another game's rules, or none that are known, do not judge."""
    ran = run("verify", keep(played.file()), "--as", "dragon-dance/1")
    assert (ran.status, "is not judged by dragon-dance/1" in ran.out) == (2, True)
    ran = run("verify", keep(played.file()), "--as", "chess/1")
    assert (ran.status, "the ruleset chess/1 is not known here" in ran.err) == (2, True)


def test_goes_back_with_a_take_back(run: Run, keep: Keep, monkeypatch: pytest.MonkeyPatch) -> None:
    """A take-back leads to the state that these rules had then."""
    game = table().play(5)
    game.send("organizer", TakeBack(to=3, reason="a mistake"))
    game.play()
    install(monkeypatch, second_version())
    path = keep(game.record().file())
    assert run("verify", path, "--as", "giro-galoppo/2").status == 0


def test_a_log_that_its_rules_trip_over_is_in_dispute_there(
    run: Run, keep: Keep, played: Record, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Rules that fail on a forged state are no reason to fail: that commit is in dispute."""
    version = next(n for n in range(1, 51) if played.opened(n)["cmd"].get("card") == 4)

    def trips(_state: Any, _by: Any, command: Any) -> str | None:
        return f"{1 // (command.card - 4)}"[:0] or None

    install(monkeypatch, second_version(**with_ruling("choose_card", trips)))
    record = Record("m1", "giro-galoppo/2", played.commits)
    record = record.edited(1, _renamed).chained()
    ran = run("verify", keep(record.file()), "--json")
    log = ran.json["logs"][0]
    assert (ran.status, log["proven"]) == (1, version - 1)
    dispute = log["disputes"][0]
    assert (dispute["kind"], dispute["version"]) == ("unreadable", version)
    assert "ZeroDivisionError" in dispute["message"]
    ran = run("verify", keep(played.file()), "--as", "giro-galoppo/2", "--json")
    assert ran.json["logs"][0]["as"]["differs"]["kind"] == "unreadable"


def _renamed(commit: dict[str, Any]) -> None:
    commit["cmd"]["ruleset"] = commit["ev"][0]["ruleset"] = "giro-galoppo/2"
