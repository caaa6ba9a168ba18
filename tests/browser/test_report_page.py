"""The page of `replay report` in a browser: whole, quiet, by hand and by keyboard, on paper."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from click.testing import CliRunner
from playwright.sync_api import Page

from replay.__main__ import replay
from tests.live.servers import Server, Table
from tests.replay.logs import Record, table

pytestmark = pytest.mark.browser

Write = Callable[[bytes], str]


@pytest.fixture(scope="session")
def played() -> Record:
    """A match of three, played to its end: 51 commits."""
    return table().play().record()


@pytest.fixture
def write(tmp_path: Path) -> Write:
    """Writes the report of a match file, and gives its address."""

    def write(data: bytes) -> str:
        source, target = tmp_path / "m.match", tmp_path / "report.html"
        source.write_bytes(data)
        ran = CliRunner().invoke(replay, ["report", str(source), "-o", str(target)])
        assert ran.exit_code in (0, 1), ran.output
        return target.as_uri()

    return write


def shown(page: Page) -> tuple[str, str, str]:
    """The step that the page shows: its place, the entry that is marked, the address."""
    marked = page.locator("#log [aria-current]")
    assert marked.count() == 1
    return page.inner_text("#place"), str(marked.get_attribute("id")), page.url.partition("#")[2]


def test_goes_through_the_match_by_the_keyboard(page: Page, write: Write, played: Record) -> None:
    """Arrows, Home and End; board, entry, address and the board's words go along."""
    said: list[str] = []
    page.on("console", lambda message: said.append(message.text))
    page.on("pageerror", lambda error: said.append(str(error)))

    page.goto(write(played.file()))
    assert shown(page) == ("51 / 51", "51", "")
    assert page.evaluate("scrollY") == 0
    last = page.get_attribute("#board", "src")
    words = page.text_content("#words")
    page.keyboard.press("ArrowLeft")
    page.keyboard.press("ArrowLeft")
    assert shown(page) == ("49 / 51", "49", "49")
    assert page.get_attribute("#board", "alt") == "The board after commit 49"
    assert page.get_attribute("#board", "src") != last
    assert page.text_content("#words") != words
    page.keyboard.press("Home")
    assert shown(page) == ("1 / 51", "1", "1")
    page.keyboard.press("End")
    assert (page.get_attribute("#board", "src"), page.text_content("#words")) == (last, words)
    assert page.evaluate("document.querySelector('#board').naturalWidth") > 0
    assert said == []


def test_each_commit_has_an_address(page: Page, write: Write, played: Record) -> None:
    """`#33` opens there, a link within leads there, and a click on an entry does."""
    url = write(played.file())
    page.goto(f"{url}#33")
    assert shown(page) == ("33 / 51", "33", "33")
    page.evaluate("location.hash = '#7'")
    page.locator("#place", has_text="7 / 51").wait_for()
    page.click("[id='9'] p")
    assert shown(page) == ("9 / 51", "9", "9")


def test_opens_at_the_fault(page: Page, write: Write, played: Record) -> None:
    """A log in dispute is shown where it is wrong, marked, and what follows is greyed."""
    forged = played.forged(20, lambda commit: commit["cmd"].update(card=99))
    page.goto(write(forged.file()))
    assert shown(page) == ("20 / 51", "20", "")
    assert page.get_attribute("[id='20']", "class") == "fault"
    assert page.locator("li.after").count() == 31
    assert "In dispute: 19 of 51 commits proven" in page.inner_text(".verdict")


def test_finds_text_and_plays_by_itself(page: Page, write: Write, played: Record) -> None:
    """Search leads from entry to entry; play goes on until it is told to stop."""
    page.goto(write(played.file()))
    page.fill("#search", "obstacle")
    page.keyboard.press("Enter")
    assert shown(page)[0] == "2 / 51"
    page.click("#next")
    assert shown(page)[0] == "3 / 51"
    page.click("#play")
    page.locator("#place", has_text="5 / 51").wait_for()
    page.click("#play")
    assert page.get_attribute("#play", "aria-pressed") == "false"


def test_fits_a_phone_and_prints_to_be_signed(page: Page, write: Write, played: Record) -> None:
    """Nothing sticks out at 390 pixels; on paper controls go, and lines to sign on come."""
    page.set_viewport_size({"width": 390, "height": 844})
    page.goto(write(played.file()))
    assert page.evaluate("document.documentElement.scrollWidth") <= 390
    assert not page.is_visible(".signatures")
    page.emulate_media(media="print")
    assert page.is_visible(".signatures")
    assert "Arbiter" in page.inner_text(".signatures")
    assert not page.is_visible(".controls")
    cut = "getComputedStyle(document.querySelector('#log li')).breakInside"
    assert page.evaluate(cut) == "avoid"


def test_works_where_another_page_frames_it(page: Page, servers: list[Server]) -> None:
    """Over HTTP, sandboxed, in another origin's frame, by a spectator's token: its script runs."""
    match = Table(servers[0], "giro-galoppo", 3, public=True)
    match.move()
    match.rule({"type": "void", "reason": "over"})
    url = f"{match.url('/report')}?access_token={match.spectator}"
    page.set_content(f'<iframe src="{url}" width="900" height="700"></iframe>')
    frame = page.frame_locator("iframe")
    frame.locator("#place", has_text="3 / 3").wait_for()
    frame.locator("#back").click()
    frame.locator("#place", has_text="2 / 3").wait_for()
    assert frame.locator("dl").inner_text().count("spectator") == 1
