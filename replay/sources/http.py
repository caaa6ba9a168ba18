"""Logs from a service, over HTTP: `http(s)://host/v1/matches/ID`."""

import http.client
import os
import re
from functools import partial
from typing import Final
from urllib.error import HTTPError
from urllib.parse import SplitResult, urlsplit, urlunsplit
from urllib.request import HTTPRedirectHandler, Request, build_opener

import msgspec

from replay.exits import Unusable
from replay.sources.files import LONGEST
from replay.sources.source import Source

TOKEN: Final = "REFEREE_TOKEN"  # noqa: S105 - the name of the variable that holds it
TIMEOUT_S: Final = 30.0
_ADDRESS: Final = re.compile(r"(?P<match>.*/v1/matches/[A-Za-z0-9_-]{1,64})(?:/log)?/?")


class _Problem(msgspec.Struct):
    """What is read of an answer that is a problem (RFC 9457)."""

    title: str = ""
    detail: str = ""


class _NoRedirect(HTTPRedirectHandler):
    """Leaves a redirect as the answer: the token is for the host that was named, and no other."""

    def redirect_request(self, *_answer: object) -> None:
        """Follow none."""


def http_source(text: str) -> Source:
    """The match at this address of a service: not reached, or otherwise answered, it is `Unusable`.

    Raises:
        Unusable: it is not the address of a match.
    """
    try:
        parts = urlsplit(text)
        host = _host(parts)
    except ValueError as error:
        raise Unusable(str(error), "http://…") from error
    name = urlunsplit((parts.scheme, host, parts.path, "", ""))
    found = _ADDRESS.fullmatch(parts.path)
    if not host or found is None or parts.query or parts.fragment:
        raise Unusable("a match's address is http(s)://host/v1/matches/ID", name)
    if "@" in parts.netloc:
        raise Unusable(f"no user and password here: the token comes from {TOKEN}", name)
    log = urlunsplit((parts.scheme, host, f"{found['match']}/log", "", ""))
    return Source(name, partial(_fetch, log, name))


def _fetch(url: str, name: str) -> bytes:
    request = Request(url, headers=_headers())  # noqa: S310 - http or https: http_source saw to it
    try:
        with build_opener(_NoRedirect).open(request, timeout=TIMEOUT_S) as answer:
            return _body(answer, name)
    except HTTPError as error:
        with error:
            raise Unusable(f"{_said(error)}", name) from error
    except (OSError, http.client.HTTPException, ValueError) as error:
        raise Unusable(f"{_network(error)}", name) from error


def _headers() -> dict[str, str]:
    token = os.environ.get(TOKEN, "").strip()
    accept = {"Accept": "application/octet-stream, */*", "User-Agent": "replay"}
    return accept | ({"Authorization": f"Bearer {token}"} if token else {})


def _body(answer: http.client.HTTPResponse, name: str) -> bytes:
    data = answer.read(LONGEST + 1)
    if len(data) > LONGEST:
        raise Unusable(f"the log is longer than {LONGEST} bytes", name)
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
    return problem.detail or problem.title or str(error.reason)


def _network(error: Exception) -> str:
    if isinstance(error, http.client.IncompleteRead):
        return "the answer was cut off"
    cause = getattr(error, "reason", error)
    return f"not reached: {getattr(cause, 'strerror', None) or cause or type(cause).__name__}"
