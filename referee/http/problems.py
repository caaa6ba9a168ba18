"""What goes wrong, as RFC 9457 problems: every error has a fixed type and title."""

import re
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from math import ceil
from typing import Any, Final

import msgspec
import structlog
from litestar import Request, Response
from litestar.exceptions import HTTPException
from litestar.plugins.problem_details import (
    ProblemDetailsConfig,
    ProblemDetailsException,
    ProblemDetailsPlugin,
)
from msgspec import UNSET, Struct, UnsetType
from msgspec.structs import replace

from referee.http.logs import current
from referee.http.validation import faults
from referee.service import CorruptLog, StoreAway, errors
from referee.service.answers import ruled

log = structlog.get_logger(__name__)

PROBLEM_JSON: Final = "application/problem+json"


class FieldError(Struct, frozen=True):
    """A field that is wrong: its path in the body (or a parameter's name), and what is wrong."""

    path: str
    message: str


class Problem(Struct, frozen=True, omit_defaults=True):
    """The body of every error. `type` is a path on this server that says more."""

    type: str
    title: str
    status: int
    detail: str
    instance: str | UnsetType = UNSET
    match: str | UnsetType = UNSET
    version: int | UnsetType = UNSET
    ruling: str | UnsetType = UNSET
    errors: list[FieldError] | UnsetType = UNSET


class Kind(Struct, frozen=True):
    """A kind of problem: what is the same each time it comes up."""

    name: str
    status: int
    title: str
    about: str

    @property
    def type(self) -> str:
        """The problem's type: a path on this server."""
        return f"/problems/{self.name}"


KINDS: Final = {
    kind.name: kind
    for kind in (
        Kind("bad-request", 400, "Bad request", "The request cannot be understood as it is."),
        Kind(
            "invalid-fields",
            400,
            "Invalid fields",
            "Fields are missing, unknown or of the wrong type or size; `errors` names each.",
        ),
        Kind("unauthorized", 401, "Unauthorized", "There is no token, or it is not good."),
        Kind("forbidden", 403, "Forbidden", "The token does not allow this."),
        Kind("not-found", 404, "Not found", "There is nothing here that you may know of."),
        Kind("method-not-allowed", 405, "Method not allowed", "Try one that `Allow` lists."),
        Kind("not-acceptable", 406, "Not acceptable", "This is not to be had in that form."),
        Kind(
            "key-reused",
            409,
            "Idempotency key reused",
            "The key was used before with another body. Use a new key for each command.",
        ),
        Kind("match-taken", 409, "Match id taken", "A match of that id exists already."),
        Kind(
            "archived",
            409,
            "Match archived",
            "The match is in the archive, where it can be looked at; `referee restore` brings it "
            "back first, where it is to take commands.",
        ),
        Kind(
            "stale-version",
            412,
            "Stale version",
            "`If-Match` names another version than the match's present one, `version`.",
        ),
        Kind("too-large", 413, "Content too large", "A body may have 65536 bytes."),
        Kind("target-too-long", 414, "Target too long", "A head may have 65536 bytes in all."),
        Kind(
            "unsupported-media-type",
            415,
            "Unsupported media type",
            "Bodies are `application/json` or `application/msgpack`.",
        ),
        Kind(
            "seed-not-allowed",
            422,
            "Seed not allowed",
            "A match's seed and id are chosen by the server, except where it is set up for tests.",
        ),
        Kind(
            "too-many-requests",
            429,
            "Too many requests",
            "Wait as `Retry-After` says, a second on a socket.",
        ),
        Kind(
            "head-too-large",
            431,
            "Head too large",
            "The request line and the headers may have 65536 bytes, and trailers as many.",
        ),
        Kind("internal-error", 500, "Internal error", "The server failed; it has been logged."),
        Kind(
            "store-away",
            503,
            "Store away",
            "The store cannot be reached. Nothing was acknowledged: repeat a command with the "
            "same `Idempotency-Key` to learn what became of it.",
        ),
        Kind(
            "not-served",
            503,
            "Match not served",
            "This server cannot serve the match now: its rules are unknown here, its log cannot "
            "be read, or the server is about to stop.",
        ),
    )
}
_HEADERS: Final = {
    "unauthorized": {"www-authenticate": 'Bearer realm="referee"'},
    **{
        name: {"connection": "close"} for name in ("too-large", "target-too-long", "head-too-large")
    },
    "too-many-requests": {"retry-after": "1"},
}
_AT_A_VERSION: Final = (errors.UnknownVersion, errors.StaleVersion)
REFUSED_TITLE: Final = "Refused"
"""The title of a refusal, whose type is the path of the ruling."""


class BadMediaType(Exception):
    """A body is of a type that is not taken."""


class TooLarge(Exception):
    """A body is larger than is taken."""


class TargetTooLong(Exception):
    """A request's target has no end."""


class HeadTooLarge(Exception):
    """A request's head is larger than is taken, or its trailers are."""


class Reply(ProblemDetailsException):
    """A problem as it is answered, with the headers that go with it."""

    def __init__(self, problem: Problem, headers: dict[str, str] | None = None) -> None:
        super().__init__(detail=problem.detail, status_code=problem.status, headers=headers or {})
        self.problem: Final = problem

    def body(self, path: str | UnsetType = UNSET) -> bytes:
        """The problem as JSON, in answer to a request for `path`."""
        return msgspec.json.encode(replace(self.problem, instance=path))

    def to_response(self, request: Request[Any, Any, Any]) -> Response[Any]:
        """What the framework sends."""
        body = self.body(request.scope["path"])
        status, headers = self.status_code, self.headers
        return Response(body, status_code=status, media_type=PROBLEM_JSON, headers=headers)


def answer_to(fault: Exception) -> Reply:
    """The problem to answer any error with; what is not known is logged, and says nothing."""
    reply = next(_ANSWERS[kind] for kind in type(fault).__mro__ if kind in _ANSWERS)(fault)
    if reply.status_code == 503:  # noqa: PLR2004
        cause = current().cause = _cause(fault)
        log.warning("not served", cause=cause, fault=str(fault))
    return reply


def _cause(fault: Exception) -> str:
    """Why something is not served, in a word or two: the error's own name, `too-few-replicas`.

    And of what the store's server refuses the code: `error-reply-oom`.
    """
    words = [re.sub("(?<!^)(?=[A-Z])", "-", type(fault).__name__), getattr(fault, "code", "")]
    name = "-".join(filter(None, words)).lower()
    return f"{name}-outcome-unknown" if getattr(fault, "outcome_unknown", False) else name


PLUGIN: Final = ProblemDetailsPlugin(
    ProblemDetailsConfig(exception_to_problem_detail_map={Exception: answer_to})
)
"""Answers every error of a handler, and of the framework, with a problem."""


def _reply(name: str, detail: str, headers: Mapping[str, str] = {}, **more: Any) -> Reply:
    kind = KINDS[name]
    problem = Problem(kind.type, kind.title, kind.status, detail, **more)
    return Reply(problem, {**_HEADERS.get(name, {}), **headers})


def _of_service(name: str, fault: Any) -> Reply:
    """What the service says, of the match that it says it of; its version where that matters."""
    match = getattr(fault, "match", UNSET)
    version = fault.version if isinstance(fault, _AT_A_VERSION) else UNSET
    return _reply(name, str(fault), _retry(fault), match=match, version=version)


def _retry(fault: Any) -> dict[str, str]:
    wait: float | None = getattr(fault, "retry_after", None)
    return {} if wait is None else {"retry-after": str(max(1, ceil(wait)))}


def _refused(fault: errors.Refused) -> Reply:
    ruling = ruled(fault.rules, fault.ruling)
    return Reply(
        Problem(
            type=f"/v1/games/{ruling.game}/rulings/{ruling.id}",
            title=REFUSED_TITLE,
            status=422,
            detail=str(fault),
            match=fault.match,
            version=fault.version,
            ruling=ruling.id,
        )
    )


def _misshapen(fault: errors.Misshapen) -> Reply:
    found = [*fault.errors, *faults(fault.parts, str(fault))]
    return _fields("The body is not of the shape that is taken here.", found)


def _bad_request(fault: errors.BadRequest) -> Reply:
    return _fields(str(fault), fault.errors) if fault.errors else _reply("bad-request", str(fault))


def _fields(detail: str, found: Sequence[errors.Fault]) -> Reply:
    named = [FieldError(path, message) for path, message in found]
    return _reply("invalid-fields", detail, errors=named)


# What the store says names hosts and ports, and what stands in it; that is logged, not told.


def _away(fault: StoreAway) -> Reply:
    detail = "The store is away, and nothing was acknowledged."
    if fault.outcome_unknown:
        detail = "The store went away. Whether this was recorded will show when it is back."
    return _reply("store-away", detail, _retry(fault))


def _corrupt(fault: CorruptLog) -> Reply:
    detail = "What the store holds of the match cannot be read by this server."
    return _reply("not-served", detail, {"retry-after": "30"}, match=fault.match)


def _of_framework(fault: HTTPException) -> Reply:
    """What the framework itself refuses: a path or a method that is not there, a bad host."""
    if fault.status_code >= 500:  # noqa: PLR2004
        return _internal_error(fault)
    of_status = {kind.status: name for name, kind in reversed(KINDS.items())}
    name = of_status.get(fault.status_code, "bad-request")
    allow = {k: v for k, v in (fault.headers or {}).items() if k.lower() == "allow"}
    return _reply(name, KINDS[name].about, allow)


def _internal_error(fault: Exception) -> Reply:
    log.error("internal error", exc_info=fault)
    detail = "Something went wrong here. It has been logged, with this answer's request id."
    return _reply("internal-error", detail)


_ANSWERS: Final[dict[type[Exception], Callable[[Any], Reply]]] = {
    errors.BadRequest: _bad_request,
    errors.Misshapen: _misshapen,
    errors.Refused: _refused,
    StoreAway: _away,
    CorruptLog: _corrupt,
    HTTPException: _of_framework,
    Exception: _internal_error,
}
_NAMES: Final[dict[type[Exception], str]] = {
    errors.Unauthorized: "unauthorized",
    errors.Forbidden: "forbidden",
    errors.UnknownMatch: "not-found",
    errors.UnknownVersion: "not-found",
    errors.UnknownThing: "not-found",
    errors.StaleVersion: "stale-version",
    errors.KeyReused: "key-reused",
    errors.MatchTaken: "match-taken",
    errors.Archived: "archived",
    errors.SeedNotAllowed: "seed-not-allowed",
    errors.Crowded: "too-many-requests",
    errors.TooFast: "too-many-requests",
    errors.Busy: "too-many-requests",
    errors.Leaving: "not-served",
    errors.Unserved: "not-served",
    BadMediaType: "unsupported-media-type",
    TooLarge: "too-large",
    TargetTooLong: "target-too-long",
    HeadTooLarge: "head-too-large",
}
_ANSWERS.update({error: partial(_of_service, name) for error, name in _NAMES.items()})
