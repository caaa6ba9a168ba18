"""Logs from a service: `http(s)://host/v1/matches/ID`, or all of a list, `…/v1/matches?…`."""

import http.client
import os
import re
from collections.abc import Iterator, Mapping
from functools import partial
from types import MappingProxyType
from typing import Annotated, Final
from urllib.error import HTTPError
from urllib.parse import SplitResult, parse_qsl, urlencode, urlsplit, urlunsplit
from urllib.request import HTTPRedirectHandler, Request, build_opener

import msgspec

from referee.core.patterns import MATCH_ID, spelled
from replay.exits import Unusable
from replay.sources.files import LONGEST
from replay.sources.source import RefusedCommand, Source

TOKEN: Final = "REFEREE_TOKEN"  # noqa: S105 - the name of the variable that holds it
TIMEOUT_S: Final = 30.0
SCHEMES: Final = ("http", "https")
PAGE: Final = 500
"""Matches on a page of a list, where its address does not say."""
NOT_MODIFIED: Final = 304
SERVER_ERROR: Final = 500
_ADDRESS: Final = re.compile(rf"(?P<path>.*/v1/matches/(?P<match>{MATCH_ID.pattern}))(?:/log)?/?")
_LIST: Final = re.compile(r"https?://.*/v1/matches/?", re.IGNORECASE)


class _Wrong(msgspec.Struct):
    """One of the things that are wrong, and where."""

    path: str = ""
    message: str = ""


class _Problem(msgspec.Struct):
    """What is read of an answer that is a problem (RFC 9457)."""

    title: str = ""
    detail: str = ""
    errors: list[_Wrong] = []


class _Row(msgspec.Struct):
    """What is read of a match in a list."""

    match: Annotated[str, spelled(MATCH_ID)]


class _Page(msgspec.Struct):
    """A page of a list."""

    matches: list[_Row]
    cursor: str | None
    incomplete: bool = False


class _Refusals(msgspec.Struct):
    """The answer of `GET …/refusals`."""

    refusals: list[RefusedCommand]


class _Info(msgspec.Struct):
    """What is read of a description's heading."""

    version: str


class _Described(msgspec.Struct):
    """What is read of a service's description of itself."""

    info: _Info


class Unanswered(Unusable):
    """The service answers with another status than 200."""

    def __init__(self, status: int, message: str, source: str) -> None:
        super().__init__(message, source)
        self.status: Final = status


class Unreached(Unusable):
    """The service is away: whatever else is asked of it now is not answered either."""


class _NoRedirect(HTTPRedirectHandler):
    """Leaves a redirect as the answer: the token is for the host that was named, and no other."""

    def redirect_request(self, *_answer: object) -> None:
        """Follow none."""


def http_sources(text: str) -> Iterator[Source]:
    """The match at this address of a service, or all that a list there names, page by page.

    A match that is not reached, or otherwise answered, is `Unusable` when it is read.

    Raises:
        Unusable: it is no such address, or the list cannot be had.
    """
    try:
        parts = urlsplit(text)
        host = _host(parts)
    except ValueError as error:
        message = "no address: no host, or no port from 0 to 65535"
        raise Unusable(message, "http://…") from error
    if "@" in parts.netloc:
        name = urlunsplit((parts.scheme, host, parts.path, "", ""))
        raise Unusable(f"no user and password here: the token comes from {TOKEN}", name)
    parts = parts._replace(netloc=host)
    if not (host and is_list(text)):
        yield _match(parts)
        return
    matches = list(_listed(parts))
    if not matches:
        raise Unusable("the service has no match of this list", text)
    yield from matches


def is_list(text: str) -> bool:
    """Whether this is the address of a list of matches: `http(s)://host/v1/matches?…`."""
    address, _, _ = text.partition("?")
    return bool(_LIST.fullmatch(address))


def _match(parts: SplitResult) -> Source:
    name = urlunsplit(parts._replace(query="", fragment=""))
    found = _ADDRESS.fullmatch(parts.path)
    if not parts.netloc or found is None or parts.query or parts.fragment:
        message = "a match's address is http(s)://host/v1/matches/ID, a list's …/v1/matches?…"
        raise Unusable(message, name)
    url = urlunsplit(parts._replace(path=found["path"]))
    return Source(
        name,
        partial(_fetch, f"{url}/log", name),
        service=url.partition("/v1/matches/")[0],
        match=found["match"],
        refusals=partial(_refusals, url, name),
        ends_at=partial(_ends_at, url, name),
    )


def _listed(parts: SplitResult) -> Iterator[Source]:
    """The matches of a list, from its first page to its last; the cursor leads on."""
    name = urlunsplit(parts._replace(query=""))
    query = dict(parse_qsl(parts.query, keep_blank_values=True))
    cursors: set[str | None] = {None}
    while True:
        page = _page(urlunsplit(parts._replace(query=urlencode({"limit": PAGE} | query))), name)
        if page.incomplete:
            raise Unusable("a part of the service's store is away, and its matches missing", name)
        for row in page.matches:
            yield _match(parts._replace(path=f"{parts.path.rstrip('/')}/{row.match}", query=""))
        if page.cursor is None:
            return
        if page.cursor in cursors:
            raise Unusable("the list goes round in a circle", name)
        cursors.add(page.cursor)
        query["cursor"] = page.cursor


def _page(url: str, name: str) -> _Page:
    try:
        return msgspec.json.decode(_fetch(url, name), type=_Page)
    except (ValueError, RecursionError) as error:
        raise Unusable("the answer is no list of matches", name) from error


def _refusals(url: str, name: str) -> list[RefusedCommand] | None:
    """What was refused; None where the service does not tell whoever has this token."""
    try:
        data = _fetch(f"{url}/refusals", name)
        return msgspec.json.decode(data, type=_Refusals).refusals
    except Unanswered as unanswered:
        if unanswered.status >= SERVER_ERROR:
            raise
        return None
    except (ValueError, RecursionError) as error:
        raise Unusable("the answer is no list of refused commands", name) from error


def _ends_at(url: str, name: str, version: int, head: str) -> bool:
    """Whether the match is still at this version with this head: its tag says so."""
    tag = {"If-None-Match": f'"{version}.{head[:16]}"'}
    try:
        _fetch(url, name, tag)
    except Unanswered as unanswered:
        if unanswered.status == NOT_MODIFIED:
            return True
        raise
    return False


def service_version(base: str) -> str | None:
    """The version that the service at this address says it has, if it does."""
    try:
        data = fetch(f"{base}/schema/openapi.json", base, {})
        return msgspec.json.decode(data, type=_Described).info.version
    except (Unusable, ValueError, RecursionError):
        return None


def _fetch(url: str, name: str, headers: Mapping[str, str] = MappingProxyType({})) -> bytes:
    return fetch(url, name, {**_headers(), **headers})


def fetch(url: str, name: str, headers: Mapping[str, str]) -> bytes:
    """What is answered at an address of http or https; `name` is what it is called.

    Raises:
        Unanswered: it answers other than with 200.
        Unreached: it does not answer, or not to the end.
    """
    agent = {"User-Agent": "replay"}
    request = Request(url, headers={**headers, **agent})  # noqa: S310 - http or https
    try:
        with build_opener(_NoRedirect).open(request, timeout=TIMEOUT_S) as answer:
            return _body(answer, name)
    except HTTPError as error:
        with error:
            raise Unanswered(error.code, _said(error), name) from error
    except (OSError, http.client.HTTPException, ValueError) as error:
        raise Unreached(f"{_network(error)}", name) from error


def _headers() -> dict[str, str]:
    token = os.environ.get(TOKEN, "").strip()
    accept = {"Accept": "*/*"}
    return accept | ({"Authorization": f"Bearer {token}"} if token else {})


def _body(answer: http.client.HTTPResponse, name: str) -> bytes:
    data = answer.read(LONGEST + 1)
    if len(data) > LONGEST:
        raise Unusable(f"the answer is longer than {LONGEST} bytes", name)
    if answer.length:  # what Content-Length promised and did not come: read(n) is silent on it
        raise http.client.IncompleteRead(data, answer.length)
    return data


def _host(parts: SplitResult) -> str:
    """Host and port, without a user and a password; `ValueError` for a port that is none."""
    if parts.hostname is None:
        return ""
    host = f"[{parts.hostname}]" if ":" in parts.hostname else parts.hostname
    return host if parts.port is None else f"{host}:{parts.port}"


def _said(error: HTTPError) -> str:
    """What an answer other than 200 says, and what to do about it where that is known."""
    advice = ""
    if error.code in (401, 403):
        has_token = bool(os.environ.get(TOKEN, "").strip())
        advice = f" (with the token in {TOKEN})" if has_token else f" ({TOKEN} is not set)"
    return f"the service answers {error.code} {_problem(error)}{advice}"


def _problem(error: HTTPError) -> str:
    try:
        problem = msgspec.json.decode(error.read(65536), type=_Problem)
    except (ValueError, RecursionError, OSError, http.client.HTTPException):
        return str(error.reason)
    said = problem.detail or problem.title or str(error.reason)
    wrong = "; ".join(f"{each.path} {each.message}" for each in problem.errors)
    return f"{said} ({wrong})" if wrong else said


def _network(error: Exception) -> str:
    if isinstance(error, http.client.IncompleteRead):
        return "the answer was cut off"
    cause = getattr(error, "reason", error)
    if isinstance(cause, ConnectionResetError | BrokenPipeError):
        return "not reached: the service closed the connection"
    if isinstance(cause, TimeoutError):
        return f"not reached: no answer within {TIMEOUT_S:.0f} s"
    if isinstance(cause, http.client.HTTPException):
        return "not reached: the answer is no HTTP"
    return f"not reached: {getattr(cause, 'strerror', None) or cause or type(cause).__name__}"
