"""Piles after an arbiter's take-back: whoever drew from one knows its next card no longer."""

from __future__ import annotations

from typing import Any

import msgspec
import pytest

from referee.core.game import Event, Game
from referee.core.randomness import Chance
from referee.core.table.commands import TakeBack
from referee.core.visibility import ORGANIZER, SPECTATOR, Viewer, events_seen, seat_viewer
from referee.games.dragon_dance import GAME as DRAGON
from referee.games.giants_dance import GAME as GIANTS
from tests.core.play import SEED, Play, types_of


def back(to: int, *, keep_piles: bool = False) -> TakeBack:
    """An arbiter's take-back."""
    return TakeBack(to, "a card fell off the table", keep_piles)


def played(game: Game, until: str, **how: Any) -> Play:
    """A match in which whoever is to act did the first thing it may, up to an event `until`."""
    play, events = Play(game, seats=2, **how), []
    while until not in events:
        seat = play.match.owed[0]
        events = types_of(
            play.take(seat, play.rules.legal(play.match, play.asker(seat)).commands[0])
        )
    return play


def draw_at(play: Play, number: int) -> Chance:
    """The match's chance at a draw number, as anybody may compute it from the seed."""
    return Chance(SEED, "m1", ("", ""), number)


def seen(event: Event, viewer: Viewer) -> dict[str, Any]:
    """An event's fields as JSON has them for that viewer."""
    (shown,) = events_seen(0, 0, [event], viewer)
    fields: dict[str, Any] = msgspec.json.decode(msgspec.json.encode(shown))
    return {name: fields[name] for name in fields if name not in ("version", "index", "at")}


def test_the_pile_of_dragon_dance_is_shuffled_anew() -> None:
    """The cards that lay in it then lie in a drawn order; hands are as they were."""
    play = played(DRAGON, "drew")
    before, drawn = play.at(play.match.version - 1), play.match.draws
    events = play.take("organizer", back(before.version))
    after = play.match
    assert types_of(events) == ["taken_back", "piles_shuffled"]
    assert after.state.pile == draw_at(play, drawn).shuffle(before.state.pile)
    assert after.state.pile != before.state.pile
    assert (after.state.hands, after.draws) == (before.state.hands, drawn + 1)
    play.verify()


def test_the_order_is_for_the_organizer_alone() -> None:
    """Others see how many cards lie there, which they saw before."""
    play = played(DRAGON, "drew")
    _, shuffled = play.take("organizer", back(play.match.version - 1))
    pile = list(play.match.state.pile)
    assert seen(shuffled, ORGANIZER) == {"type": "piles_shuffled", "pile": pile}
    for viewer in (SPECTATOR, seat_viewer(0), seat_viewer(1)):
        hidden = {"type": "piles_shuffled", "pile": [None] * len(pile)}
        assert seen(shuffled, viewer) == hidden


def test_in_giants_dance_it_is_the_piles_that_were_drawn_from() -> None:
    """Movement by seat, then dance by seat, one draw number each; the others are null."""
    play = played(GIANTS, "cards_drawn", options={"challenge": False})
    seat = next(seat for seat, played in enumerate(play.match.state.movement.played) if played)
    then, drawn = play.at(1).state, play.match.draws
    play.take("organizer", back(1))
    chance, now = draw_at(play, drawn), play.match.state
    assert now.movement.piles[seat] == chance.shuffle(then.movement.piles[seat])
    assert now.movement.piles[1 - seat] == then.movement.piles[1 - seat]
    assert (now.dance, play.match.draws) == (then.dance, drawn + 1)
    play.verify()


def test_which_piles_were_shuffled_is_told_to_the_organizer_alone() -> None:
    """The others' lists are null, entry by entry, whichever it was."""
    play = played(GIANTS, "cards_drawn", options={"challenge": False})
    _, shuffled = play.take("organizer", back(1))
    hidden = {"type": "piles_shuffled", "movement": [None, None], "dance": [None, None]}
    assert all(seen(shuffled, viewer) == hidden for viewer in (SPECTATOR, seat_viewer(0)))
    assert [pile is None for pile in seen(shuffled, ORGANIZER)["movement"]].count(False) == 1


@pytest.mark.parametrize("game", [DRAGON, GIANTS], ids=lambda game: game.id)
def test_piles_may_be_kept(game: Game) -> None:
    """With `keep_piles` they lie as they did, and nothing is drawn."""
    play = played(game, {"dragon-dance": "drew"}.get(game.id, "cards_drawn"))
    before = play.at(play.match.version - 1)
    drawn = play.match.draws
    assert types_of(play.take("organizer", back(before.version, keep_piles=True))) == ["taken_back"]
    assert (play.match.state, play.match.draws) == (before.state, drawn)
    play.verify()


def test_a_pile_as_it_lay_is_not_touched() -> None:
    """A take-back over what drew nothing draws nothing."""
    play = played(DRAGON, "laid")
    drawn = play.match.draws
    assert types_of(play.take("organizer", back(1))) == ["taken_back"]
    assert play.match.draws == drawn


def test_a_pile_of_no_card_takes_a_draw_number_too() -> None:
    """Going forward to where it was empty is a take-back like any other."""
    play = played(DRAGON, "passed", options={"hand": 9})
    versions = range(1, play.match.version)
    empty = next(version for version in versions if play.at(version).state.pile == ())
    play.take("organizer", back(1))
    drawn = play.match.draws
    assert types_of(play.take("organizer", back(empty))) == ["taken_back", "piles_shuffled"]
    assert (play.match.state.pile, play.match.draws) == ((), drawn + 1)
    play.verify()


def test_players_do_not_go_back_past_a_shuffle() -> None:
    """It is a draw from chance like every other."""
    play = played(DRAGON, "drew")
    play.take("organizer", back(play.match.version - 1))
    assert play.match.revealed == play.match.version
