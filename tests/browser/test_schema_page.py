"""The API's description in a browser: whole, quiet, and for the keyboard as well."""

from __future__ import annotations

import re
from urllib.parse import urlsplit

import pytest
from playwright.sync_api import Page

from tests.clients import ask
from tests.live.servers import Server

pytestmark = pytest.mark.browser


@pytest.fixture
def url(servers: list[Server]) -> str:
    """A real server's address."""
    return servers[0].url


def focused(page: Page) -> str:
    """The kind of element that has the keyboard."""
    return str(page.evaluate("document.activeElement.localName"))


def tab_to(page: Page, kind: str) -> None:
    """Press Tab until an element of that kind has the keyboard."""
    for _ in range(200):
        page.keyboard.press("Tab")
        if focused(page) == kind:
            return
    pytest.fail(f"no {kind} can be reached by the keyboard")


def test_shows_every_route_and_every_game(page: Page, url: str) -> None:
    """Before anything is opened, routes as they are written, games as the catalogue names them."""
    document = ask(f"{url}/schema/openapi.json").json()
    games = ask(f"{url}/v1/games").json()["games"]

    page.goto(f"{url}/schema")
    shown = page.inner_text("body")

    assert len(document["paths"]) > 10
    assert [path for path in document["paths"] if path not in shown] == []
    letters = re.sub(r"\W", "", shown).lower()
    assert len(games) > 3
    assert [one for one in games if one["id"].replace("-", "") not in letters] == []


def test_asks_nobody_else_and_complains_of_nothing(page: Page, url: str) -> None:
    """With everything opened: nothing on the console, no other host."""
    said: list[str] = []
    asked: list[str] = []
    page.on("console", lambda message: said.append(message.text))
    page.on("pageerror", lambda error: said.append(str(error)))
    page.on("request", lambda request: asked.append(request.url))

    page.goto(f"{url}/schema", wait_until="networkidle")
    page.evaluate("document.querySelectorAll('details').forEach((one) => { one.open = true; })")
    page.wait_for_load_state("networkidle")

    assert said == []
    assert {urlsplit(one).hostname for one in asked} == {"127.0.0.1"}


def test_can_be_used_by_the_keyboard(page: Page, url: str) -> None:
    """Tab reaches what is folded, Enter opens it, and a link within leads to a shape it opens."""
    page.goto(f"{url}/schema")
    tab_to(page, "summary")
    page.keyboard.press("Enter")
    assert page.evaluate("document.activeElement.parentElement.open") is True

    page.evaluate("document.activeElement.scrollIntoView()")
    for _ in range(20):
        tab_to(page, "a")
        if page.evaluate("document.activeElement.hash") != "":
            break
    page.keyboard.press("Enter")
    shape = page.locator(f"[id='{urlsplit(page.url).fragment}']")
    assert urlsplit(page.url).fragment
    assert shape.is_visible()
