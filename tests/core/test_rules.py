"""A whole match: its creation, who may ask, what is refused first, what is shown."""

from __future__ import annotations

import inspect
from dataclasses import replace
from typing import Any

import msgspec
import pytest

from referee.core.commit import open_envelope
from referee.core.game import Asker, BadOptions, Between, Command, Template
from referee.core.judging import Legal
from referee.core.match import ClockSetting
from referee.core.rules import BadLog, Rules, read_asker
from referee.core.ruling import Refusal
from referee.core.table import BEHIND_ROUTES, TABLE
from referee.core.table.commands import (
    AcceptDraw,
    OfferDraw,
    Pause,
    Rank,
    ReissueToken,
    Resign,
)
from referee.core.table.events import MatchCreated, TokenReissued
from referee.core.visibility import ORGANIZER, SPECTATOR, events_seen, seat_viewer
from referee.games.giro_galoppo import GAME as GIRO
from referee.games.giro_galoppo.types import ChooseCard, PlaceObstacle
from tests.core.play import SALT, SEED, START, Play, order, rules_of, types_of
from tests.toy_game import GAME as PEBBLES
from tests.toy_game.types import Guess, Hide

# ── creation ──────────────────────────────────────────────────────────────────────────────────────


def test_a_match_begins_with_its_announcement_and_its_set_up() -> None:
    """One commit by the organizer: the setting, every default filled in, then what is dealt."""
    play = Play(PEBBLES, seats=2)
    created, dealt = play.decided[0].events
    assert isinstance(created, MatchCreated)
    assert types_of([dealt]) == ["die_rolled"]
    commit = msgspec.msgpack.decode(play.log[0])
    assert (commit["v"], commit["by"], commit["cmd"]["type"]) == (1, "organizer", "create_match")
    assert commit["cmd"]["options"] == commit["ev"][0]["options"] == {"rounds": 2}
    assert play.match.draws == 1
    play.verify()


def test_the_same_order_deals_the_same() -> None:
    """Id, seed, entropy and options make the match; another entropy makes another."""
    rules = rules_of(PEBBLES)
    first, again = (rules.create(order(PEBBLES), START, salt=SALT) for _ in range(2))
    assert first.data == again.data
    dice = {
        rules.create(order(PEBBLES, entropy=(f"{n:02x}", "", "")), START, salt=SALT).match.state.die
        for n in range(20)
    }
    assert len(dice) > 1


def test_entropy_counts_by_its_bytes_not_by_how_its_hex_is_written() -> None:
    """Capitals are written small, in the log and in what is drawn."""
    rules = rules_of(PEBBLES)
    small, large = (
        rules.create(order(PEBBLES, entropy=(text, "", ""), seed=text * 32), START, salt=SALT)
        for text in ("ab", "AB")
    )
    assert small.data == large.data
    assert small.match.entropy == ("ab", "", "")


@pytest.mark.parametrize(
    ("changes", "paths"),
    [
        ({"seats": 1}, ["seats"]),
        ({"entropy": ("", "")}, ["entropy"]),
        ({"seats": 1, "entropy": ()}, ["seats", "entropy"]),
        ({"options": {"length": 3}}, ["options.length"]),
    ],
    ids=["too few seats", "an entropy short", "both", "options"],
)
def test_an_order_that_cannot_be_played_is_refused_with_its_paths(
    changes: dict[str, Any], paths: list[str]
) -> None:
    """A number of seats or entropies that does not fit, and the game's own objections."""
    with pytest.raises(BadOptions) as bad:
        rules_of(GIRO).create(order(GIRO, **changes), START, salt=SALT)
    found = [path for path, _ in bad.value.errors]
    assert [path for path in found if not path.startswith("options.natural")] == paths


def test_numbers_of_seats_may_have_gaps() -> None:
    """A game for two or four is not one for three: the error says what it takes."""
    gappy = Rules(replace(GIRO, id="gappy", players=(2, 4)))
    for seats in (2, 4):
        created = gappy.create(order(gappy.game, seats=seats), START, salt=SALT)
        assert len(created.match.seats) == seats
    for seats in (1, 3, 5):
        with pytest.raises(BadOptions) as bad:
            gappy.create(order(gappy.game, seats=seats), START, salt=SALT)
        assert ("seats", f"gappy takes 2 or 4 seats, not {seats}") in bad.value.errors


@pytest.mark.parametrize("options", [{"length": "40"}, {"size": 3}, {"ties": "none"}, [1]], ids=str)
def test_options_of_the_wrong_shape_are_refused(options: Any) -> None:
    """Wrong types, unknown fields and unknown words are no options at all."""
    with pytest.raises(msgspec.ValidationError):
        rules_of(GIRO).create(order(GIRO, options=options), START, salt=SALT)


# ── who asks ──────────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize("text", ["organizer", "service", "seat:0", "seat:12"])
def test_who_a_commit_names_is_read_as_it_was_written(text: str) -> None:
    """The three kinds of `by`."""
    assert str(read_asker(text, 5)) == text
    assert read_asker(text, 5).at == 5


@pytest.mark.parametrize(
    "text",
    ["", "seat", "seat:", "seat:-1", "seat:01", "seat:1 ", "seat:٣", "Seat:1", "spectator",
     "seat:1\n", "seat:" + "9" * 5000],
)  # fmt: skip
def test_a_by_that_names_nobody_is_a_bad_log(text: str) -> None:
    """Whatever it looks like."""
    with pytest.raises(BadLog):
        read_asker(text, 5)


# ── admission, in order ───────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize(
    ("given", "who", "command", "ruling"),
    [
        ([], 9, PlaceObstacle(99), "not-seated"),
        ([], 3, PlaceObstacle(99), "not-seated"),
        ([], -1, PlaceObstacle(99), "not-seated"),
        ([], "organizer", PlaceObstacle(99), "not-seated"),
        ([], "service", PlaceObstacle(99), "not-seated"),
        ([("organizer", Pause())], 9, PlaceObstacle(99), "not-seated"),
        ([(0, Resign()), (1, Resign())], 0, PlaceObstacle(99), "match-over"),
        ([(1, Resign()), ("organizer", Pause())], 1, PlaceObstacle(99), "match-paused"),
        ([(1, Resign())], 1, PlaceObstacle(99), "withdrawn"),
        ([], 1, ChooseCard(99), "out-of-turn"),
        ([], 0, ChooseCard(99), "wrong-phase"),
        ([], 0, PlaceObstacle(99), "obstacle-sand"),
    ],
)
def test_the_tables_rulings_are_judged_in_their_order_before_the_games(
    given: list[Any], who: Any, command: Command, ruling: str
) -> None:
    """Each command breaks the ruling named and all that come after it."""
    play = Play()
    for earlier in given:
        play.take(*earlier)
    assert play.refusal(who, command) == ruling


def test_a_refusal_appends_nothing_and_changes_nothing() -> None:
    """Deciding a refused command raises, and the match is as it was."""
    play = Play()
    before = play.match
    with pytest.raises(Refusal):
        play.rules.decide(before, play.asker(1), PlaceObstacle(2), salt=SALT)
    assert play.match is before
    play.take(0, PlaceObstacle(2))


def test_a_refusal_says_who_is_to_act_or_what_is_owed() -> None:
    """One sentence with the numbers of this command."""
    play = Play()
    for who, command, detail in (
        (1, PlaceObstacle(2), "Seat 1 is not to act now: 0 is."),
        (0, ChooseCard(2), "In phase obstacles the seat owes place_obstacle, not choose_card."),
        (7, ChooseCard(2), "There is no seat 7: the seats are 0 to 2."),
    ):
        with pytest.raises(Refusal) as refusal:
            play.rules.judge(play.match, play.asker(who), command)
        assert refusal.value.detail == detail


def test_the_rulings_that_judge_a_command_are_told_in_their_order() -> None:
    """Up to the first that is broken; all of them where none is. The table's are told alike."""
    play = Play()
    asked = play.rules.judged(play.match, play.asker(0), PlaceObstacle(11))
    assert [ruling for ruling, _ in asked] == [
        "not-seated", "match-over", "match-paused", "withdrawn", "before-deal", "out-of-turn",
        "wrong-phase", "obstacle-sand",
    ]  # fmt: skip
    assert [wrong for _, wrong in asked] == [None] * 7 + ["Space 11 is a river, not sand."]
    lawful = play.rules.judged(play.match, play.asker(0), PlaceObstacle(2))
    assert lawful[:7] == asked[:7]
    assert lawful[-1] == ("obstacle-room", None)
    assert play.rules.judged(play.match, play.asker(1), AcceptDraw()) == (
        ("not-seated", None),
        ("match-over", None),
        ("match-paused", None),
        ("withdrawn", None),
        ("before-deal", None),
        ("no-draw-offered", "Nobody has asked for a draw."),
    )


# ── legal ─────────────────────────────────────────────────────────────────────────────────────────


def test_legal_lists_what_a_seat_may_do_and_nothing_to_the_others() -> None:
    """In a fixed order; every listed command is taken."""
    play = Play().race()
    assert play.rules.legal(play.match, play.asker(1)) == Legal(
        tuple(map(ChooseCard, range(1, 7))), complete=True, templates=()
    )
    play.take(1, ChooseCard(4))
    for who in (1, 9, "organizer"):
        assert play.rules.legal(play.match, play.asker(who)).commands == ()


def test_legal_says_where_it_is_not_complete() -> None:
    """With a template that says what the fields may hold."""
    play = Play(PEBBLES, seats=2)
    assert play.rules.legal(play.match, play.asker(0)).complete
    play.take(0, Hide(1))
    play.take(1, Hide(1))
    legal = play.rules.legal(play.match, play.asker(play.match.owed[0]))
    assert (legal.commands, legal.complete) == ((), False)
    assert legal.templates == (Template("guess", {"total": Between((0, 6))}),)


# ── tokens ────────────────────────────────────────────────────────────────────────────────────────


def test_a_reissued_token_counts_a_generation_up() -> None:
    """For that seat alone, at any time, also after the end."""
    play = Play()
    assert play.take("organizer", ReissueToken(1)) == [TokenReissued(1, 1)]
    play.take(0, Resign())
    play.take(1, Resign())
    assert play.take("organizer", ReissueToken(1)) == [TokenReissued(1, 2)]
    assert [seat.generation for seat in play.match.seats] == [0, 2, 0]
    assert play.refusal("organizer", ReissueToken(3)) == "not-seated"
    play.verify()


def test_what_stands_behind_routes_is_not_sent_as_a_command() -> None:
    """Reissuing and outages are read from the log, not from a client."""
    rules = rules_of(GIRO)
    for kind in BEHIND_ROUTES:
        data = msgspec.json.encode({"type": kind.__struct_config__.tag, "seat": 1, "from": 1})
        with pytest.raises(msgspec.ValidationError, match="Invalid value"):
            rules.read_command(data)
    assert rules.read_stored_command(msgspec.msgpack.encode(ReissueToken(1))) == ReissueToken(1)


# ── reading commands ──────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize(
    "data",
    [
        b"", b"{", b"[]", b"null", b'"resign"', b"{}", b'{"type":"fly"}', b'{"type":1}',
        b'{"type":"resign","why":"tired"}', b'{"type":"choose_card"}',
        b'{"type":"choose_card","card":"4"}', b'{"type":"choose_card","card":4.5}',
        b'{"type":"choose_card","card":null}', b'{"type":"choose_card","card":true}',
        b'{"type":"create_match"}', b'{"type":"grant_time","seat":0,"seconds":0}',
        b'{"type":"void","reason":""}', b'{"type":"\xff"}', b"[" * 100_000, b'{"type":"resign"}x',
        b'{"type":"adjudicate","ranking":[{"seat":0,"place":0}],"reason":"x"}',
        b'{"type":"adjudicate","ranking":[{"seat":0,"place":1,"score":1e300}],"reason":"x"}',
        b'{"type":"adjudicate","ranking":[{"seat":0,"place":1,"score":%d}],"reason":"x"}' % 10**20,
    ],
)  # fmt: skip
def test_what_is_no_command_is_a_decode_error(data: bytes) -> None:
    """Malformed text, unknown types and fields, wrong types, empty reasons, endless scores."""
    with pytest.raises(msgspec.DecodeError):
        rules_of(GIRO).read_command(data)


@pytest.mark.parametrize(
    "data", [b"", b"\xc1", b"\x81\xa4type\xa2\xff\xff", b"\x91" * 100_000, b"\x80"]
)
def test_what_is_no_messagepack_command_is_a_decode_error(data: bytes) -> None:
    """Likewise in MessagePack, whose text may be no UTF-8 and whose lists may have no end."""
    with pytest.raises(msgspec.DecodeError):
        rules_of(GIRO).read_command(data, msgpack=True)


def test_a_number_out_of_reach_is_a_ruling_however_large() -> None:
    """A whole number of any length is well-formed, and refused by the game."""
    play = Play()
    for space in (0, -1, 10**30):
        command = play.rules.read_command(b'{"type":"place_obstacle","space":%d}' % space)
        assert play.refusal(0, command) == "obstacle-sand"


@pytest.mark.parametrize("score", [float("nan"), float("inf"), float("-inf")])
def test_a_score_that_json_cannot_hold_is_refused(score: float) -> None:
    """MessagePack could carry it; nobody could read the result."""
    ranking = [{"seat": 0, "place": 1, "score": score}]
    data = msgspec.msgpack.encode({"type": "adjudicate", "ranking": ranking, "reason": "x"})
    with pytest.raises(msgspec.ValidationError):
        rules_of(GIRO).read_command(data, msgpack=True)


def test_commands_are_read_alike_from_json_and_messagepack() -> None:
    """The same shapes."""
    rules = rules_of(GIRO)
    for command in (Resign(), ChooseCard(4), AcceptDraw()):
        assert rules.read_command(msgspec.json.encode(command)) == command
        packed = msgspec.msgpack.encode(command)
        assert rules.read_command(packed, msgpack=True) == command
    assert Rank(0, 1).score is None


# ── the view ──────────────────────────────────────────────────────────────────────────────────────


def test_the_view_has_the_contracts_keys_in_its_order() -> None:
    """All of them, for every viewer."""
    wanted = [
        "match", "game", "ruleset", "version", "status", "viewer", "options", "seats", "to_act",
        "deadline", "state", "result", "called", "seed_commitment", "seed", "head",
    ]  # fmt: skip
    play = Play(PEBBLES, seats=2)
    for viewer in (ORGANIZER, seat_viewer(1), SPECTATOR):
        assert list(play.view(viewer)) == wanted
        assert play.view(viewer)["viewer"] == str(viewer)
    view = play.view(SPECTATOR)
    assert view["options"] == {"rounds": 2}
    assert view["head"] == play.match.head.hex()
    assert view["seats"][0] == {"seat": 0, "name": "red", "withdrawn": False}
    assert (view["version"], view["status"], view["to_act"]) == (1, "active", [0, 1])


def test_events_are_shown_with_their_place_in_the_log() -> None:
    """Version, index and time come first, then the event as its viewer may see it."""
    play = Play(PEBBLES, seats=2)
    play.wait(3)
    play.take(0, Hide(2))
    for viewer, pebbles in ((seat_viewer(0), 2), (seat_viewer(1), None), (ORGANIZER, 2)):
        seen = events_seen(2, play.now, play.decided[-1].events, viewer)
        assert [list(event.items()) for event in seen] == [
            [
                ("version", 2),
                ("index", 0),
                ("at", play.now),
                ("type", "fist_closed"),
                ("seat", 0),
                ("pebbles", pebbles),
            ]
        ]


def test_what_is_shown_of_an_event_does_not_depend_on_whether_it_was_just_decided() -> None:
    """Read back from the log it looks the same, options included."""
    play = Play(PEBBLES, seats=2, clock=ClockSetting(60))
    play.take(0, OfferDraw())
    for version, decided in enumerate(play.decided, start=1):
        read = play.rules.read_commit(decided.data)
        for viewer in (ORGANIZER, seat_viewer(1), SPECTATOR):
            shown = [
                msgspec.json.encode(events_seen(version, read.at, events, viewer))
                for events in (decided.events, read.ev)
            ]
            assert shown[0] == shown[1]


def test_everybody_is_told_who_plays_and_how_it_ended() -> None:
    """Names, clock and ranking stand in the events as they stand in the view."""
    play = Play(seats=2, clock=ClockSetting(60, 5))
    play.take(0, Resign())
    for viewer in (ORGANIZER, seat_viewer(0), SPECTATOR):
        created, ended = (
            msgspec.json.decode(msgspec.json.encode(events_seen(n, 0, (event,), viewer)))[0]
            for n, event in ((1, play.decided[0].events[0]), (2, play.decided[1].events[1]))
        )
        assert created["seats"] == [{"name": "red"}, {"name": "blue"}]
        assert created["clock"] == {"base_s": 60, "increment_s": 5, "on_flag": "forfeit"}
        assert ended["ranking"] == play.view(viewer)["result"]["ranking"]
        assert [row["seat"] for row in ended["ranking"]] == [1, 0]


# ── folding ───────────────────────────────────────────────────────────────────────────────────────


def test_a_commit_that_does_not_follow_is_a_bad_log() -> None:
    """A gap, a repeat, another match's, the wrong first one."""
    play = Play().race()
    other = Play(match="m2").race()
    created = msgspec.msgpack.decode(play.log[0])
    for events in ([], created["ev"][1:], [{"type": "paused"}]):
        with pytest.raises(BadLog, match="does not create a match"):
            play.rules.fold(None, msgspec.msgpack.encode(created | {"ev": events}))
    fold = play.rules.fold
    for match, data in (
        (play.at(1), play.log[2]),
        (play.at(2), play.log[1]),
        (play.at(1), other.log[1]),
        (None, play.log[1]),
        (play.at(1), play.log[0]),
    ):
        with pytest.raises(BadLog):
            fold(match, data)


@pytest.mark.parametrize(
    "change",
    [
        {"ev": [{"type": "teleported", "seat": 0}]},
        {"ev": [{"type": "obstacle_placed", "seat": 0}]},
        {"ev": [{"type": "obstacle_placed", "seat": 0, "space": 2, "more": 1}]},
        {"ev": [{"type": "withdrawn", "seat": 9, "why": "resigned", "reason": None}]},
        {"ev": [{"type": "certified"}]},
        {"cmd": {"type": "dream"}},
        {"by": 7},
        {"more": 1},
    ],
    ids=[
        "unknown event",
        "lacks",
        "too much",
        "seat 9 leaves",
        "no result",
        "command",
        "by",
        "field",
    ],
)
def test_a_commit_that_cannot_be_read_is_a_bad_log(change: dict[str, Any]) -> None:
    """Loud, with the one exception that says so; nothing unknown is skipped."""
    play = Play()
    play.take(0, PlaceObstacle(2))
    commit = msgspec.msgpack.decode(play.log[1]) | change
    with pytest.raises(BadLog):
        play.rules.fold(play.at(1), msgspec.msgpack.encode(commit))


# ── the table as a whole ──────────────────────────────────────────────────────────────────────────


def test_every_table_command_has_rulings_in_one_order() -> None:
    """Who asks, whether it is over, whether it is paused, who has left: in that order."""
    admission = ["not-seated", "match-over", "match-paused", "withdrawn"]
    for rules in TABLE:
        ids = [clause.id for clause in rules.rulings]
        assert [one for one in ids if one in admission] == [one for one in admission if one in ids]


def test_deciding_costs_no_clock_and_no_chance_of_its_own() -> None:
    """The same command at the same time gives the same bytes."""
    play = Play(PEBBLES, seats=2)
    play.take(0, Hide(1))
    by = play.asker(1)
    first, again = (play.rules.decide(play.match, by, Hide(2), salt=SALT) for _ in range(2))
    assert first.data == again.data
    play.take(1, Hide(2))
    guesser = play.match.owed[0]
    assert play.take(guesser, Guess(3))
    assert play.match.setting.seed == SEED
    assert inspect.isfunction(play.rules.game.deal)


def test_a_commit_that_hides_something_is_salted() -> None:
    """With a key or without one. What everybody sees needs no salt; and folding agrees."""
    play = Play(PEBBLES, seats=2)

    def written(command: Any, key: str | None) -> tuple[str | None, bytes | None]:
        by = play.asker(0)
        decided = play.rules.decide(play.match, by, command, key=key, salt=b"grains of sa")
        assert play.rules.fold(play.match, decided.data) == decided.match
        envelope = open_envelope(decided.data)
        return envelope.key, envelope.salt

    assert written(Hide(1), None) == (None, b"grains of sa")
    assert written(Hide(1), "sent") == ("sent", b"grains of sa")
    assert written(OfferDraw(), "sent") == ("sent", None)


@pytest.mark.parametrize(
    ("by", "asker"),
    [
        ("service", Asker("service", None, 7)),
        ("seat:12", Asker("seat", 12, 7)),
        ("organizer", Asker("organizer", None, 7)),
        ("organizer:k.im_2-b", Asker("organizer", None, 7, "organizer:k.im_2-b")),
        ("organizer/seat:0", Asker("seat", 0, 7, "organizer")),
        ("organizer:kim/seat:3", Asker("seat", 3, 7, "organizer:kim")),
    ],
)
def test_a_commit_says_who_commanded_and_for_whom(by: str, asker: Asker) -> None:
    """An organizer by name, and the seat for which one acts."""
    assert (read_asker(by, 7), str(asker)) == (asker, by)


@pytest.mark.parametrize(
    "by",
    [
        "", "seat", "seat:", "seat:01", "seat:-1", "seat:1 ", "seat:٣", "service:x", "organizer:",
        "organizer:a b", "organizer/seat:", "organizer:/seat:1", "organizer:" + "x" * 41,
        "service/seat:1", "seat:1/seat:2", "organizer/", "kim",
    ],
)  # fmt: skip
def test_a_commit_by_nobody_is_no_log(by: str) -> None:
    """Whatever else stands there."""
    with pytest.raises(BadLog):
        read_asker(by, 7)
