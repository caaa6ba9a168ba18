"""The routes of operators and programs: probes, metrics, keys, problems."""

from __future__ import annotations

from litestar import get
from litestar.params import FromPath
from msgspec import Struct

from referee.http.context import AnyRequest, site_of
from referee.http.metrics import CONTENT_TYPE
from referee.http.problems import KINDS, Kind
from referee.http.responses import Answer, answer, file_answer
from referee.service.errors import UnknownThing
from referee.service.receipts import PublicKey


class Health(Struct, frozen=True):
    """A probe's good answer; a bad one is a problem."""

    status: str = "ok"


class Keys(Struct, frozen=True):
    """Public keys as a JSON Web Key Set; none where receipts are not signed."""

    keys: list[PublicKey]


@get("/health/live")
async def live(request: AnyRequest) -> Answer:
    """The process runs."""
    return answer(request, Health(), headers={"Cache-Control": "no-store"})


@get("/health/ready")
async def ready(request: AnyRequest) -> Answer:
    """The process can take commands: the store answers, and takes writes."""
    await site_of(request).service.ready()
    return answer(request, Health(), headers={"Cache-Control": "no-store"})


@get("/metrics")
async def metrics(request: AnyRequest) -> Answer:
    """What was counted, for Prometheus."""
    return file_answer(site_of(request).metrics.text(), CONTENT_TYPE)


@get("/v1/keys")
async def keys(request: AnyRequest) -> Answer:
    """The public keys with which receipts and match files are checked."""
    return answer(request, Keys(site_of(request).service.keys))


class ProblemPage(Struct, frozen=True):
    """What a kind of problem means."""

    type: str
    title: str
    status: int
    about: str


@get("/problems/{name:str}")
async def problem_page(request: AnyRequest, name: FromPath[str]) -> Answer:
    """What a problem's type means."""
    kind: Kind | None = KINDS.get(name)
    if kind is None:
        raise UnknownThing(f"There is no problem {name!r}.")
    return answer(request, ProblemPage(kind.type, kind.title, kind.status, kind.about))


ROUTES = [live, ready, metrics, keys, problem_page]
