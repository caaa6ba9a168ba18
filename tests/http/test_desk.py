"""The desk's files as they are served: whole, typed, tagged, framed by nobody, and no others."""

from __future__ import annotations

import re
from hashlib import sha256
from posixpath import join, normpath
from typing import Final

import httpx

from referee.http.routes.desk import FILES
from tests.http.site import Api

IMPORT: Final = re.compile(r'^(?:import|export)\b[^;]*?from "(\.[^"]+)"', re.MULTILINE)
TYPES: Final = {"html": "text/html", "css": "text/css", "js": "text/javascript"}


def text_of(path: str) -> str:
    """A file of the desk."""
    return FILES[path].data.decode()


async def test_the_root_leads_to_the_desk(api: Api) -> None:
    """And the desk is there, with and without the slash."""
    root = await api.get("/")

    assert root.headers["location"] == "/desk/"
    for path in ("/desk", "/desk/", "/desk/index.html"):
        answer = await api.get(path)
        assert answer.text == text_of("index.html")
        assert answer.headers["content-type"] == "text/html; charset=utf-8"


async def test_every_file_is_served_for_what_it_is(api: Api) -> None:
    """With its type, a strict policy, and a tag by which a browser keeps it."""
    for path in FILES:
        await assert_served(api, path)


async def assert_served(api: Api, path: str) -> None:
    """A file comes as what it is, and not again to whoever has it."""
    answer = await api.get(f"/desk/{path}")
    again = await api.get(f"/desk/{path}", if_none_match=answer.headers["etag"])
    head = await api.http.head(f"/desk/{path}")

    kind = TYPES.get(path.rpartition(".")[2])
    assert answer.content == FILES[path].data
    assert kind is None or answer.headers["content-type"].startswith(kind)
    assert answer.headers["cache-control"] == "no-cache"
    assert answer.headers["x-content-type-options"] == "nosniff"
    assert answer.headers["referrer-policy"] == "no-referrer"
    policy = answer.headers["content-security-policy"]
    assert "frame-ancestors 'none'" in policy
    assert "default-src 'none'" in policy
    assert "unsafe" not in policy
    assert "http" not in policy
    assert (again.status_code, again.content) == (304, b"")
    assert (head.status_code, head.content, head.headers["etag"]) == (
        200, b"", answer.headers["etag"]
    )  # fmt: skip


OTHER: Final = (
        "nothing.js", "views", "views/", "../routes/desk.py", "%2e%2e/routes/desk.py",
        "..%2froutes/desk.py", "/etc/passwd", "%2fetc/passwd", "vendor/../../app.py",
    )  # fmt: skip


async def test_a_browser_is_told_that_it_has_a_file_however_it_asks(api: Api) -> None:
    """By any tag of several, weak or not, by any version at all; and by nothing malformed."""
    tag = (await api.get("/desk/")).headers["etag"]
    for asked, status in (
        (f'"a",{tag}', 304), (f' "a" , W/{tag} ', 304), ("*", 304),
        ('"a"', 200), (tag.strip('"'), 200), (f"W/W/{tag}", 200),
    ):  # fmt: skip
        assert (await api.get("/desk/", if_none_match=asked)).status_code == status, asked


async def test_no_other_path_leads_to_a_file(api: Api) -> None:
    """Not out of the folder, and not to a folder."""
    for path in OTHER:
        url = httpx.URL("http://referee.test", raw_path=f"/desk/{path}".encode())
        answer = await api.http.get(url)

        assert answer.status_code == 404, path
        assert answer.headers["content-type"] == "application/problem+json"


def test_nothing_stands_inline_and_nothing_comes_from_elsewhere() -> None:
    """The page names its style and its script; no file names another host but to be read."""
    page = text_of("index.html")

    assert not re.search(r"<style|style=|<script[^>]*>[^<]|\son\w+=", page)
    assert set(re.findall(r'(?:src|href)="([^"]+)"', page)) == {
        "/desk/main.js", "/desk/desk.css", "/desk/icon.svg", "/schema",
    }  # fmt: skip
    ours = {path: text_of(path) for path in FILES if not path.startswith("vendor/")}
    found = {
        address for text in ours.values() for address in re.findall(r"https?://[^\s\"'`]+", text)
    }
    assert found <= {"http://www.w3.org/2000/svg"}
    for path, text in ours.items():
        assert "innerHTML" not in text, path
        assert not re.search(r"\beval\(|new Function|style=\$", text), path


def test_every_import_leads_to_a_file_and_every_script_is_imported() -> None:
    """From the first on: no module is missing, and none is forgotten."""
    found: set[str] = set()
    waiting = ["main.js"]
    while waiting:
        path = waiting.pop()
        found.add(path)
        names = [normpath(join(path, "..", name)) for name in IMPORT.findall(text_of(path))]
        assert [name for name in names if name not in FILES] == []
        waiting += [name for name in names if name not in found]

    assert found == {path for path in FILES if path.endswith(".js")}


def test_every_word_of_the_desk_is_said_and_every_one_said_is_there() -> None:
    """What is asked for by its key has words, and no words wait for nobody."""
    code = "".join(text_of(path) for path in FILES if re.fullmatch(r"(views/)?\w+\.js", path))
    section = text_of("words.en.js").partition("  ui: {")[2].partition("\n  },")[0]
    keys = set(re.findall(r'^    "([^"]+)":', section, re.MULTILINE))
    made = tuple(re.findall(r"\bt\(`([\w.-]+)\$\{", code))

    assert len(keys) > 100
    assert set(re.findall(r'\bt\(\s*"([^"]+)"', code)) <= keys
    said = set(re.findall(r'"([a-z]+(?:[.-][a-z-]+)*)"', code))
    assert {key for key in keys - said if not key.startswith(made)} == set()


def test_the_libraries_are_those_that_are_named() -> None:
    """By their hashes, with their licences beside them."""
    row = r"^\| `(\w+\.js)` .*`(\w{64})` \|$"
    named = dict(re.findall(row, text_of("vendor/README.md"), re.MULTILINE))
    brought = [path for path in FILES if path.startswith("vendor/") and path.endswith(".js")]

    assert {f"vendor/{name}" for name in named} == set(brought)
    for name, digest in named.items():
        assert sha256(FILES[f"vendor/{name}"].data).hexdigest() == digest
    licences = [text_of(path) for path in FILES if path.endswith(".LICENSE.txt")]
    assert len(licences) == 3
    assert all("Copyright" in text or "Apache License" in text for text in licences)
