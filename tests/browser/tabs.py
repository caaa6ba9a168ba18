"""Tabs of the desk: what is asked, answered and complained of in them, and hands that play."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final
from urllib.parse import urlsplit

from playwright.sync_api import Browser, Page
from playwright.sync_api import TimeoutError as TooLate

from tests.browser.secrets import Heard
from tests.live.servers import Server, Table, wait_until

PATIENCE_MS: Final = 60_000
SOON_MS: Final = 5_000
"""How long a hand waits for what may have gone meanwhile."""
TURN: Final = ".seat.yours"
CHOICE: Final = f"{TURN} button.command"
FORM: Final = f"{TURN} form.template button.main:not([disabled])"
ANY_CHOICE: Final = f"{CHOICE}, {FORM}"
GONE: Final = "Failed to load resource: net::"
"""What a browser notes where no server answers: no fault of the page."""

LISTENING: Final = """
window.received = [];
const asked = window.fetch;
window.fetch = async (...request) => {
  const answer = await asked(...request);
  const heard = {url: answer.url, tag: answer.headers.get("ETag") ?? "", text: ""};
  window.received.push(heard);
  const reader = answer.clone().body?.pipeThrough(new TextDecoderStream()).getReader();
  const hear = ({done, value}) => done || (heard.text += value, listen());
  const listen = () => reader?.read().then(hear, () => {});
  listen();
  return answer;
};
"""
"""Keeps what the page reads, piece by piece."""


class Tab:
    """A tab of a browser of its own, with all that passed through it."""

    def __init__(self, browser: Browser, address: str, **context: Any) -> None:
        self.page: Page = browser.new_context(**{"locale": "en-US", **context}).new_page()
        self.page.set_default_timeout(PATIENCE_MS)
        self.said: list[str] = []
        self.asked: list[str] = []
        self.page.on("console", lambda message: self.said.append(message.text))
        self.page.on("pageerror", lambda error: self.said.append(str(error)))
        self.page.on("request", lambda request: self.asked.append(request.url))
        self.page.add_init_script(LISTENING)
        self.page.goto(address)

    def close(self) -> None:
        """Close the browser's window."""
        self.page.context.close()

    @property
    def complaints(self) -> list[str]:
        """What was said on the console, but for servers that were not there."""
        return [text for text in self.said if not text.startswith(GONE)]

    @property
    def hosts(self) -> set[str | None]:
        """The hosts that were asked for anything."""
        return {urlsplit(url).hostname for url in self.asked}

    def received(self) -> list[Heard]:
        """All that the API has sent to the page, streams and what has not ended yet too."""
        return [Heard(**heard) for heard in self.page.evaluate("window.received")]

    def wait_until_read(self, end: str) -> None:
        """Wait until the page has read what an address that ends so holds."""
        read = "end => window.received.some(({url, text}) => url.endsWith(end) && text)"
        self.page.wait_for_function(read, arg=end)

    def wait_for(self, selector: str, **more: Any) -> None:
        """Wait until something is shown."""
        self.page.locator(selector, **more).first.wait_for()

    def act(self) -> None:
        """Choose the first command and send it, or send the form as it is filled in."""
        page = self.page
        page.locator(ANY_CHOICE).first.wait_for(timeout=SOON_MS)
        if page.locator(FORM).count():
            page.locator(FORM).click(timeout=SOON_MS)
            return
        page.locator(CHOICE).first.click(timeout=SOON_MS)
        if not page.get_by_label("Send at the first tap").is_checked(timeout=SOON_MS):
            page.locator(".decided .main").click(timeout=SOON_MS)

    def wait_for_step(self, version: int) -> None:
        """Wait until a step is shown, or one behind it."""
        self.page.wait_for_function(f"version => {SHOWN} >= version", arg=version)


def link(table: Table, token: str, server: Server | None = None) -> str:
    """The link that signs somebody in to a match."""
    return f"{(server or table.server).url}/desk/#match={table.match}&token={token}"


def play_on(table: Table, tabs: Sequence[Tab], most: int = 300) -> None:
    """Let whoever is to act do so, until the match is over."""
    for _ in range(most):
        if table.view()["status"] != "active":
            return
        play_once(table, tabs)
    raise AssertionError("the match does not end")


def play_once(table: Table, tabs: Sequence[Tab]) -> None:
    """A command of the first seat that owes one, in its tab, once that shows the present step.

    A window of the game may close meanwhile: then the next one has its turn.
    """
    view = table.view()
    if not view["to_act"] or view["state"] is None:  # what is owed now, the tabs send by themselves
        tabs[0].wait_for_step(view["version"] + 1)
        return
    one = tabs[view["to_act"][0]]
    one.wait_for_step(view["version"])
    for _ in range(PATIENCE_MS // SOON_MS):
        try:
            one.act()
            break
        except TooLate:
            if table.view()["version"] > view["version"]:
                break
    one.wait_for_step(view["version"] + 1)


def until_owed(table: Table) -> None:
    """Wait until a seat owes a command, while a window of the game is open, say."""
    wait_until(lambda: table.view()["to_act"])


SHOWN: Final = 'Number(document.querySelector(".steps output").textContent.split(" ")[0])'
