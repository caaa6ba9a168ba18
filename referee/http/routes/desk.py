"""The desk: the page to watch, play and arbitrate in a browser, as the files of `http/desk`.

They are read once, so that no path leads anywhere else; a browser asks for each of them anew and
is told that it has it.
"""

from hashlib import sha256
from importlib.resources import files
from importlib.resources.abc import Traversable
from typing import Annotated, Final

from litestar import Response, Router, get
from litestar.params import HeaderParameter, PathParameter
from msgspec import Struct

from referee.http.negotiation import has_tag
from referee.service.errors import UnknownThing

HEADERS: Final = {
    # It runs its own scripts and asks its own service; nobody frames it, nothing stands inline.
    "Content-Security-Policy": "default-src 'none'; script-src 'self'; style-src 'self'; "
    "img-src 'self' data:; connect-src 'self'; manifest-src 'self'; "
    "base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Referrer-Policy": "no-referrer",
    "Cache-Control": "no-cache",
}
_TYPES: Final = {
    "html": "text/html",
    "css": "text/css",
    "js": "text/javascript",
    "svg": "image/svg+xml",
    "txt": "text/plain",
    "md": "text/markdown",
}


class File(Struct, frozen=True):
    """A file as it is sent."""

    data: bytes
    kind: str
    tag: str


def _found(folder: Traversable, path: str = "") -> dict[str, File]:
    found: dict[str, File] = {}
    for one in folder.iterdir():
        kind = _TYPES.get(one.name.rpartition(".")[2])
        if one.is_dir():
            found |= _found(one, f"{path}{one.name}/")
        elif kind:
            data = one.read_bytes()
            found[path + one.name] = File(data, kind, f'"{sha256(data).hexdigest()[:32]}"')
    return found


FILES: Final = _found(files("referee.http").joinpath("desk"))
"""What there is, by its path below `/desk/`."""


@get(["/desk", "/desk/{path:path}"], include_in_schema=False)
async def desk_file(
    path: Annotated[str, PathParameter()] = "/index.html",
    if_none_match: Annotated[str | None, HeaderParameter(name="If-None-Match")] = None,
) -> Response[bytes]:
    """One of its files."""
    found = FILES.get(path.removeprefix("/"))
    if found is None:
        raise UnknownThing("There is no such file of the desk.")
    headers = {"ETag": found.tag, **HEADERS}
    if has_tag(if_none_match, found.tag):
        return Response(b"", status_code=304, headers=headers)
    return Response(found.data, media_type=found.kind, headers=headers)


ROUTES: Final = Router("/", route_handlers=[desk_file])
