"""The routes of operators and programs: probes, metrics, keys, problems."""

from typing import Annotated, Final

from litestar import Response, Router, get
from litestar.di import NamedDependency
from litestar.params import PathParameter
from litestar.response import Redirect
from msgspec import Struct

from referee.http.context import Site
from referee.http.metrics import CONTENT_TYPE
from referee.http.openapi import problems
from referee.http.problems import KINDS, Kind
from referee.http.responses import NO_STORE
from referee.service.errors import Leaving, UnknownThing
from referee.service.receipts import PublicKey


class Health(Struct, frozen=True):
    """A probe's good answer; a bad one is a problem."""

    status: str = "ok"


class Keys(Struct, frozen=True):
    """Public keys as a JSON Web Key Set; none where receipts are not signed."""

    keys: list[PublicKey]


class ProblemPage(Struct, frozen=True):
    """What a kind of problem means."""

    type: str
    title: str
    status: int
    about: str


@get("/", include_in_schema=False)
async def root() -> Redirect:
    """Where people begin."""
    return Redirect("/desk/")


@get("/health/live", response_headers=NO_STORE)
async def is_live() -> Health:
    """Whether the process runs."""
    return Health()


@get("/health/ready", response_headers=NO_STORE, responses=problems(503))
async def is_ready(site: NamedDependency[Site]) -> Health:
    """Whether the process can take commands: its store takes writes, and it is not to stop."""
    if site.following.leaving:
        raise Leaving
    await site.service.ready()
    return Health()


@get("/metrics", media_type="text/plain", responses=problems(404))
async def get_metrics(site: NamedDependency[Site]) -> Response[bytes]:
    """Metrics for Prometheus, unless they have a port of their own."""
    if site.metrics.apart:
        raise UnknownThing("Metrics have a port of their own here.")
    return Response(site.metrics.text(), media_type=CONTENT_TYPE)


@get("/v1/keys")
async def list_keys(site: NamedDependency[Site]) -> Keys:
    """The public keys that receipts and match files are signed with, the present one first."""
    return Keys(site.service.keys)


@get("/problems/{name:str}", responses=problems(404))
async def get_problem(
    name: Annotated[
        str, PathParameter(min_length=1, description="The end of the problem's `type`.")
    ],
) -> ProblemPage:
    """What a problem's type means."""
    kind: Kind | None = KINDS.get(name)
    if kind is None:
        raise UnknownThing(f"There is no problem {name!r}.")
    return ProblemPage(kind.type, kind.title, kind.status, kind.about)


ROUTES: Final = Router(
    "/",
    route_handlers=[root, is_live, is_ready, get_metrics, list_keys, get_problem],
    tags=["operations"],
)
