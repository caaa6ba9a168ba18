"""`replay show` and `replay log`: a match as somebody saw it, in pictures and in words."""

from __future__ import annotations

import json
from pathlib import Path

import msgspec
import pytest

from referee.catalogue import catalogue
from referee.core.game import Event
from referee.core.table import commands
from referee.core.table.events import MatchCreated, TakenBack
from referee.core.table.folds import TABLE_EVENTS
from referee.report.words import TABLE_SENTENCES
from referee.selfplay import Setup, chance_of, random_file, seed_of
from tests.replay.conftest import Keep, Run
from tests.replay.logs import START, Record, clocked, table

HOSTILE = "Eve\x1b[2J\x9b31m\u202e[bold]\u200b"


def test_shows_the_board_at_a_version(run: Run, keep: Keep, played: Record) -> None:
    """A line that says what is shown, then the game's own picture of that version."""
    ran = run("show", keep(played.file()), "--at", 8)
    first, blank, *board = ran.out.splitlines()
    assert (ran.status, blank) == (0, "")
    assert first == (
        "m1 · giro-galoppo/1 · version 8 of 51 · 2023-11-14T22:13:20.070Z · seen by organizer"
        " · active"
    )
    assert any("gate" in line for line in board)


def test_shows_the_end_with_its_result(run: Run, keep: Keep, played: Record) -> None:
    """Without a version the last one is shown, with the result in places and scores."""
    first = run("show", keep(played.file())).out.splitlines()[0]
    assert "version 51 of 51" in first
    assert "finished · played-out, provisional: 1. " in first


def test_shows_a_viewer_no_more_than_was_seen(run: Run, keep: Keep, played: Record) -> None:
    """A seat sees its own hand, a spectator none, the organizer all."""
    path = keep(played.file())

    def hands(viewer: str) -> list[bool]:
        view = run("show", path, "--at", 8, "--viewer", viewer, "--json").json
        assert view["viewer"] == viewer
        return [hand is not None for hand in view["state"]["hands"]]

    assert hands("organizer") == [True, True, True]
    assert hands("seat 1") == [False, True, False]
    assert hands("spectator") == [False, False, False]
    assert "♞1" in run("show", path, "--at", 8, "--viewer", "1").out


def test_a_view_shows_the_seed_to_the_organizer_alone(run: Run, keep: Keep) -> None:
    """While a match is played its seed is nobody else's business."""
    path = keep(table().play(3).record().file())
    assert run("show", path, "--json").json["seed"] == f"{1:064x}"
    assert run("show", path, "--viewer", "0", "--json").json["seed"] is None


@pytest.mark.parametrize(
    "wrong", [["--at", "52"], ["--at", "0"], ["--viewer", "seat 3"], ["--viewer", "umpire"]]
)
def test_shows_no_version_and_no_viewer_that_is_not_there(
    run: Run, keep: Keep, played: Record, wrong: list[str]
) -> None:
    """A version or a seat that the match does not have is wrong usage."""
    ran = run("show", keep(played.file()), *wrong)
    assert (ran.status, ran.out) == (2, "")


def test_shows_what_stands_before_a_fault(run: Run, keep: Keep, played: Record) -> None:
    """A broken chain is shown up to where it breaks, and said to be broken wherever one looks."""
    path = keep(played.having(played.commits[:20] + played.commits[21:]).file())
    ran = run("show", path, "--at", 20)
    assert (ran.status, "version 20 of 50" in ran.out) == (1, True)
    assert "in dispute: commit 21 does not lie on the head after commit 20" in ran.err
    ran = run("show", path, "--at", 21)
    assert (ran.status, "does not follow commit 20" in ran.err) == (1, True)


def test_logs_a_broken_chain_and_says_that_it_is(run: Run, keep: Keep, played: Record) -> None:
    """Every commit can be read, and one was changed: all lines, a word of it, and no good end."""
    path = keep(played.edited(20, lambda commit: commit.update(at=commit["at"] + 1)).file())
    for form in ([], ["--json"]):
        ran = run("log", path, *form)
        assert (ran.status, len(ran.out.splitlines())) == (1, len(played.commits))
        assert "in dispute: commit 21 does not lie on the head after commit 20" in ran.err


def test_logs_a_line_a_commit(run: Run, keep: Keep, played: Record) -> None:
    """Number, time in UTC, who, and what, in the words of the game."""
    lines = run("log", keep(played.file())).out.splitlines()
    assert len(lines) == len(played.commits)
    assert lines[0] == (
        " 1  2023-11-14T22:13:20.000Z  organizer     A match of giro-galoppo/1 for seat 0 (Ann), "
        "seat 1 (Bob), seat 2 (Cai)."
    )
    space = played.opened(2)["cmd"]["space"]
    assert lines[1] == (
        " 2  2023-11-14T22:13:20.010Z  seat 0 (Ann)  "
        f"seat 0 (Ann) puts an obstacle on space {space}."
    )
    assert "The match is played out: 1. " in lines[-1]


def test_logs_a_viewer_no_more_than_was_seen(run: Run, keep: Keep, played: Record) -> None:
    """A card laid face down has its value for its own seat alone, and commands are not shown."""
    path = keep(played.file())
    version = next(n for n in range(1, 51) if played.opened(n)["cmd"]["type"] == "choose_card")
    seat = played.opened(version)["by"].removeprefix("seat:")
    card = played.opened(version)["cmd"]["card"]
    own = run("log", path, "--viewer", seat, "--json").out.splitlines()[version - 1]
    other = run("log", path, "--viewer", "spectator", "--json").out.splitlines()[version - 1]
    assert msgspec.json.decode(own)["events"][0]["card"] == card
    assert msgspec.json.decode(other)["events"][0]["card"] is None
    assert "lays a card face down" in msgspec.json.decode(other)["text"]
    assert "command" not in msgspec.json.decode(own)
    everything = run("log", path, "--json").out.splitlines()[version - 1]
    assert msgspec.json.decode(everything)["command"]["card"] == card


def test_names_reach_no_terminal_as_they_are(run: Run, keep: Keep) -> None:
    """Names are strangers' text: nothing in them is obeyed by a terminal or taken for markup."""
    forged = (
        table(names=("Eve", "Bob"))
        .play(2)
        .record()
        .forged(1, lambda commit: commit["ev"][0]["seats"][0].update(name="Eve\u202e[bold]\x9b"))
    )
    path = keep(forged.file())
    for command in ("show", "log", "verify"):
        out = run(command, path).out
        assert not {"\x1b", "\x9b", "\u202e"} & set(out)
    assert "Eve[bold]" in run("log", path).out


def test_hostile_text_reaches_no_terminal_from_the_header(
    run: Run, keep: Keep, played: Record
) -> None:
    """A match's id or a ruleset in a header may be any text, and is made safe to print."""
    for field in ("match", "ruleset", "public_key"):
        path = keep(played.file(signature="AA", **{field: HOSTILE}))
        for command in (["verify"], ["log"], ["show"], ["verify", "--json"], ["export"]):
            ran = run(*command, path)
            assert not {"\x1b", "\x9b", "\u202e", "\u200b"} & set(ran.out + ran.err)


def test_every_event_of_the_table_has_words() -> None:
    """No event that every game has is left without a sentence."""
    kinds: list[type[Event]] = [MatchCreated, TakenBack, *TABLE_EVENTS]
    assert {str(kind.__struct_config__.tag) for kind in kinds} == TABLE_SENTENCES.keys()


def test_tells_what_happens_around_the_game(run: Run, keep: Keep) -> None:
    """Every command of the table, sent in one match, is told in a sentence of its own."""
    game = table(clock=clocked())
    game.send(0, commands.OfferDraw())
    game.send(1, commands.DeclineDraw())
    game.play(1)
    game.send(1, commands.RequestTakeback(to=1))
    game.send(2, commands.DeclineTakeback())
    game.send(0, commands.RequestTakeback(to=4))
    game.send(1, commands.AcceptTakeback())
    game.send(2, commands.AcceptTakeback())
    game.send("organizer", commands.Pause())
    game.send("organizer", commands.Resume(), after=83_000)
    game.send(2, commands.CallArbiter("a die fell down", about=3))
    game.send(2, commands.WithdrawCall())
    game.send(2, commands.CallArbiter("again"))
    game.send("organizer", commands.AnswerCall("roll it again", "obstacle-gap"))
    game.send("organizer", commands.GrantTime(seat=2, seconds=30))
    game.send("organizer", commands.ReissueToken(seat=2))
    outage = commands.Outage(from_=game.now, until=game.now + 1500)
    game.send("service", commands.ExcuseOutage((outage,)), after=2000)
    game.send("organizer", commands.TakeBack(to=1, reason="a mistake"))
    game.send("organizer", commands.Forfeit(seat=2, reason="he left"))
    flagged = game.match.owed[0]
    game.send("service", commands.ClaimTimeout(seat=flagged), after=100_000)
    game.send("organizer", commands.Certify())
    ranking = tuple(commands.Rank(seat, 1 + (seat > 0), 0.5) for seat in range(3))
    game.send("organizer", commands.Adjudicate(ranking=ranking, reason="on appeal"))
    game.send("organizer", commands.Void(reason="all is lost"))
    path = keep(game.record().file())
    assert run("verify", path).status == 0
    out = run("log", path).out
    for sentence in (
        "seat 0 (Ann) offers a draw.",
        "seat 1 (Bob) declines the draw.",
        "seat 1 (Bob) asks to go back to version 1.",
        "seat 2 (Cai) declines to go back.",
        "seat 2 (Cai) agrees to go back. The match goes back to version 4.",
        "seat 2 (Cai) calls the arbiter about version 3: a die fell down. The match is paused.",
        "The call to the arbiter by seat 2 (Cai) falls away. The match goes on after a pause of",
        "seat 2 (Cai) calls the arbiter: again.",
        "The arbiter answers seat 2 (Cai) by obstacle-gap: roll it again. The match goes on",
        "The match is paused.",
        "The match goes on after a pause of 1:23.",
        "seat 2 (Cai) gets 30 s more.",
        "seat 2 (Cai) gets a new token; the old one is dead.",
        "1.5 s of an outage are charged to no clock.",
        "The match goes back to version 1: a mistake",
        "seat 2 (Cai) is taken out of the match: he left",
        "'s flag falls.",
        "has run out of time and is out of the match.",
        "The match ends on time: 1. ",
        "The result is certified.",
        "The organizer rules the result (on appeal): 1. seat 0 (Ann) (0.5), 2. seat 1 (Bob) (0.5)",
        "The match is void: all is lost",
    ):
        assert sentence in out


def test_tells_a_resignation_and_a_draw(run: Run, keep: Keep) -> None:
    """A seat that resigns, an offer that lapses with it, and a draw that the others agree on."""
    game = table()
    game.send(0, commands.OfferDraw())
    game.send(0, commands.Resign())
    game.send(1, commands.OfferDraw())
    game.send(2, commands.AcceptDraw())
    out = run("log", keep(game.record().file())).out
    assert "seat 0 (Ann) resigns. The offer of a draw by seat 0 (Ann) lapses." in out
    agreed = "A draw is agreed: 1. seat 1 (Bob), 1. seat 2 (Cai), seat 0 (Ann) without a place."
    assert f"seat 2 (Cai) agrees to the draw. {agreed}" in out


@pytest.mark.parametrize("game", [rules.game.id for rules in catalogue()])
def test_takes_every_game_through_every_command(
    run: Run, keep: Keep, tmp_path: Path, game: str
) -> None:
    """A random match of each installed game, its table troubled, is proven, shown and told."""
    rules = catalogue().current(game)
    setup = Setup(seats=rules.game.players[-1], seed=seed_of(game), trouble=9)
    data, end = random_file(rules, setup, chance_of(game))
    path = keep(data)
    assert run("verify", path).status == 0
    assert run("diff", path, path).status == 0
    assert run("report", path, "-o", tmp_path / "r.html", "--viewer", "0").status == 0
    for viewer in ("organizer", "spectator", "0"):
        assert run("show", path, "--at", 3, "--viewer", viewer).status == 0
        log = run("log", path, "--viewer", viewer, "--json").out.splitlines()
        told = [json.loads(line)["text"] for line in log]
        assert all(text.endswith((".", "!", "?")) for text in told)
    for version in range(1, min(end.version, 14) + 1):
        assert run("explain", path, "--at", version).status == 0


def test_tells_times_beyond_the_calendar(run: Run, keep: Keep) -> None:
    """A stamp that no calendar reaches is told as a number."""
    far = table().record().forged(1, lambda commit: commit.update(at=START * 10**6))
    ran = run("log", keep(far.file()))
    assert (ran.status, f"{START * 10**6} ms" in ran.out) == (0, True)


@pytest.mark.parametrize(
    ("zone", "time"),
    [("Europe/Berlin", "2023-11-14T23:13:20.000+01:00"), ("UTC", "2023-11-14T22:13:20.000+00:00")],
)
def test_tells_times_in_the_readers_zone(
    run: Run, keep: Keep, played: Record, zone: str, time: str
) -> None:
    """In words and in JSON; a zone that is none is wrong usage, and one like it is named."""
    path = keep(played.file())
    assert time in run("log", path, "--zone", zone).out
    assert json.loads(run("log", path, "--zone", zone, "--json").out.split("\n")[0])["time"] == time
    assert time in run("show", path, "--at", 1, "--zone", zone).out
    assert run("log", path, "--zone", "Mars/Base").status == 2
    assert "did you mean Europe/Berlin?" in run("log", path, "--zone", "europe/berln").err


def test_cuts_no_ordinary_name(run: Run, keep: Keep) -> None:
    """Beside its seat's number a name of fifteen signs stands whole."""
    path = keep(table(names=("Maximilian Beck", "Bo")).play(5).record().file())
    assert "  seat 0 (Maximilian Beck)  seat 0 (Maximilian Beck) " in run("log", path).out


def test_says_that_what_it_shows_rests_on_a_fault(run: Run, keep: Keep, played: Record) -> None:
    """From the first fault on, in `show` and in the status of `step`; before it nothing is said."""
    path = keep(played.forged(9, lambda commit: commit["ev"].pop()).file())
    said = "commit 9 in dispute: what rests on it is not judged as true, see verify"
    for version, status in ((8, 0), (9, 1), (10, 1)):
        shown = run("show", path, "--at", version)
        assert (shown.status, said in shown.out) == (status, status == 1)
        assert run("show", path, "--at", version, "--json").status == status
    stepped = run("step", path, "--at", 8, stdin="n\n")
    assert (stepped.out.count(said), f"{said} · version 9 of" in stepped.out) == (1, True)
