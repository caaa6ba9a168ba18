"""`replay step` on a full screen, by its keys."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from textual.geometry import Region
from textual.pilot import Pilot
from textual.widgets import Input, Static
from textual.widgets._footer import FooterKey

from referee.core.commit import read_match_file
from referee.core.game import Asker
from referee.core.visibility import ORGANIZER
from replay.sources import Log
from replay.stepping.screen import HELP, Ask, Keys, Stepper
from replay.stepping.walk import Walk
from replay.telling.history import history_of
from tests.replay.logs import Record, clocked, table


class Screen:
    """A match on a screen of so many columns and rows."""

    def __init__(self, pilot: Pilot[None]) -> None:
        self.pilot = pilot

    async def press(self, *keys: str) -> None:
        """Press keys, one after another, and wait for what they bring."""
        await self.pilot.press(*keys)
        await self.pilot.pause()

    def text(self, place: str) -> str:
        """What is written at a place of the screen that is on top."""
        return str(self.pilot.app.screen.query_one(f"#{place}", Static).content)

    def place(self, name: str) -> Region:
        """Where that stands."""
        return self.pilot.app.screen.query_one(f"#{name}", Static).region


@asynccontextmanager
async def screen(record: Record, columns: int = 100, rows: int = 40) -> AsyncIterator[Screen]:
    """The log on a screen, at its first commit."""
    log = Log("m.match", read_match_file(record.file()))
    app = Stepper(Walk(history_of(log), 1, ORGANIZER))
    async with app.run_test(size=(columns, rows)) as pilot:
        await pilot.pause()
        yield Screen(pilot)


async def test_fits_a_terminal_of_sixty_columns(played: Record) -> None:
    """No line of the keys is broken, and what is asked stays in view above what may be answered."""
    async with screen(played, 60, 20) as shown:
        for key in shown.pilot.app.screen.query(FooterKey):
            assert key.region.right <= 60
            assert key.region.width == len(f" {key.key_display} {key.description} ")
        await shown.press("question_mark")
        said = shown.pilot.app.screen.query_one("#said", Static)
        assert said.size.height == len(HELP)
        await shown.press("escape", "w")
        asks = shown.pilot.app.screen.query_one(".line", Static)
        assert asks.region.y > 0
        assert shown.pilot.app.screen.query_one(Input).region.bottom < 20


async def test_goes_by_keys_and_says_where_it_is(played: Record) -> None:
    """Arrows go on and back, a number to its version, f and l to the ends; v looks as another."""
    async with screen(played) as shown:
        await shown.press("right", "right", "left")
        assert shown.text("status").startswith("version 2 of 51 · 2023-11-14T22:13:20.010Z")
        assert "puts an obstacle on space" in shown.text("sentences")
        await shown.press("3", "0", "enter", "v", "v")
        assert "version 30 of 51" in shown.text("status")
        assert "seen by seat 0 (Ann)" in shown.text("status")
        assert "gate" in shown.text("board")
        await shown.press("l", "right")
        assert "version 51 of 51" in shown.text("status")
        assert "played-out" in shown.text("title")
        assert shown.text("notice") == "The last commit is 51."
        await shown.press("left")
        assert shown.text("notice") == ""
        await shown.press("5", "2", "enter")
        assert shown.text("notice") == "The last commit is 51."


async def test_shows_the_clocks_and_finds_rulings_and_scores() -> None:
    """The status line has what each seat has left; s, c and r seek what readers look for."""
    play = table(clock=clocked())
    play.send(0, play.rules.legal(play.match, Asker("seat", 0, play.now)).commands[0], after=5000)
    async with screen(play.play().record()) as shown:
        await shown.press("n")
        assert "▸seat 1 (Bob) 1:00 · seat 2 (Cai) 1:00" in shown.text("status")
        assert "seat 0 (Ann) 55.0 s" in shown.text("status")
        await shown.press("s")
        assert "The finishing line is crossed" in shown.text("sentences")
        await shown.press("r")
        assert shown.text("notice") == "There is no ruling after this."
        notice, status = (shown.place(one) for one in ("notice", "status"))
        assert notice.bottom == status.y
        assert status.bottom == shown.pilot.app.screen.query_one(Keys).region.y


async def test_judges_what_might_have_been_sent(played: Record) -> None:
    """W lists what could be sent; words, or a line of it, are judged at this point of the match."""
    async with screen(played) as shown:
        await shown.press("w")
        assert "seat 0 (Ann) may send" in shown.text("said")
        await shown.press(*"#1", "enter")
        assert "commit 2 by seat 0 (Ann), place obstacle, space 1: would be legal" in shown.text(
            "said"
        )
        await shown.press("backspace", *"sing", "enter")
        assert "no command of this game" in shown.text("said")
        await shown.press("escape")
        assert not isinstance(shown.pilot.app.screen, Ask)
        assert "version 1 of 51" in shown.text("status")


async def test_scrolls_a_board_that_does_not_fit(played: Record) -> None:
    """On a small terminal the arrows up and down, and the signs < and >, move the board."""
    async with screen(played, 40, 12) as shown:
        field = shown.pilot.app.screen.query_one("#field")
        assert field.max_scroll_x > 0
        assert field.max_scroll_y > 0
        await shown.press("down", "full_stop")
        assert (field.scroll_x, field.scroll_y) == (8, 1)


async def test_steps_over_what_cannot_be_shown(played: Record) -> None:
    """A version that the log does not get to says so, and one goes on and back past it."""
    async with screen(played.put(9, b"junk")) as shown:
        await shown.press("8", "enter", "right")
        assert "version 9 cannot be shown" in shown.text("sentences")
        await shown.press("left", "question_mark")
        assert "what if" in shown.text("said")
