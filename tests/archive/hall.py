"""Matches that are over, a store, and an archive that they go to."""

from __future__ import annotations

from typing import Any, Final, Self

from referee.archive import Archive, open_archived_store
from referee.archive.places import Kept, Place
from referee.catalogue import catalogue
from referee.service import Service, Signer
from referee.service.archiving import Archiver, Candidate, Overtaken, Unmoved, Wanted, restore
from referee.service.errors import Refused
from referee.store import MatchStore, MovingStore
from referee.store.connection.servers import servers_at
from tests.service.desk import ORGANIZER, body, create, seat

GAMES: Final = catalogue()
CERTIFY: Final = {"type": "certify"}
RESIGN: Final = {"type": "resign"}
VOID: Final = {"type": "void", "reason": "rain"}


class Hall:
    """A service whose store falls through to an archive, and an archiver with a store of its own.

    `moving`: the URL by which the archiver comes to it.
    """

    def __init__(
        self,
        redis_url: str,
        archive: Archive,
        *,
        signer: Signer | None = None,
        moving: str | None = None,
    ) -> None:
        self.archive = archive
        self.url = redis_url
        self.store: MatchStore = open_archived_store(redis_url, archive)
        self.moving = MovingStore(servers_at(moving or redis_url))
        self.signer = signer
        self.service = self.another()
        self.archiver = Archiver(self.moving, archive, GAMES, signer)

    def another(self) -> Service:
        """A service that has nothing at hand yet."""
        return Service(
            self.store,
            GAMES,
            allow_seed=True,
            archive=self.archive,
            signer=self.signer,
        )

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.service.settle()
        await self.store.aclose()
        await self.moving.aclose()

    async def rule(self, match: str, command: Any, **conditions: Any) -> Any:
        """An organizer's command."""
        return await self.service.command(match, ORGANIZER, body(command), **conditions)

    async def over(self, match: str = "m", *, certified: bool = True, **order: Any) -> str:
        """A new match that is over: a command was taken, one was refused, and a seat resigned."""
        await create(self.service, match, **order)
        place = {"type": "place_obstacle", "space": 20}
        await self.service.command(match, seat(0, match), body(place), key="placed")
        try:
            await self.service.command(match, seat(0, match), body(place))
        except Refused:
            await self.service.settle()
        await self.service.command(match, seat(1, match), body(RESIGN), key="resigned")
        if certified:
            await self.rule(match, CERTIFY)
        return match

    async def candidates(self, **wanted: Any) -> list[Candidate]:
        """What goes now."""
        pages = [page async for page in self.archiver.candidates(Wanted(**wanted))]
        return [candidate for page in pages for candidate in page]

    async def archived(self, **wanted: Any) -> list[str]:
        """Archive all that goes; which did."""
        moved = []
        for candidate in await self.candidates(**wanted):
            try:
                await self.archiver.move(candidate)
            except (Unmoved, Overtaken):
                continue
            moved.append(candidate.listed.match)
        return moved

    async def restore(self, match: str = "m") -> bool:
        """Bring a match back."""
        return await restore(self.moving, self.archive, GAMES, match)

    async def held(self, match: str = "m") -> int:
        """The last version that the store itself holds."""
        return await self.moving.last(match)


class Stopped(Exception):
    """Somebody has pulled the plug."""


class Faltering:
    """A place that stops before or after so many writes."""

    def __init__(self, place: Place, writes: int, *, after: bool) -> None:
        self.name = place.name
        self.names = place.names
        self.folders = place.folders
        self.get = place.get
        self._place = place
        self._left = writes
        self._after = after

    def put(self, key: str, data: bytes, over: Kept | None) -> None:
        """Write, or stop."""
        self._left -= 1
        if self._left >= 0 or (self._left == -1 and self._after):
            self._place.put(key, data, over)
        if self._left < 0:
            raise Stopped
