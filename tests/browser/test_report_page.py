"""The page of `replay report` in a browser: whole, quiet, by hand and by keyboard, on paper."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any, Final

import pytest
from click.testing import CliRunner
from playwright.sync_api import Browser, Page

from benchmarks.report import long_match
from referee.catalogue import catalogue
from referee.core.table.commands import AnswerCall, CallArbiter, TakeBack
from replay.group import replay
from tests.live.servers import Server, Table
from tests.node.tools import HERE
from tests.replay.logs import Record, clocked, table

pytestmark = pytest.mark.browser

Write = Callable[[bytes], str]

AXE: Final = HERE / "node_modules/axe-core/axe.min.js"
DESK: Final = {"width": 1366, "height": 768}
PHONE: Final = {"width": 390, "height": 844}


@pytest.fixture(scope="session")
def played() -> Record:
    """A match of three, played to its end: 51 commits."""
    return table().play().record()


@pytest.fixture(scope="session")
def ruled() -> Record:
    """A match of two with a clock in which an arbiter was called, and took back: 41 commits."""
    match = table(names=("Ann", "Bob"), clock=clocked(600)).play(30)
    match.send(1, CallArbiter("He moved my horse."))
    match.send("organizer", AnswerCall("put back"))
    match.send("organizer", TakeBack(to=28, reason="the horse was moved"))
    return match.play(7).record()


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
    marked.wait_for()
    assert marked.count() == 1
    return page.inner_text("#place"), str(marked.get_attribute("id")), page.url.partition("#")[2]


def opened(page: Page, url: str) -> None:
    """Open a page, and wait until its script shows a step."""
    page.goto(url)
    page.locator("#board svg").wait_for()


def in_view(page: Page, selector: str) -> bool:
    """Whether an element is whole within the window."""
    box = page.locator(selector).bounding_box()
    size = page.viewport_size
    assert box is not None
    assert size is not None
    right, bottom = box["x"] + box["width"], box["y"] + box["height"]
    return min(box["x"], box["y"]) >= 0 and right <= size["width"] and bottom <= size["height"] + 1


def board(page: Page) -> str:
    """The picture that is shown, without the outlines of what changed."""
    drawn = "document.querySelector('#board svg').cloneNode(true)"
    bare = "for (const one of svg.querySelectorAll('.came, .went')) one.remove()"
    return str(page.evaluate(f"() => {{ const svg = {drawn}; {bare}; return svg.outerHTML; }}"))


def test_goes_through_the_match_by_the_keyboard(page: Page, write: Write, played: Record) -> None:
    """Arrows, pages, Home, End, quietly; board, entry, address and the board's words go along."""
    said: list[str] = []
    asked: list[str] = []
    page.on("console", lambda message: said.append(message.text))
    page.on("pageerror", lambda error: said.append(str(error)))
    page.on("request", lambda request: asked.append(request.url.partition(":")[0]))

    opened(page, write(played.file()))
    assert shown(page) == ("51 / 51", "51", "")
    assert page.evaluate("scrollY") == 0
    last, words = board(page), page.text_content("#words")
    page.keyboard.press("ArrowLeft")
    page.keyboard.press("ArrowLeft")
    assert shown(page) == ("49 / 51", "49", "49")
    assert board(page) != last
    assert page.text_content("#words") != words
    page.keyboard.press("PageUp")
    assert shown(page)[0] == "39 / 51"
    page.keyboard.press("Home")
    assert shown(page) == ("1 / 51", "1", "1")
    page.keyboard.press("End")
    assert page.text_content("#words") == words
    page.keyboard.press("Space")
    assert page.get_attribute("#play", "aria-pressed") == "true"
    assert said == []
    assert set(asked) <= {"file", "data", "blob"}


def test_tab_reaches_every_control(page: Page, write: Write, ruled: Record) -> None:
    """All that can be clicked can be had by the keyboard, and says what it is."""
    opened(page, write(ruled.file()))
    reached: list[str] = []
    for _ in range(120):
        page.keyboard.press("Tab")
        reached.append(
            str(page.evaluate("document.activeElement.id || document.activeElement.dataset.to"))
        )
        if reached[-1] == "viewer":
            break
    wanted = {"first", "back", "on", "last", "play", "slider", "search", "earlier", "later"}
    wanted |= {"viewer", "choose", "larger", "board", "log", "words"} - {"words"}
    assert wanted <= set(reached)
    assert "ruling" in reached


def test_each_commit_has_an_address(page: Page, write: Write, played: Record) -> None:
    """`#33` opens there, a link within leads there, and a click on an entry does."""
    opened(page, f"{write(played.file())}#33")
    assert shown(page) == ("33 / 51", "33", "33")
    page.evaluate("location.hash = '#7'")
    page.locator("#place", has_text="7 / 51").wait_for()
    page.click("[id='9'] p")
    assert shown(page) == ("9 / 51", "9", "9")


@pytest.mark.parametrize("size", [DESK, PHONE], ids=["desk", "phone"])
def test_its_controls_are_always_in_view(
    page: Page, write: Write, ruled: Record, size: dict[str, Any]
) -> None:
    """At the top, at a step, deep in the log; nothing sticks out, and the board is whole."""
    page.set_viewport_size(size)  # type: ignore[arg-type]
    opened(page, write(ruled.file()))
    controls = ["#first", "#on", "#play", "#slider", "#place", "[data-to=ruling]", "#viewer"]
    assert all(in_view(page, one) for one in controls)
    page.click("#back")
    assert all(in_view(page, one) for one in [*controls, "#board svg", "#now h2", "#said"])
    page.evaluate("scrollTo(0, document.body.scrollHeight)")
    assert all(in_view(page, one) for one in controls)
    assert page.evaluate("document.documentElement.scrollWidth") <= size["width"]


def test_a_phone_has_large_words_of_its_own(page: Page, write: Write, ruled: Record) -> None:
    """What happened stands there larger than on a desk; the board can be made larger."""
    size = "parseFloat(getComputedStyle(document.querySelector('#said')).fontSize)"
    opened(page, write(ruled.file()))
    on_desk = page.evaluate(size)
    page.set_viewport_size(PHONE)  # type: ignore[arg-type]
    assert page.evaluate(size) > 20 > on_desk
    wide = "document.querySelector('#board svg').getBoundingClientRect().width"
    before = page.evaluate(wide)
    page.click("#larger")
    assert page.evaluate(wide) > 2 * before


def test_a_long_match_opens_and_is_stepped_through(page: Page, write: Write) -> None:
    """The page of 2,500 commits shows its last one, its first, and any between, each as it was."""
    opened(page, write(long_match(catalogue().current("giro-galoppo"), 2500)))
    assert shown(page)[0] == "2500 / 2500"
    last = board(page)
    for key, place in (("Home", "1"), ("ArrowRight", "2"), ("End", "2500"), ("PageUp", "2490")):
        page.keyboard.press(key)
        assert shown(page)[0] == f"{place} / 2500"
    assert board(page) != last
    page.keyboard.press("PageDown")
    assert board(page) == last


def test_tells_beside_the_board_what_happened(page: Page, write: Write, ruled: Record) -> None:
    """The sentence, who is to act, the rulings, the clocks; what was taken back is greyed."""
    page.set_viewport_size(DESK)  # type: ignore[arg-type]
    opened(page, f"{write(ruled.file())}#29")
    assert "face down" in page.inner_text("#said")
    assert page.inner_text("#which").startswith("Kept: card-in-hand")
    assert page.locator("#clocks li").count() == 2
    assert "running" in page.inner_text("#clocks")
    assert "To act: seat " in page.inner_text("#acts")
    page.click("#why summary")
    assert page.locator("#rulings li small").first.is_visible()
    gone = page.locator("li.gone")
    assert [one.get_attribute("id") for one in gone.all()] == ["29", "30", "31", "32", "33"]
    assert page.locator("#log h3").all_inner_texts()[:2] == ["The obstacles", "Round 1"]


def test_outlines_what_changed(page: Page, write: Write, played: Record) -> None:
    """A card that lies now, and the place in the hand that it left; nothing at the start."""
    opened(page, f"{write(played.file())}#1")
    assert page.locator("#board .came, #board .went").count() == 0
    page.click("#on")
    assert page.locator("#board .came").count() >= 1
    page.evaluate("location.hash = '#8'")
    page.locator("#place", has_text="8 / 51").wait_for()
    assert page.locator("#board .came").count() >= 1
    assert page.locator("#board .went").count() >= 1


def test_opens_at_the_fault(page: Page, write: Write, played: Record) -> None:
    """A log in dispute is shown where it is wrong, marked, what follows greyed, and what is due."""
    forged = played.forged(20, lambda commit: commit["cmd"].update(card=99))
    page.set_viewport_size(DESK)  # type: ignore[arg-type]
    opened(page, write(forged.file()))
    assert shown(page) == ("20 / 51", "20", "")
    assert page.get_attribute("[id='20']", "class") == "fault"
    assert page.locator("li.after").count() == 31
    assert "In dispute: lawful up to commit 19 of 51" in page.inner_text(".verdict")
    assert "card-in-hand" in page.inner_text("#wrong")
    assert in_view(page, "#due svg")
    assert in_view(page, "#found svg")
    captions = page.locator("#boards figcaption").all_inner_texts()
    assert captions == ["Expected, by the rules", "Found in the log"]
    page.click("#on")
    assert not page.is_visible("#due")
    assert not page.is_visible("#wrong")


def test_a_phone_opens_with_the_sentence_of_the_fault(page: Page, write: Write) -> None:
    """It stands above the boards, clear of the bar; long names fit the width."""
    match = table("m" * 40, names=("A" * 40, "Bob")).play(30)
    forged = match.record().forged(20, lambda commit: commit["cmd"].update(card=99))
    page.set_viewport_size(PHONE)  # type: ignore[arg-type]
    for url in (write(forged.file()), f"{write(match.record().file())}#12"):
        opened(page, url)
        assert page.evaluate("document.documentElement.scrollWidth") == PHONE["width"]
    opened(page, write(forged.file()))
    wrong, bar = (page.locator(one).bounding_box() for one in ("#wrong", ".bar"))
    assert wrong is not None
    assert bar is not None
    assert in_view(page, "#wrong")
    assert wrong["y"] + wrong["height"] < bar["y"]


def test_nobody_is_to_act_while_the_match_is_paused(
    page: Page, write: Write, ruled: Record
) -> None:
    """From the call to its answer it says so, instead of who would be to act."""
    opened(page, f"{write(ruled.file())}#32")
    assert page.inner_text("#acts") == "The match is paused."
    page.click("#on")
    assert page.inner_text("#acts").startswith("To act: seat ")


def test_finds_jumps_and_plays_by_itself(page: Page, write: Write, ruled: Record) -> None:
    """Search leads from entry to entry, jumps to the next ruling; play goes on until told."""
    opened(page, write(ruled.file()))
    page.fill("#search", "obstacle")
    lines = page.locator("#log li").all_inner_texts()
    assert page.inner_text("#hits") == f"{sum('obstacle' in one for one in lines)} found"
    page.keyboard.press("Enter")
    assert shown(page)[0] == "2 / 41"
    page.click("#later")
    assert shown(page)[0] == "3 / 41"
    page.click("#earlier")
    assert shown(page)[0] == "2 / 41"
    page.click("[data-to=ruling]")
    assert shown(page)[0] == "32 / 41"
    assert "He moved my horse." in page.inner_text("#said")
    page.click("#play")
    page.locator("#place", has_text="34 / 41").wait_for()
    page.click("#play")
    assert page.get_attribute("#play", "aria-pressed") == "false"


def test_the_organizer_looks_on_as_a_seat(page: Page, write: Write, played: Record) -> None:
    """Board, words and sentences are those of the seat; the log's too."""
    opened(page, f"{write(played.file())}#8")
    first = [board(page), page.inner_text("#said"), page.text_content("#words")]
    page.select_option("#viewer", label="spectator")
    second = [board(page), page.inner_text("#said"), page.text_content("#words")]
    assert all(one != other for one, other in zip(first, second, strict=True))
    assert page.inner_text("[id='8'] p").endswith("lays a card face down.")
    page.select_option("#viewer", label="organizer")
    assert [board(page), page.inner_text("#said")] == first[:2]


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_axe_has_nothing_to_say(page: Page, write: Write, ruled: Record, scheme: Any) -> None:
    """At a desk and on a phone, by day and by night, and at a fault."""
    page.emulate_media(color_scheme=scheme)
    forged = ruled.forged(20, lambda commit: commit["cmd"].update(card=99))
    for size in (DESK, PHONE):
        page.set_viewport_size(size)  # type: ignore[arg-type]
        for record in (ruled, forged):
            opened(page, write(record.file()))
            page.evaluate(AXE.read_text("utf-8"))
            found = page.evaluate("axe.run()")["violations"]
            assert [(one["id"], [node["html"] for node in one["nodes"]]) for one in found] == []


def test_prints_to_be_signed(page: Page, write: Write, played: Record) -> None:
    """First the result and lines to sign on; then the boards that were chosen; no entry is cut."""
    opened(page, write(played.file()))
    assert not page.is_visible(".signatures")
    for step in ("12", "20"):
        page.click(f"[id='{step}'] p")
        page.check("#choose")
    page.emulate_media(media="print")
    down = [".result", ".signatures", ".verdict", "dl", "#prints", "#log"]
    boxes = [page.locator(one).bounding_box() for one in down]
    tops = [box["y"] for box in boxes if box is not None]
    assert tops == sorted(tops)
    assert len(tops) == len(down)
    assert "Arbiter" in page.inner_text(".signatures")
    captions = page.locator("#prints figcaption").all_inner_texts()
    assert [one.partition(":")[0] for one in captions] == ["After commit 12", "After commit 20"]
    assert not page.is_visible(".bar")
    hidden = "((log) => log.scrollHeight - log.clientHeight)(document.querySelector('#log'))"
    assert page.evaluate(hidden) <= 0
    cut = "getComputedStyle(document.querySelector('#log li')).breakInside"
    assert page.evaluate(cut) == "avoid"
    assert page.pdf(format="A4").startswith(b"%PDF")


def test_without_scripts_it_shows_a_board_and_every_commit(
    browser: Browser, write: Write, played: Record
) -> None:
    """The last board stands there as a picture, and the log in full."""
    with browser.new_context(java_script_enabled=False) as context:
        page = context.new_page()
        page.goto(write(played.file()))
        assert page.locator("#board img").is_visible()
        assert page.locator("#log li").count() == 51
        assert not page.is_visible(".bar")


def test_works_where_another_page_frames_it(page: Page, servers: list[Server]) -> None:
    """Over HTTP, sandboxed, in another origin's frame, by a spectator's token: its script runs."""
    match = Table(servers[0], "giro-galoppo", 3, public=True)
    match.move()
    match.rule({"type": "void", "reason": "over"})
    url = f"{match.url('/report')}?access_token={match.spectator}"
    page.set_content(f'<iframe src="{url}" width="900" height="700"></iframe>')
    frame = page.frame_locator("iframe")
    frame.locator("#place", has_text="3 / 3").wait_for()
    frame.locator("#board svg").wait_for()
    frame.locator("#back").click()
    frame.locator("#place", has_text="2 / 3").wait_for()
    assert frame.locator("dl").inner_text().count("spectator") == 1
    assert frame.locator("#viewer").count() == 0


def test_works_as_it_is_served(page: Page, servers: list[Server]) -> None:
    """Opened by itself under its policy: steps, addresses and search; nothing else is asked for."""
    said: list[str] = []
    page.on("console", lambda message: said.append(message.text))
    page.on("pageerror", lambda error: said.append(str(error)))
    match = Table(servers[0], "giants-dance", 2, public=True)
    match.rule({"type": "void", "reason": "over"})
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url))
    url = f"{match.url('/report')}?access_token={match.spectator}"
    opened(page, f"{url}#1")
    assert shown(page) == ("1 / 2", "1", "1")
    page.keyboard.press("ArrowRight")
    assert shown(page) == ("2 / 2", "2", "2")
    page.fill("#search", "void")
    assert page.inner_text("#hits") == "1 found"
    assert [one for one in asked if not one.startswith(("data:", "blob:"))] == [url]
    assert [one for one in said if "favicon" not in one] == []
