"""The desk in a browser: matches of every game played in it, watched and arbitrated."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any, Final, Literal

import pytest
from playwright.sync_api import Browser, Route, expect

from tests.browser.secrets import HIDDEN, drawn_in, kept_back, offered_in, told_in, truths
from tests.browser.tabs import ANY_CHOICE, Tab, link, play_on, play_once, until_owed
from tests.clients import ORGANIZER
from tests.live.servers import Server, Table, serving
from tests.node.tools import HERE

pytestmark = [pytest.mark.browser, pytest.mark.timeout(1200)]  # a whole match, or axe many times

SHORT: Final[dict[str, dict[str, Any]]] = {
    "giro-galoppo": {"length": 20, "natural_obstacles": {"river": [11, 12], "moor": [13]}},
    "dragon-dance": {"hand": 3, "need": 0, "max_rounds": 1, "to_win": 1},
    "giants-dance": {"challenge": False, "movement_deck": [6] * 10},
    "dancing-villager": {"target": 1, "window_ms": 500, "max_rounds": 1},
    "giganten": {"no_progress_limit": 6},
}
"""Options with which a match is over soon."""
CLOCK: Final = {"base_s": 600, "increment_s": 0, "on_flag": "note"}
DEALT: Final = {"match": "dance-1", "seed": "07" * 32}
"""A deal of Dragon Dance that is over soon where the first legal command is always sent."""
BEGUN: Final = 4
"""At this step every game has been dealt and none is over, though each seat adds its entropy."""
OpenTab = Callable[..., Tab]
AXE: Final = HERE / "node_modules" / "axe-core" / "axe.min.js"


@pytest.fixture
def tab(browser: Browser) -> Iterator[OpenTab]:
    """Opens tabs, and closes them."""
    tabs: list[Tab] = []

    def opened(address: str, **context: Any) -> Tab:
        tabs.append(Tab(browser, address, **context))
        return tabs[-1]

    yield opened
    for one in tabs:
        one.close()


class House:
    """A server that falls and stands up again where it was, on the same store."""

    def __init__(self, redis_url: str, stack: ExitStack) -> None:
        self._redis_url, self._stack = redis_url, stack
        self._begin()

    def _begin(self, **settings: str) -> None:
        (self.server,) = self._stack.enter_context(serving(self._redis_url, 1, **settings))

    def fall(self, table: Table, players: list[Tab], watcher: Tab) -> None:
        """Fall, and be back: what is sent meanwhile is taken, once; what is asked is answered."""
        until_owed(table)
        view, port = table.view(), self.server.port
        one = players[view["to_act"][0]]
        one.wait_for_step(view["version"])
        one.wait_for(ANY_CHOICE)
        self.server.kill()
        watcher.wait_for(".away")
        one.act()
        watcher.page.get_by_label("To the start").click()
        self._begin(REFEREE_PORT=str(port))
        table.server, table.client = self.server, self.server.client
        watcher.wait_until_read("board.svg?at=1")
        watcher.page.get_by_role("button", name="Back to now").click()
        watcher.wait_for_step(view["version"] + 1)


@pytest.fixture(scope="module")
def house(lasting_redis_url: str) -> Iterator[House]:
    """A server of its own, which falls."""
    with ExitStack() as stack:
        yield House(lasting_redis_url, stack)


def seated(tab: OpenTab, table: Table, server: Server | None = None) -> list[Tab]:
    """A tab for each seat of a match."""
    return [tab(link(table, token, server)) for token in table.tokens]


def home(server: Server) -> str:
    """The link that signs an organizer in."""
    return f"{server.url}/desk/#token={ORGANIZER}"


# ── Play ──────────────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize("game", SHORT)
def test_two_tabs_play_a_match_to_its_end_and_a_third_watches(
    tab: OpenTab, house: House, game: str
) -> None:
    """By clicks alone, through the death of the server; nobody is told what it may not know.

    No page complains, asks another host, or names a token in an address.
    """
    chance = DEALT if game == "dragon-dance" else {"entropy": "seats"}
    table = Table(house.server, game, 2, options=SHORT[game], **chance)
    players, watcher = seated(tab, table), tab(link(table, table.spectator))

    while table.view()["version"] < BEGUN:
        play_once(table, players)
    house.fall(table, players, watcher)
    play_on(table, players)

    watcher.wait_for(".banner.finished")
    last = table.view()["version"]
    for one in (*players, watcher):
        expect(one.page.locator(".steps output")).to_have_text(f"{last} / {last}")
        expect(one.page.locator(".log li")).to_have_count(last)
        expect(one.page.locator(".away")).to_have_count(0)
        assert one.complaints == []
        assert one.hosts == {"127.0.0.1"}
        assert [url for url in one.asked if "token" in url] == []
        assert "token" not in one.page.url
    nobody_was_told_a_secret(table, players, watcher)
    watcher.page.get_by_label("To the start").click()
    expect(watcher.page.locator(".steps output")).to_have_text(f"1 / {last}")
    watcher.page.get_by_label("One step on").click()
    watcher.wait_for(".past", has_text="after step 2")


def nobody_was_told_a_secret(table: Table, players: list[Tab], watcher: Tab) -> None:
    """Search all that came to each tab for what its viewer could not know at that step."""
    bearers = (table.spectator, *table.tokens)
    hidden: set[str] = set()
    secrets, found = set(), set()
    for token, one in zip(bearers, (watcher, *players), strict=True):
        log = one.received()
        told, drawn, offered = set(told_in(log)), set(drawn_in(log)), set(offered_in(log))
        assert one is watcher or offered
        for step, truth in truths(table, token).items():
            hidden |= set(kept_back(truth.full, truth.seen))
            assert told & {(step, fact) for fact in truth.secrets} == set()
            assert offered & {(step, text) for text in truth.texts} == set()
            assert drawn & {(step, part) for part in truth.unseen} == set()
            if one is watcher:
                secrets |= {(step, fact) for fact in truth.secrets}
        found |= told & secrets
    expected = HIDDEN[table.made["game"]]
    assert hidden >= expected
    assert found or expected == {"seed"}, "no seat was told even its own secrets"


def test_what_a_busy_service_does_not_answer_is_asked_again(
    tab: OpenTab, servers: list[Server]
) -> None:
    """Whatever is asked: a seat that is told 503 before each answer has all that it needs."""
    table = Table(servers[0], "giro-galoppo", 2)
    one = tab(f"{servers[0].url}/desk/")
    refused: set[str] = set()

    def busy_at_first(route: Route) -> None:
        url = route.request.url
        if url in refused:
            route.fallback()
        else:
            refused.add(url)
            route.fulfill(status=503, headers={"Retry-After": "1"}, body="")

    one.page.route("**/v1/**", busy_at_first)
    one.page.goto(link(table, table.tokens[0]))

    one.wait_for(".board svg")
    one.act()
    one.wait_for(".log li", has_text="puts an obstacle on space 1")
    assert {f"{table.url()}{rest}" for rest in ("", "/legal", "/board.svg", "/commands")} <= refused


def test_the_board_is_played_by_tapping_on_it(tab: OpenTab, servers: list[Server]) -> None:
    """Piece, then cell; a tap on another piece begins anew; Enter sends."""
    table = Table(servers[0], "giganten", 2, seed="07" * 32, options={"tile_draw": "fixed"})
    players = seated(tab, table)
    while table.view()["state"]["phase"] != "play":
        play_once(table, players)
    seat = table.view()["to_act"][0]
    page = players[seat].page
    quiet = [command for command in table.legal(seat) if "challenge" not in command]
    one, other = quiet[0], quiet[-1]

    page.locator(f"g.next[data-piece='{one['piece']}']").click()
    expect(page.locator("g.picked")).to_have_count(1)
    page.locator(f"g[data-piece='{other['piece']}']").click()
    x, y = other["to"]
    page.locator(f"g.next[data-to='{x},{y}']").first.click()
    command = page.locator(".decided strong, button.command")
    command.first.wait_for()
    if page.locator(".decided").count() == 0:  # it may go there with or without a challenge
        command.first.click()
        page.evaluate("document.activeElement.blur()")
    page.keyboard.press("Enter")
    players[seat].wait_for(
        ".log li", has_text=re.compile(rf"moves \w+(-\d)? \({other['piece']}\) from")
    )
    expect(page.locator(f"g[data-piece='{other['piece']}'] > .trace")).to_have_count(1)
    expect(page.locator(".trace")).to_have_count(3)


def test_a_hand_is_quick(tab: OpenTab, servers: list[Server]) -> None:
    """Where nobody owes anything, and who is first counts: one tap on the thing is enough."""
    table = Table(servers[0], "dancing-villager", 2, options={"window_ms": 600_000})
    one, other = seated(tab, table)
    for seat in range(2):
        table.play(seat, {"type": "ready"})
    one.wait_for(".banner.yours", has_text="Be quick")

    one.page.locator("g.next[data-what='dog']").first.click()
    other.wait_for(".log li", has_text="grabs the dog")
    other.page.locator("button.command", has_text="bonfire").click()
    one.wait_for(".log li", has_text="grabs the bonfire")


def test_a_match_is_played_by_the_keyboard(tab: OpenTab, servers: list[Server]) -> None:
    """A digit chooses, Enter sends, Escape begins anew; Tab reaches every command."""
    table = Table(servers[0], "giro-galoppo", 2)
    page = tab(link(table, table.tokens[0])).page
    page.locator("button.command").first.wait_for()

    page.keyboard.press("3")
    expect(page.locator(".decided strong")).to_have_text("Obstacle on space 3")
    page.keyboard.press("Escape")
    expect(page.locator(".decided")).to_have_count(0)
    page.keyboard.press("2")
    expect(page.locator(".decided strong")).to_have_text("Obstacle on space 2")
    page.keyboard.press("Enter")
    page.locator(".log li", has_text="puts an obstacle on space 2").wait_for()
    reached = set()
    for _ in range(40):
        page.keyboard.press("Tab")
        reached.add(page.evaluate("document.activeElement.className"))
    assert "step" in reached


def test_a_set_up_is_changed_on_the_board_and_checked(tab: OpenTab, servers: list[Server]) -> None:
    """Two pieces change places by two taps; what the rules forbid is told with the ruling."""
    table = Table(servers[0], "giganten", 2, options={"tile_draw": "fixed"})
    players = seated(tab, table)
    while table.view()["state"]["phase"] != "setup":
        play_once(table, players)
    page = players[0].page
    chips = page.locator("g.chip")
    expect(chips).to_have_count(24)
    page.locator(".legal").wait_for()

    nest = page.locator("g:has(> g.chip text:text-is('nest'))")
    swamp = table.view()["state"]["board"]
    free = next(
        (x, y)
        for y in range(7)
        for x in range(len(swamp[0]))
        if swamp[len(swamp) - 1 - y][x] == "S"
        and page.locator(f"g[data-at='{x},{y}'] > g.chip").count() == 0
    )
    nest.click()
    page.locator(f"g[data-at='{free[0]},{free[1]}']").first.click()

    page.locator(".refusal", has_text="setup-land").wait_for()
    page.get_by_role("button", name="Fill at random").click()
    page.locator(".legal").wait_for()


def test_a_token_stays_in_its_tab(tab: OpenTab, servers: list[Server]) -> None:
    """It leaves the address at once, stands in no history, and goes when one signs out."""
    table = Table(servers[0], "giro-galoppo", 2)
    one = tab(link(table, table.tokens[0]))
    one.wait_for(".board svg")

    assert one.page.url.endswith(f"/desk/#match={table.match}")
    stored = "JSON.stringify([{...localStorage}, document.cookie])"
    assert table.tokens[0] not in one.page.evaluate(stored)
    one.page.reload()
    one.wait_for(".title", has_text="You are")
    other = one.page.context.new_page()
    other.goto(f"{servers[0].url}/desk/#match={table.match}")
    other.get_by_text("is not there, or this link may not see it").wait_for()
    one.page.evaluate("sessionStorage.setItem('referee-round', '{}')")
    one.page.get_by_role("button", name="Sign out").click()
    one.wait_for(".sure", has_text="needs the link again")
    one.page.locator(".sure .danger").click()
    one.wait_for("h1", has_text="The desk")
    assert one.page.evaluate("sessionStorage.length") == 0


# ── Organize and arbitrate ────────────────────────────────────────────────────────────────────────


def test_an_organizer_creates_a_match_and_hands_out_links(
    tab: OpenTab, servers: list[Server]
) -> None:
    """Options by their schema, seats by name; each link has its code, and signs its seat in."""
    page = tab(home(servers[0])).page
    page.get_by_role("link", name="New match").first.click()
    page.get_by_label("Dragon Dance").check()
    page.get_by_role("button", name="3", exact=True).click()
    for number, name in enumerate(("Ada", "Ben", "Cleo"), 1):
        page.get_by_label(f"Name of player {number}").fill(name)
    page.get_by_label("Tournament").fill("Spring")
    page.get_by_label("With clocks").check()
    page.get_by_text("Options of the game").click()
    expect(page.get_by_label("Hand")).to_have_value("7")
    page.get_by_label("Hand").fill("4")
    page.get_by_label("Hand").blur()
    page.reload()  # all of it is kept
    expect(page.get_by_label("Name of player 2")).to_have_value("Ben")
    expect(page.get_by_label("Minutes each")).to_have_value("15")
    page.get_by_role("button", name="Create the match").click()

    expect(page.locator("svg.qr")).to_have_count(4)
    page.reload()  # the links as well, until another match is made
    address = page.get_by_label("Ben plays by this link").input_value()
    ben = tab(address)
    ben.wait_for(".title", has_text="You are Ben")
    expect(ben.page.locator("g[data-card]")).to_have_count(4)
    expect(ben.page.locator(".seats .clock")).to_have_count(3)
    page.get_by_role("link", name="All tables").click()
    page.get_by_label("Tournament").fill("Spring")
    page.keyboard.press("Enter")
    page.locator("tr", has_text="Ada, Ben, Cleo").get_by_text("playing").wait_for()


def test_an_order_that_will_not_do_says_what_is_wrong(tab: OpenTab, servers: list[Server]) -> None:
    """By the path of the field, as the service says it."""
    page = tab(f"{home(servers[0])}&page=new").page
    page.get_by_label("Giro Galoppo").check()
    page.get_by_text("Options of the game").click()
    page.get_by_label("River").fill("[1, 99]")
    page.get_by_role("button", name="Create the match").click()

    page.locator(".refusal", has_text="options").wait_for()


def test_the_round_is_seen_at_a_glance(
    tab: OpenTab, lasting_redis_url: str, tmp_path: Path
) -> None:
    """Every table, of a tournament or of none; what is chosen stays; what is missing is said."""
    archive = tmp_path / "archive"
    with serving(lasting_redis_url, REFEREE_ARCHIVE=str(archive)) as (server,):
        quick = {"base_s": 1, "increment_s": 0, "on_flag": "note"}
        table, other = (
            Table(server, "giro-galoppo", 2, clock=quick),
            Table(server, "giants-dance", 2),
        )
        one = tab(home(server))
        row = one.page.locator(f"tr:has([href$='{table.match}'])")
        others = one.page.locator(f"tr:has([href$='{other.match}'])")

        expect(row.locator("[data-head='To move']")).to_have_text("p0")
        expect(row.locator("[data-head='Clocks'] li").first).to_contain_text("time is up")
        expect(row.locator("[data-head='Refused']")).to_have_text("0")
        expect(row.locator("[data-head='Last move']")).to_contain_text("step 2")
        table.send(table.tokens[0], {"type": "place_obstacle", "space": 99})
        expect(row.locator("[data-head='Refused']")).to_have_text("1")
        table.play(1, {"type": "call_arbiter", "text": "An obstacle has slipped."})
        expect(row.locator("[data-head='Status']")).to_contain_text("p1 calls the arbiter")
        expect(one.page.locator("tbody tr").first).to_have_class("called")
        one.page.locator("select[name=game]").select_option("giants-dance")
        expect(row).to_have_count(0)
        one.page.reload()
        expect(one.page.locator("select[name=game]")).to_have_value("giants-dance")
        expect(others).to_have_count(1)
        assert one.complaints == []

        archive.write_text("no folder, and so no archive")
        one.wait_for(".note", has_text="A part of the store is away")
        expect(others).to_have_count(1)
        server.kill()
        one.wait_for(".note", has_text="cannot be had at the moment")
        expect(others).to_have_count(1)


def test_an_arbiters_take_back_is_seen_by_all(tab: OpenTab, servers: list[Server]) -> None:
    """To the step that the arbiter looks at; a call before it is heard by the arbiter alone."""
    table = Table(servers[0], "giro-galoppo", 2)
    players, watcher = seated(tab, table), tab(link(table, table.spectator))
    arbiter = tab(f"{home(servers[0])}&match={table.match}")
    for _ in range(3):
        play_once(table, players)
    caller = players[0].page
    caller.get_by_text("Draw, take-back, arbiter").click()
    caller.get_by_label("What is it about?").fill("An obstacle has slipped.")
    caller.get_by_role("button", name="Call the arbiter").click()
    arbiter.wait_for(".offer", has_text="An obstacle has slipped.")
    expect(caller.get_by_role("button", name="Call the arbiter")).to_have_count(0)
    watcher.wait_for(".banner", has_text="has called the arbiter")
    arbiter.page.get_by_label("Answer (for the caller alone)").fill("It is put back.")
    arbiter.page.get_by_label("Ruling").select_option("obstacle-sand")
    arbiter.page.get_by_role("button", name="Answer the call").click()

    arbiter.page.locator("summary", has_text="Take back").click()
    last = table.view()["version"] - 2  # the call and its answer are no moves
    expect(arbiter.page.get_by_label("After step")).to_have_value(str(last - 1))
    arbiter.page.locator(".log .step", has_text="2").first.click()
    arbiter.wait_for(".past", has_text="after step 2")
    expect(arbiter.page.get_by_label("After step")).to_have_value("2")
    arbiter.page.locator("details[open]").get_by_label("Reason").fill("as agreed")
    arbiter.page.get_by_role("button", name="Take back").click()

    for one in (*players, watcher, arbiter):
        one.wait_for(".log li", has_text="goes back to step 2: as agreed")
        expect(one.page.locator(".log")).to_contain_text("The arbiter answers")
    assert "slipped" not in watcher.page.content() + players[1].page.content()
    assert table.view()["state"]["course"]["obstacles"] == [1]


def test_what_counts_stands_above_the_board(tab: OpenTab, servers: list[Server]) -> None:
    """What happened last, what somebody asks for, and that a board is a past one."""
    table = Table(servers[0], "giro-galoppo", 2)
    players = seated(tab, table)
    for _ in range(3):
        play_once(table, players)
    first, second = players
    second.page.set_viewport_size({"width": 390, "height": 844})
    version = table.view()["version"]
    second.page.get_by_text("Draw, take-back, arbiter").click()
    own = second.page.get_by_label("Undo all that came after step")
    expect(own).to_have_value(str(version - 2))  # its own last move goes, and what came after it
    table.send(table.tokens[0], {"type": "request_takeback", "to": version - 1})

    second.wait_for(".banner", has_text=f"asks to go back to after step {version - 1}")
    first.wait_for(".banner", has_text=f"asks to go back to after step {version - 1}")
    agree, rest = second.page.locator(".offer button").first, second.page.locator(".seat details")
    heights = [each.bounding_box() for each in (agree, rest)]
    assert heights[0]["y"] < heights[1]["y"]  # type: ignore[index]
    second.page.get_by_role("button", name="To the start").click()
    second.wait_for(".banner.past", has_text="after step 1")
    expect(second.page.locator(".commands")).to_have_count(0)
    second.page.get_by_role("button", name="Back to now").click()
    second.page.locator(".offer button").first.click()
    second.wait_for(".banner", has_text="goes back")


def test_an_arbiter_rules_and_has_the_record(tab: OpenTab, servers: list[Server]) -> None:
    """Pause, resume, refusals, a new link, the result by a form of places, files, the verdict."""
    table = Table(servers[0], "giro-galoppo", 2, clock=CLOCK)
    table.send(table.tokens[0], {"type": "place_obstacle", "space": 99})
    seat = tab(link(table, table.tokens[0]))
    one = tab(f"{home(servers[0])}&match={table.match}")
    page = one.page

    page.get_by_role("button", name="Pause").click()
    seat.wait_for(".banner.paused")
    page.get_by_role("button", name="Resume").click()
    page.locator("summary", has_text="Grant time").click()
    page.get_by_role("button", name="Grant time").click()
    seat.wait_for(".log li", has_text="gets 60 seconds more")
    page.locator("summary", has_text="Refused commands (1)").click()
    page.get_by_text("Obstacle on space 99").wait_for()
    page.locator("summary", has_text="New link").click()
    page.get_by_role("button", name="New link").first.click()
    page.locator(".sure .danger").click()
    expect(page.locator("svg.qr")).to_have_count(1)
    seat.wait_for(".banner", has_text="not good any more")

    page.locator("summary", has_text="Declare void").click()
    page.locator("details[open]").get_by_label("Reason").fill("a slip")
    page.get_by_role("button", name="Declare void").click()
    one.wait_for("details[open] [role=status]", has_text="ends without a result")
    page.locator("details[open]").get_by_role("button", name="Cancel").click()
    assert table.view()["status"] == "active"

    page.locator("summary", has_text="Set the result").click()
    for name in table.view()["seats"]:
        page.get_by_label(f"Place of {name['name']}").fill("1")
    page.locator("details", has_text="Set the result").get_by_label("Reason").fill(
        "the hall closes"
    )
    page.get_by_role("button", name="Set the result").click()
    one.wait_for(".banner", has_text="A draw: all share the first place")
    expect(page.locator(".board svg")).not_to_contain_text("p1 won")
    page.get_by_role("button", name="Certify").click()
    one.wait_for(".sure", has_text="becomes final")
    page.locator(".sure .danger").click()
    one.wait_for(".banner", has_text="confirmed by the arbiter")
    page.get_by_role("button", name="Is the log in order?").click()
    page.get_by_text("In order. The log is not signed.").wait_for()
    for name, end in (("Match file", ".match"), ("Report", ".html")):
        with page.expect_download() as download:
            page.get_by_role("button", name=name).click()
        assert download.value.suggested_filename == f"{table.match}{end}"
    assert one.complaints == []


# ── For everybody ─────────────────────────────────────────────────────────────────────────────────


def faults_of(one: Tab) -> list[Any]:
    """What axe finds wrong with a page as it is shown."""
    assert AXE.is_file(), "the packages are not there: `make test-browser` installs them"
    if not one.page.evaluate("'axe' in window"):
        one.page.evaluate(AXE.read_text("utf-8"))
    found: list[Any] = one.page.evaluate(
        "axe.run({resultTypes: ['violations'], rules: {'target-size': {enabled: true}}}).then("
        "({violations}) => violations.map(({id, nodes}) => "
        "[id, nodes.map(({html, failureSummary}) => [html.slice(0, 200), failureSummary])]))"
    )
    return found


Scheme = Literal["light", "dark"]
LOOKS: Final[dict[str, tuple[tuple[int, Scheme], ...]]] = {
    "en-US": ((390, "light"), (1920, "dark")),
    "de-DE": ((390, "dark"), (1920, "light")),
}
"""In each language a phone and a hall's screen, each of them light in one and dark in the other."""


@pytest.mark.parametrize("language", LOOKS)
def test_every_page_can_be_used_by_everybody(
    tab: OpenTab, servers: list[Server], language: str
) -> None:
    """Axe finds nothing, and nothing sticks out at the side."""
    table = Table(servers[0], "giganten", 2, tournament="Spring", table="a table")
    race = Table(servers[0], "giro-galoppo", 2, clock=CLOCK)
    while table.view()["state"]["phase"] != "setup":
        table.move()
    race.play(1, {"type": "call_arbiter", "text": "An obstacle has slipped."})
    pages = {
        f"{servers[0].url}/desk/": "form input",
        home(servers[0]): "table.round",
        f"{home(servers[0])}&page=new": ".choice",
        f"{home(servers[0])}&match={race.match}": ".offer",
        link(table, table.tokens[0]): ".legal",
        link(race, race.tokens[1]): ".offer",
        link(table, table.spectator): ".board svg",
    }
    for address, sign in pages.items():
        one = tab(address, locale=language)
        one.wait_for(sign)
        for folded in one.page.locator("summary").all():
            folded.click()
        for width, scheme in LOOKS[language]:
            one.page.emulate_media(color_scheme=scheme)
            one.page.set_viewport_size({"width": width, "height": 900})
            assert faults_of(one) == [], (address, width)
            assert one.page.evaluate("document.documentElement.scrollWidth") <= width, address
        assert one.complaints == [], address


def test_german_is_spoken_to_who_reads_it(tab: OpenTab, servers: list[Server]) -> None:
    """By the browser's wish, and by choice, which is kept."""
    table = Table(servers[0], "giro-galoppo", 2)
    one = tab(link(table, table.tokens[0]))
    one.wait_for(".banner", has_text="It is your turn")
    one.page.get_by_label("Language").select_option("de")
    one.wait_for(".banner", has_text="Du bist am Zug")
    assert one.page.evaluate("document.documentElement.lang") == "de"
    one.page.reload()
    one.wait_for("button.command", has_text="Hindernis auf Feld 1")


def test_nobody_frames_the_desk(tab: OpenTab, servers: list[Server]) -> None:
    """Not even a page of its own origin."""
    one = tab(f"{servers[0].url}/schema")
    one.page.evaluate(
        "(url) => { const frame = document.createElement('iframe'); frame.src = url;"
        " document.body.append(frame); }",
        f"{servers[0].url}/desk/",
    )
    one.page.wait_for_function("true")
    blocked = one.page.locator("iframe").element_handle().content_frame()
    assert blocked is None or blocked.locator("#desk *").count() == 0
