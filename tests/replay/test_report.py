"""`replay report`: one page that opens with no network."""

from __future__ import annotations

import base64
import hashlib
import json
import re
import zlib
from html import unescape
from html.parser import HTMLParser
from itertools import accumulate
from pathlib import Path
from typing import Any

import pytest

from benchmarks.report import long_match
from referee.catalogue import catalogue
from referee.core.table.commands import (
    AddEntropy,
    AnswerCall,
    CallArbiter,
    Certify,
    Deal,
    Pause,
    TakeBack,
)
from referee.selfplay import Setup, Trial, chance_of
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


def shown(text: str) -> Any:
    """What a page's script shows: all steps, as it unpacks them."""
    packed = text.partition('id="course">')[2].partition("</script>")[0]
    return json.loads(zlib.decompress(base64.b64decode(packed)))


def boards(text: str, drawings: str = "boards", viewer: int = 0) -> list[str]:
    """The pictures of a page, step by step (or, as "words", their words), as a viewer sees them."""
    held = shown(text)[drawings]
    drawn: list[int] = []
    steps: list[str] = []
    for step in held["steps"]:
        drawn = spliced(drawn, step[viewer])
        steps.append("".join(held["pieces"][piece] for piece in drawn))
    return steps


def spliced(drawn: list[int], splices: list[list[int]]) -> list[int]:
    """The pieces of a drawing that splices make of another."""
    pieces, at = list[int](), 0
    for stay, gone, *come in splices:
        pieces += [*drawn[at : at + stay], *accumulate(come)]
        at += stay + gone
    return pieces + drawn[at:]


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


def test_draws_a_match_that_waits_for_entropy(run: Run, keep: Keep, page: Path) -> None:
    """Before the deal an empty board that says so, in words too; then the game's own."""
    setup = Setup(seats=2, seed=bytes(32), entropy="seats")
    trial = Trial(catalogue().current("dragon-dance"), setup, chance_of("entropy"))
    trial.take(trial.by_seat(0), AddEntropy("0a" * 16))
    trial.take(trial.organizer(), Deal("the round begins"))
    commits = tuple(step.decided.data for step in trial.steps)
    for count in (1, 3):
        record = Record("trial", "dragon-dance/1", commits[:count])
        assert run("report", keep(record.file()), "-o", page).status == 0
        text = page.read_text("utf-8")
        for drawings in ("boards", "words"):
            waiting = ["Nothing is dealt yet" in step for step in boards(text, drawings)]
            assert waiting == [True, True, False][:count]


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
    assert [attrs.get("alt") for attrs in images] == ["The board"]
    assert text.count("</script>") == 2
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


def facts(text: str) -> dict[str, str]:
    """The head of a page: what it says of the match."""
    known = dict(re.findall(r"<dt>(.*?)<dd>(.*?)</div>\n", unescape(text)))
    return known | dict(re.findall(r'<p class="result"><b>(.*?)</b> (.*?)</p>', text))


def test_begins_with_what_the_match_was(run: Run, keep: Keep, played: Record, page: Path) -> None:
    """Where and when it was played, by whom, under which options, how it ended, by what chance."""
    match = table(options={"length": 44}, tournament="Spring", round=2, table="5").play()
    match.send("organizer", Certify())
    run("report", keep(match.record().signed()), "-o", page, "--key", public(KEY))
    told = facts(page.read_text("utf-8"))
    assert (told["Tournament"], told["Round"], told["Table"]) == ("Spring", "2", "5")
    assert told["Played"].startswith("2023-11-14T22:13:20.000Z to 2023-11-14T22:13:")
    assert told["Options"] == "length 44"
    assert told["Result"].endswith("(played-out; certified)")
    assert told["Signature"] == f"by the trusted key {public(KEY)}"
    assert told["Chance"].startswith(f"from the seed {1:064x}, which fits sha256:")
    run("report", keep(played.having(played.commits[:9]).file()), "-o", page, "--viewer", "0")
    told = facts(page.read_text("utf-8"))
    assert (told["Options"], told["Result"]) == ("as usual", "none yet: active")
    assert told["Chance"].startswith("from a seed that is kept until the match is over; sha256:")
    assert "Tournament" not in told


def test_keeps_the_seed_until_the_match_is_over(
    run: Run, keep: Keep, played: Record, page: Path
) -> None:
    """Neither the organizer's page nor what its script unpacks has it, in play or paused."""
    paused = table().play(3)
    paused.send("organizer", Pause())
    for record in (played.having(played.commits[:9]), paused.record()):
        run("report", keep(record.file()), "-o", page)
        text = page.read_text("utf-8")
        assert f"{1:064x}" not in text + json.dumps(shown(text))
        assert facts(text)["Chance"].startswith("from a seed that is kept until the match is over")
    run("report", keep(played.file()), "-o", page)
    assert f"from the seed {1:064x}, which fits" in page.read_text("utf-8")


def test_says_for_whom_it_is_while_something_is_hidden(
    run: Run, keep: Keep, played: Record, page: Path
) -> None:
    """The organizer's of a match that is not over is not for players, a seat's for that seat."""
    in_play = keep(played.having(played.commits[:9]).file(), "play.match")
    warnings = {}
    for path, viewer in ((in_play, "organizer"), (in_play, "1"), (in_play, "spectator")):
        run("report", path, "-o", page, "--viewer", viewer)
        warnings[viewer] = re.findall('class="warning">(.*?)<', page.read_text("utf-8"))
    makes = "`replay report --viewer spectator` makes one that may be shown."
    assert warnings["organizer"] == [f"Not for players: holds what is hidden; {makes}"]
    assert warnings["1"] == [f"For the eyes of seat 1 alone: holds what is hidden; {makes}"]
    assert warnings["spectator"] == []
    run("report", keep(played.file()), "-o", page)
    assert 'class="warning"' not in page.read_text("utf-8")


def test_lets_nobody_sign_what_is_not_settled(
    run: Run, keep: Keep, played: Record, page: Path
) -> None:
    """Lines to sign stand only where the match is over, and the log not in dispute."""
    forged = played.forged(20, lambda commit: commit["cmd"].update(card=99))
    for record, lines in ((played, 1), (played.having(played.commits[:9]), 0), (forged, 0)):
        run("report", keep(record.file()), "-o", page)
        assert page.read_text("utf-8").count('<div class="signatures">') == lines
    text = page.read_text("utf-8")
    assert facts(text)["Result"].startswith("by this file; not proven: 1. seat ")
    assert text.index("In dispute: lawful up to") < text.index('<p class="result">')


def test_counts_what_was_refused(run: Run, keep: Keep, played: Record, page: Path) -> None:
    """The head says how many refusals there are, and after which commits, each a link."""
    path = keep(played.file())
    refused = {"at": 1_700_000_000_000, "by": "seat:0", "seat": 0, "ruling": "card-in-hand"}
    refused |= {"command": {"type": "choose_card", "card": 9}, "detail": "Card 9 is not there."}
    lines = [json.dumps({**refused, "version": version}) for version in (7, 7, 9)]
    Path(path).with_suffix(".refusals.jsonl").write_text("\n".join(lines))
    run("report", path, "-o", page)
    links = '<a href="#7">7</a>, <a href="#9">9</a>'
    assert f"3 refusals, after commit {links}</p>" in page.read_text("utf-8")


def test_lists_calls_and_rulings_with_their_reasons(run: Run, keep: Keep, page: Path) -> None:
    """Each with the commit that it is in; a call's words for the caller and the organizer alone."""
    match = table().play(3)
    match.send(1, CallArbiter("He moved my horse."))
    match.send("organizer", AnswerCall("put back"))
    match.send("organizer", TakeBack(to=3, reason="the horse was moved"))
    path = keep(match.record().file())
    run("report", path, "-o", page)
    text = page.read_text("utf-8")
    listed = re.findall(r'<li><a href="#(\d+)">\d+</a> (.*)\n', text)
    assert [int(version) for version, _ in listed] == [5, 6, 7]
    assert "He moved my horse." in listed[0][1]
    assert "put back" in listed[1][1]
    assert "goes back to version 3: the horse was moved" in listed[2][1]
    assert re.findall(r'<li id="(\d+)" class="gone"', text) == ["4", "5", "6"]
    run("report", path, "-o", page, "--viewer", "0")
    assert "He moved my horse." not in page.read_text("utf-8")


def test_opens_where_it_is_wrong(run: Run, keep: Keep, played: Record, page: Path) -> None:
    """The page knows the commit at fault, and which follow it; else it opens at the last."""
    run("report", keep(played.file()), "-o", page)
    assert 'data-opens="51"' in page.read_text("utf-8")
    forged = played.forged(20, lambda commit: commit["cmd"].update(card=99))
    run("report", keep(forged.file()), "-o", page)
    text = page.read_text("utf-8")
    assert 'data-opens="20"' in text
    assert '<li id="20" class="fault">' in text
    assert text.count('class="after"') == 31


def test_says_the_board_in_words_at_every_step(
    run: Run, keep: Keep, played: Record, page: Path
) -> None:
    """What `show` prints for a step is there as the picture's alternative."""
    path = keep(played.file())
    run("report", path, "-o", page)
    words = boards(page.read_text("utf-8"), "words")
    assert len(words) == 51
    for version in (1, 9, 51):
        drawn = run("show", path, "--at", version).out.partition("\n\n")[2]
        assert words[version - 1].rstrip("\n") == drawn.rstrip("\n")


@pytest.mark.long
@pytest.mark.parametrize("game", sorted({rules.game.id for rules in catalogue()}))
def test_a_long_match_makes_a_small_page(run: Run, keep: Keep, page: Path, game: str) -> None:
    """As it grows from 300 commits to 600 it stays below 2 MB, 800 bytes a step, up to 2,500.

    All of the most seats look on. What a page has besides its steps it has once.
    """
    sizes = []
    for commits in (300, 600):
        path = keep(long_match(catalogue().current(game), commits))
        ran = run("report", path, "-o", page, "--json")
        assert ran.json["steps"] == commits
        sizes.append(ran.json["bytes"])
    a_step = (sizes[1] - sizes[0]) / 300
    assert a_step < 800
    assert sizes[1] + 1_900 * a_step < 2_000_000


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


@pytest.mark.parametrize("viewer", ["0", "1", "spectator"])
def test_a_page_of_a_forged_log_hides_what_was_due_and_what_stands(
    run: Run, keep: Keep, page: Path, viewer: str
) -> None:
    """Another hidden card makes no other page, its packed steps included, but for its own seat."""
    laid = table(names=("Ann", "Bob")).play(6)
    assert 5 in laid.match.state.hands[0]
    pages = []
    for due, stands in ((4, 7351), (4, 7352), (5, 7351)):

        def change(commit: dict[str, Any]) -> None:
            commit["cmd"]["card"], commit["ev"][0]["card"] = due, stands  # noqa: B023

        forged = laid.record().forged(7, change)
        run("report", keep(forged.file()), "-o", page, "--viewer", viewer)
        text = page.read_text("utf-8")
        told = unescape(text) + json.dumps(shown(text))
        assert "ommit 7" in told
        assert (str(stands) in told) == (viewer == "0")
        pages.append(re.sub(r"\b[0-9a-f]{16,64}\b", "HEAD", told))
    assert len(set(pages)) == (3 if viewer == "0" else 1)


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
    assert "In dispute: lawful up to commit 1 of 51" in text
    assert facts(text)["Signature"] == "none"
    run("report", keep(played.signed(signature="AAAA")), "-o", page)
    assert facts(page.read_text("utf-8"))["Signature"] == "one that does not hold"
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
