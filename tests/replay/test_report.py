"""`replay report`: one page that opens with no network."""

from __future__ import annotations

import base64
import hashlib
import json
import re
from html import unescape
from html.parser import HTMLParser
from pathlib import Path

import pytest

from tests.replay.conftest import Keep, Run
from tests.replay.logs import KEY, Record, public, table


class Page(HTMLParser):
    """What a page is made of: its elements, and the text in each kind of them."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.elements: list[tuple[str, dict[str, str | None]]] = []
        self.texts: dict[str, list[str]] = {}
        self._open = ""
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """An element begins."""
        self.elements.append((tag, dict(attrs)))
        self._open = tag

    def handle_data(self, data: str) -> None:
        """Text within the element that began last."""
        self.texts.setdefault(self._open, []).append(data)


@pytest.fixture
def page(run: Run, tmp_path: Path) -> Path:
    """Where a test's page goes."""
    return tmp_path / "report.html"


def boards(text: str, drawings: str = "boards") -> list[str]:
    """The pictures of a page, step by step (or, as "texts", their words)."""
    held = json.loads(text.partition(f'id="{drawings}">')[2].partition("</script>")[0])
    drawn: list[int] = []
    steps: list[str] = []
    for splices in held["steps"]:
        for at, gone, *come in splices:
            drawn[at : at + gone] = come
        steps.append("".join(held["pieces"][piece] for piece in drawn))
    return steps


def test_holds_the_board_at_every_step_and_every_event(
    run: Run, keep: Keep, played: Record, page: Path
) -> None:
    """A picture for each commit, a line for each, the verdict, the head, the key."""
    ran = run("report", keep(played.signed()), "-o", page)
    assert (ran.status, ran.out) == (0, f"m1: 51 steps in {page}\n")
    text = page.read_text("utf-8")
    drawn = boards(text)
    assert len(drawn) == 51
    assert all(svg.startswith("<svg") and svg.endswith("</svg>") for svg in drawn)
    assert text.count("<li id=") == 51
    assert "Not signed: 51 commits" in text
    assert "Every commit follows from the rules" in text
    assert played.head in text
    assert public(KEY) in text
    assert 'max="51"' in text


def test_fetches_nothing_and_runs_nothing_but_its_own(
    run: Run, keep: Keep, played: Record, page: Path
) -> None:
    """No element reaches beyond the page, and its policy allows only its own script and style."""
    run("report", keep(played.file()), "-o", page)
    text = page.read_text("utf-8")
    parsed = Page(text)
    for _, attrs in parsed.elements:
        assert not {"srcset", "action", "onclick"} & set(attrs)
        assert (attrs.get("href") or "#").startswith("#")
        assert (attrs.get("src") or "data:").startswith("data:")
    policy = next(attrs["content"] for _, attrs in parsed.elements if attrs.get("http-equiv"))
    assert policy is not None
    assert policy.startswith("default-src 'none'; img-src data:;")
    for element, named in (("style", "style-src"), ("script", "script-src")):
        body = re.findall(rf"<{element}>(.*?)</{element}>", text, re.DOTALL)
        digest = base64.b64encode(hashlib.sha256(body[0].encode()).digest()).decode()
        assert len(body) == 1
        assert f"{named} 'sha256-{digest}'" in policy


def test_hostile_names_stay_text(run: Run, keep: Keep, page: Path) -> None:
    """Markup and script in a name appear as text, in the lines as in the pictures."""
    name = "</script><img src=x onerror=alert(1)>"
    run("report", keep(table(names=(name, "Bob")).play(2).record().file()), "-o", page)
    text = page.read_text("utf-8")
    images = [attrs for tag, attrs in Page(text).elements if tag == "img"]
    assert [attrs.get("id") for attrs in images] == ["board"]
    assert text.count("</script>") == 3
    assert name in unescape(text)
    assert "onerror=alert(1)>" not in "".join(boards(text))


def test_shows_a_viewer_no_more_than_was_seen(
    run: Run, keep: Keep, played: Record, page: Path
) -> None:
    """A page for spectators holds neither cards laid face down nor, in play, the seed."""
    path = keep(played.having(played.commits[:9]).file())
    run("report", path, "-o", page, "--viewer", "spectator")
    text = page.read_text("utf-8")
    assert "lays a card face down" in text
    assert f"{1:064x}" not in text
    organizers = page.with_name("organizer.html")
    run("report", path, "-o", organizers)
    assert "lays a card face down" not in organizers.read_text("utf-8")


@pytest.mark.parametrize("viewer", ["0", "1", "spectator"])
def test_shows_of_what_is_wrong_no_more_than_was_seen(
    run: Run, keep: Keep, page: Path, viewer: str
) -> None:
    """Of a false event and an unlawful command a hidden card is shown to its seat alone."""
    laid = table(names=("Ann", "Bob")).play(6).record()
    assert laid.opened(7)["ev"] == [{"type": "card_chosen", "seat": 0, "card": 4}]
    for change in (
        lambda commit: commit["ev"][0].update(card=99),
        lambda commit: commit["cmd"].update(card=99),
    ):
        run("report", keep(laid.forged(7, change).file()), "-o", page, "--viewer", viewer)
        told = unescape(page.read_text("utf-8")).partition("<main")[0]
        assert "ommit 7" in told
        assert ("99" in told.partition('class="verdict')[2]) == (viewer == "0")


def test_draws_a_log_in_dispute_as_far_as_it_goes(
    run: Run, keep: Keep, played: Record, page: Path
) -> None:
    """The verdict says what is wrong, with the ruling; the boards go on while they can."""
    forged = played.forged(2, lambda commit: commit["cmd"].update(space=0))
    ran = run("report", keep(forged.file()), "-o", page, "--json")
    assert (ran.status, ran.json["verdict"], ran.json["steps"]) == (1, "in dispute", 51)
    assert (
        run("report", keep(forged.file()), "-o", page).out
        == f"m1, in dispute: 51 steps in {page}\n"
    )
    text = unescape(page.read_text("utf-8"))
    assert "In dispute: 1 of 51 commits proven" in text
    assert "obstacle-sand: An obstacle goes only on a sand space" in text
    ran = run("report", keep(played.put(9, b"junk").file()), "-o", page, "--json")
    assert ran.json["steps"] == 8
    ran = run("report", keep(played.put(1, b"junk").file()), "-o", page)
    assert ran.status == 1


def test_writes_over_no_match_file(run: Run, keep: Keep, played: Record) -> None:
    """A page replaces an older page, and never evidence."""
    path = keep(played.file())
    page = path.with_suffix(".html")
    assert [run("report", path, "-o", page).status for _ in range(2)] == [0, 0]
    assert (run("report", path, "-o", path).status, path.read_bytes()) == (2, played.file())
