"""Which matches go to the archive, how, and how they come back."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path
from typing import Any

import pytest
import redis
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from referee.archive import Archive, open_archive
from referee.archive.archive import match_key, refusals_key, row_key
from referee.core.audit import audit
from referee.core.commit import MatchFile, read_match_file, write_match_file
from referee.service import Signer
from referee.service.archiving import Archiver, Overtaken, Unmoved
from referee.service.errors import Archived, MatchTaken, Refused
from referee.service.lists import Wanted
from referee.store import Interfered
from referee.store.scripts import TAGS, deadlines_key
from tests.archive.hall import CERTIFY, GAMES, RESIGN, VOID, Faltering, Hall, Stopped
from tests.clients import GAME
from tests.service.desk import ORGANIZER, RULES, body, create, log_of, rewrite, seat, version

RANKING = [{"seat": 0, "place": 2}, {"seat": 1, "place": 1}]
ADJUDICATE = {"type": "adjudicate", "reason": "seen again", "ranking": RANKING}


def file_of(archive: Archive, match: str = "m") -> MatchFile:
    """A match's file in the archive."""
    kept = archive.match(match)
    assert kept is not None
    return read_match_file(kept.data)


def keys_in(redis_url: str) -> set[str]:
    """The keys that the store has of anything but time."""
    with redis.Redis.from_url(redis_url) as client:
        return {key.decode() for key in client.scan_iter() if b"alive" not in key}


# ── What goes ─────────────────────────────────────────────────────────────────────────────────────


async def test_matches_go_that_are_certified_or_void(hall: Hall) -> None:
    """What is played, paused, or finished and not certified stays."""
    await create(hall.service, "played")
    await create(hall.service, "paused")
    await hall.rule("paused", {"type": "pause"})
    await create(hall.service, "void")
    await hall.rule("void", VOID)
    await hall.over("provisional", certified=False)
    await hall.over("certified")
    assert set(await hall.archived()) == {"certified", "void"}
    assert set(await hall.archived(uncertified=True)) == {"provisional"}
    assert [await hall.held(match) for match in ("played", "paused")] == [1, 2]


async def test_matches_stay_for_as_long_as_is_wanted(hall: Hall) -> None:
    """By their last commit: whatever came after the time that is named stays."""
    await hall.over()
    updated = (await hall.service.matches(ORGANIZER, Wanted())).matches[0].updated
    assert await hall.archived(until=updated - 1) == []
    assert await hall.archived(until=updated) == ["m"]


async def test_all_of_a_match_goes_and_nothing_of_another(hall: Hall, redis_url: str) -> None:
    """Log, summary, refused commands, and the rows in all lists."""
    await create(hall.service, "other", tournament="T")
    before = keys_in(redis_url)
    await hall.over("m", tournament="T2")
    assert keys_in(redis_url) > before
    assert await hall.archived() == ["m"]
    assert keys_in(redis_url) == before
    for game in (None, GAME):
        for tournament in (None, "T"):
            found = await hall.moving.matches(game=game, tournament=tournament)
            assert [row.match for row in found.rows] == ["other"]


async def sent_by(hall: Hall, match: str) -> bytes:
    """A match's file, as the service sends it."""
    return b"".join([piece async for piece in await hall.service.log(match, ORGANIZER)])


async def test_the_archive_holds_the_log_as_it_was_signed(redis_url: str, archive: Archive) -> None:
    """The commits' own bytes, by the key that signs what the service sends."""
    signer = Signer(Ed25519PrivateKey.generate())
    async with Hall(redis_url, archive, signer=signer) as hall:
        await hall.over()
        sent, commits = await sent_by(hall, "m"), await log_of(hall.moving)
        assert await hall.archived() == ["m"]
        assert await sent_by(hall, "m") == sent
    kept = archive.match("m")
    assert kept is not None
    assert kept.data == sent
    file = read_match_file(kept.data)
    assert list(file.commits) == commits
    assert audit(RULES, file, [signer.public.x]).word == "signed"


async def test_refused_commands_go_as_the_service_tells_them(hall: Hall) -> None:
    """A line each, as `GET …/refusals` has them."""
    await hall.over()
    (told,) = await hall.service.refusals("m", ORGANIZER)
    await hall.archived()
    kept = hall.archive.refusals("m")
    assert kept is not None
    (line,) = kept.data.splitlines()
    assert json.loads(line)["ruling"] == told.ruling
    assert await hall.service.refusals("m", ORGANIZER) == [told]


# ── What stays ────────────────────────────────────────────────────────────────────────────────────


async def test_a_match_stays_to_which_a_commit_came_meanwhile(
    hall: Hall, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Between writing and dropping: the next archiver takes it with that commit."""
    await hall.over(certified=False)
    (candidate,) = await hall.candidates(uncertified=True)
    take_out = hall.moving.take_out

    async def late(*told: Any) -> bool:
        await hall.rule("m", CERTIFY)
        return await take_out(*told)

    with monkeypatch.context() as patch:
        patch.setattr(hall.moving, "take_out", late)
        with pytest.raises(Overtaken):
            await hall.archiver.move(candidate)
    assert await hall.held() == 4
    assert await hall.archived() == ["m"]
    assert len(file_of(hall.archive).commits) == 4


async def test_a_match_stays_to_which_a_refused_command_came_meanwhile(hall: Hall) -> None:
    """It belongs to what is archived."""
    await hall.over()
    (candidate,) = await hall.candidates()
    with pytest.raises(Refused):
        await hall.service.command("m", seat(0), body(RESIGN))
    await hall.service.settle()
    with pytest.raises(Overtaken):
        await hall.archiver.move(candidate)
    assert await hall.archived() == ["m"]
    assert len(await hall.service.refusals("m", ORGANIZER)) == 2


async def test_a_log_in_dispute_stays(hall: Hall, redis_url: str) -> None:
    """It was judged, and the store drops nothing of it."""
    await hall.over()
    commits = await log_of(hall.moving)
    rewrite(redis_url, [*commits[:2], commits[1], *commits[3:]])
    (candidate,) = await hall.candidates()
    with pytest.raises(Unmoved):
        await hall.archiver.move(candidate)
    assert await hall.held() == 4


async def test_what_does_not_read_back_as_written_is_not_dropped(
    hall: Hall, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A place that lies about what it has written."""
    await hall.over()
    (candidate,) = await hall.candidates()
    put = hall.archive.place.put
    monkeypatch.setattr(
        hall.archive.place, "put", lambda key, data, over: put(key, data[:-1], over)
    )
    with pytest.raises(Unmoved, match="does not read"):
        await hall.archiver.move(candidate)
    assert await hall.held() == 4


async def test_another_log_of_that_id_is_never_written_over(
    hall: Hall, redis_url: str, tmp_path: Path
) -> None:
    """What is archived stays, unless the log goes on from it."""
    await hall.over()
    await hall.archived()
    kept = hall.archive.match("m")
    with redis.Redis.from_url(redis_url) as client:
        client.flushdb()
    nowhere = open_archive(str(tmp_path / "elsewhere"))
    async with Hall(redis_url, nowhere) as unaware:
        await unaware.over()
    (candidate,) = await hall.candidates()
    with pytest.raises(Unmoved, match="another log"):
        await hall.archiver.move(candidate)
    assert hall.archive.match("m") == kept
    assert await hall.held() == 4


# ── Stopped at each step ──────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize("after", [False, True])
@pytest.mark.parametrize("writes", range(3))
async def test_stopped_at_any_write_nothing_is_lost(
    hall: Hall, writes: int, *, after: bool
) -> None:
    """Before each of the three files and after it; then it is done again, to the end."""
    await hall.over()
    commits = await log_of(hall.moving)
    halting = Archive(Faltering(hall.archive.place, writes, after=after))
    (candidate,) = await hall.candidates()
    with pytest.raises(Stopped):
        await Archiver(hall.moving, halting, GAMES, None).move(candidate)
    assert await log_of(hall.store) == await log_of(hall.moving) == commits
    assert len((await hall.service.matches(ORGANIZER, Wanted())).matches) == 1
    assert (await hall.service.matches(ORGANIZER, Wanted(archived=True))).matches == []
    assert await hall.archived() == ["m"]
    assert await log_of(hall.store) == commits


async def test_stopped_before_its_rows_are_gone_a_match_is_listed_once(
    hall: Hall, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The store's rows lead nowhere, and are left out; the archive's is there."""
    await hall.over(tournament="T")

    async def stop(*_: object, **__: object) -> None:
        raise Stopped

    with monkeypatch.context() as patch:
        patch.setattr(hall.moving, "unlist", stop)
        with pytest.raises(Stopped):
            await hall.archived()
    assert await hall.held() == 0
    for wanted in (Wanted(), Wanted(tournament="T"), Wanted(archived=True)):
        page = await hall.service.matches(ORGANIZER, wanted)
        assert [row.match for row in page.matches] == ["m"]
    assert (await hall.service.matches(ORGANIZER, Wanted(archived=False))).matches == []
    assert await hall.archived() == []


async def test_commands_that_come_while_matches_go_are_taken_or_told(
    hall: Hall, redis_url: str
) -> None:
    """Each commit that was acknowledged is in the log, wherever that is; the rest are conflicts."""
    matches = [await hall.over(f"m{number}", certified=False) for number in range(4)]
    taken: list[tuple[str, int]] = []
    told = 0

    async def insist(match: str) -> None:
        nonlocal told
        for _ in range(6):
            try:
                taken.append((match, (await hall.rule(match, ADJUDICATE)).version))
            except Archived:
                told += 1

    async with Hall(redis_url, hall.archive) as another:
        archiving = (each.archived(uncertified=True) for each in (hall, another, hall, another))
        await asyncio.gather(*map(insist, matches), *archiving)
    await hall.archived(uncertified=True)
    assert len(taken) + told == 24
    for match in matches:
        versions = [number for one, number in taken if one == match]
        assert versions == list(range(4, 4 + len(versions)))
        assert await hall.held(match) == 0
        assert len(file_of(hall.archive, match).commits) == 3 + len(versions)
        assert audit(RULES, file_of(hall.archive, match)).disputes == ()


async def test_two_archivers_at_once_move_each_match_once(hall: Hall, redis_url: str) -> None:
    """One of them comes first, and the other leaves it alone."""
    for number in range(6):
        await hall.over(f"m{number}")
    async with Hall(redis_url, hall.archive) as another:
        moved = await asyncio.gather(hall.archived(), another.archived())
    assert sorted([*moved[0], *moved[1]]) == [f"m{number}" for number in range(6)]
    for number in range(6):
        assert len(file_of(hall.archive, f"m{number}").commits) == 4


# ── Back ──────────────────────────────────────────────────────────────────────────────────────────


async def test_a_restored_match_is_as_it_was(hall: Hall, redis_url: str) -> None:
    """Log, lists, refused commands and their count; it takes commands, and goes once more."""
    await hall.over(tournament="T")
    view = await hall.service.view("m", ORGANIZER)
    rows = (await hall.service.matches(ORGANIZER, Wanted(tournament="T"))).matches
    refused, keys = await hall.service.refusals("m", ORGANIZER), keys_in(redis_url)
    await hall.archived()
    assert await hall.restore()
    assert not await hall.restore()
    assert keys_in(redis_url) == keys
    assert await hall.service.view("m", ORGANIZER) == view
    assert (await hall.service.matches(ORGANIZER, Wanted(tournament="T"))).matches == rows
    assert (await hall.service.matches(ORGANIZER, Wanted(archived=True))).matches == []
    assert await hall.service.refusals("m", ORGANIZER) == refused
    assert (await hall.rule("m", ADJUDICATE)).version == 5
    assert await hall.archived(uncertified=True) == ["m"]
    assert len(file_of(hall.archive).commits) == 5
    assert await version(hall.another()) == 5


async def test_a_match_comes_back_to_a_store_that_has_lost_it(hall: Hall, redis_url: str) -> None:
    """What the archive has of a match stays there, when it was restored as well."""
    await hall.over()
    await hall.archived()
    commits = list(file_of(hall.archive).commits)
    assert await hall.restore()
    with redis.Redis.from_url(redis_url) as client:
        client.flushdb()
    assert await log_of(hall.store) == commits
    assert await hall.restore()
    assert await log_of(hall.moving) == commits
    assert [row.match for row in (await hall.service.matches(ORGANIZER, Wanted())).matches] == ["m"]


async def test_a_long_log_comes_back_whole(hall: Hall, monkeypatch: pytest.MonkeyPatch) -> None:
    """Put together a page at a time, unseen until it is whole."""
    await hall.over()
    commits = await log_of(hall.moving)
    await hall.archived()
    monkeypatch.setattr("referee.store.moving._PAGE", 3)
    together = hall.moving._put_together

    async def watched(match: str, found: tuple[bytes, ...]) -> None:
        await together(match, found[:3])
        assert await hall.held() == 0
        await together(match, found)
        assert await hall.held() == 0

    monkeypatch.setattr(hall.moving, "_put_together", watched)
    assert await hall.restore()
    assert await log_of(hall.moving) == commits


async def test_a_match_that_was_put_together_in_part_does_not_come_back(
    hall: Hall, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whoever else puts it back just now: nothing stands in the store that is not whole."""
    await hall.over()
    await hall.archived()
    together = hall.moving._put_together

    async def cut(match: str, found: tuple[bytes, ...]) -> None:
        await together(match, found[:2])

    with monkeypatch.context() as patch:
        patch.setattr(hall.moving, "_put_together", cut)
        with pytest.raises(Overtaken, match="somebody else"):
            await hall.restore()
    assert await hall.held() == 0
    assert await hall.restore()


async def test_nothing_older_comes_back_than_was_archived_last(
    hall: Hall, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whoever read the archive, and stood still while the match came back, went on and left."""
    await hall.over()
    await hall.archived()
    register = hall.moving.register

    async def late(*told: Any) -> None:
        monkeypatch.undo()
        await hall.restore()
        await hall.rule("m", ADJUDICATE)
        assert await hall.archived(uncertified=True) == ["m"]
        await register(*told)

    monkeypatch.setattr(hall.moving, "register", late)
    with pytest.raises(Overtaken, match="somebody else"):
        await hall.restore()
    assert await hall.held() == 0
    assert await hall.restore()
    assert await hall.held() == 5


async def test_of_two_who_restore_a_match_at_once_each_is_told_what_became_of_it(
    hall: Hall,
) -> None:
    """Also where one begins in the midst of the other: it comes back, or is where it was."""
    await hall.over()
    commits = await log_of(hall.moving)
    await hall.archived()
    for commit in (commits, commits[:2]):
        with pytest.raises(Interfered):
            await asyncio.gather(*(hall.moving._put_together("m", commit) for _ in range(2)))
    done = await asyncio.gather(*(hall.restore() for _ in range(8)), return_exceptions=True)
    assert {type(each) for each in done} <= {bool, Overtaken}
    assert await log_of(hall.store) == commits
    await hall.restore()
    assert await log_of(hall.moving) == commits


@pytest.mark.parametrize("step", ["register", "_put_together", "put_back", "read"])
@pytest.mark.parametrize("after", [False, True])
async def test_stopped_on_the_way_back_nothing_is_lost(
    hall: Hall, monkeypatch: pytest.MonkeyPatch, step: str, *, after: bool
) -> None:
    """The match is archived still, or restored; done again it is restored, and listed once."""
    await hall.over(tournament="T")
    commits = await log_of(hall.moving)
    await hall.archived()
    real = getattr(hall.moving, step)

    async def stop(*told: Any, **named: Any) -> None:
        if after:
            await real(*told, **named)
        raise Stopped

    with monkeypatch.context() as patch:
        patch.setattr(hall.moving, step, stop)
        with pytest.raises(Stopped):
            await hall.restore()
    assert await hall.held() in {0, 4}
    assert await log_of(hall.store) == commits
    for wanted in (Wanted(), Wanted(tournament="T")):
        page = await hall.another().matches(ORGANIZER, wanted)
        assert [row.match for row in page.matches] == ["m"]
    await hall.restore()
    assert await log_of(hall.moving) == commits
    assert len((await hall.service.matches(ORGANIZER, Wanted(archived=False))).matches) == 1


async def test_restored_before_its_rows_are_gone_a_match_is_listed(
    hall: Hall, monkeypatch: pytest.MonkeyPatch
) -> None:
    """An archiver that stood still, and goes on, takes nothing off that is there again."""
    await hall.over(tournament="T")
    unlist = hall.moving.unlist

    async def late(*args: Any, **of: Any) -> None:
        assert await hall.restore()
        await unlist(*args, **of)

    monkeypatch.setattr(hall.moving, "unlist", late)
    assert await hall.archived() == ["m"]
    for wanted in (Wanted(archived=False), Wanted(tournament="T", archived=False)):
        page = await hall.service.matches(ORGANIZER, wanted)
        assert [row.match for row in page.matches] == ["m"]


async def test_what_is_no_match_is_not_put_into_the_store(hall: Hall) -> None:
    """None of that id, no id, a file that is none, one of another match, one in dispute."""
    await hall.over()
    await hall.over("other")
    await hall.archived()
    with pytest.raises(Unmoved, match="no such match"):
        await hall.restore("none")
    with pytest.raises(Unmoved, match="no match's id"):
        await hall.restore("../other")
    file, other = file_of(hall.archive), file_of(hall.archive, "other")
    for wrong in (
        b"nonsense",
        write_match_file(file.header, file.commits[:-1]),
        write_match_file(other.header, other.commits),
    ):
        hall.archive.place.put(match_key("m"), wrong, hall.archive.match("m"))
        with pytest.raises(Unmoved):
            await hall.restore()
        assert await hall.held() == 0


@pytest.mark.parametrize(
    "wrong", [b"[", b"5", b'{"refusals": []}', b'{"x": ' + b"[" * 10**5, b'{"x": "\xff"}']
)
async def test_a_match_comes_back_with_all_that_was_beside_it_or_not_at_all(
    hall: Hall, wrong: bytes
) -> None:
    """Where its refused commands or its row cannot be read, that is told, and nothing is put."""
    await hall.over()
    (candidate,) = await hall.candidates()
    await hall.archived()
    place = hall.archive.place
    for key in (refusals_key("m"), row_key("m", candidate.listed.created_ms, None)):
        good = place.get(key)
        assert good is not None
        place.put(key, wrong, good)
        with pytest.raises(Unmoved, match="cannot be read"):
            await hall.restore()
        assert await hall.held() == 0
        place.put(key, good.data, place.get(key))
    assert await hall.restore()


async def test_another_match_of_that_id_in_the_store_is_left_alone(
    hall: Hall, redis_url: str
) -> None:
    """Both are kept, and somebody has to look."""
    await hall.over()
    await hall.archived()
    rewrite(redis_url, [b"something else"])
    with pytest.raises(Unmoved, match="another log"):
        await hall.restore()
    assert await log_of(hall.moving) == [b"something else"]


# ── While it is archived ──────────────────────────────────────────────────────────────────────────


async def test_an_archived_id_is_taken(hall: Hall) -> None:
    """For whoever chooses ids."""
    await hall.over()
    await hall.archived()
    with pytest.raises(MatchTaken):
        await create(hall.another(), "m")
    assert await hall.held() == 0


async def test_a_creation_by_key_is_answered_again_from_the_archive(hall: Hall) -> None:
    """The same order with the same key makes no second match."""
    order = body({"game": GAME, "seats": [{"name": "a"}, {"name": "b"}]})
    made = await hall.service.create(ORGANIZER, order, "order-1")
    await hall.rule(made.match, VOID)
    assert await hall.archived() == [made.match]
    again = await hall.another().create(ORGANIZER, order, "order-1")
    assert again.match == made.match
    assert again.first.head == made.first.head


async def test_a_command_by_key_is_answered_again_and_any_other_is_not_taken(hall: Hall) -> None:
    """By processes that know the match, and by those that do not."""
    await hall.over()
    first = await hall.service.command("m", seat(1), body(RESIGN), key="resigned")
    await hall.archived()
    for service in (hall.service, hall.another()):
        again = await service.command("m", seat(1), body(RESIGN), key="resigned")
        assert again == first
        for bearer, command in (
            (ORGANIZER, CERTIFY),
            (ORGANIZER, VOID),
            (seat(0), RESIGN),
        ):
            with pytest.raises(Archived):
                await service.command("m", bearer, body(command))
        with pytest.raises(Archived):
            await service.reissue_token("m", ORGANIZER, 0)
    await hall.service.settle()
    assert await hall.held() == 0
    assert len(await hall.service.refusals("m", ORGANIZER)) == 1


async def test_nothing_is_due_in_an_archived_match(hall: Hall, redis_url: str) -> None:
    """A deadline that somebody left behind is taken away."""
    await hall.over()
    await hall.archived()
    with redis.Redis.from_url(redis_url) as client:
        client.zadd(deadlines_key(TAGS[0]), {"m": 1})
    assert await hall.service.overdue("m") is None
    assert await hall.store.due(10**14, 10) == []


async def test_the_archives_folder_is_all_that_a_reader_needs(hall: Hall, tmp_path: Path) -> None:
    """What is there, by name."""
    await hall.over(tournament="Spring Cup")
    (row,) = (await hall.service.matches(ORGANIZER, Wanted())).matches
    await hall.archived()
    root = tmp_path / "archive"
    assert {str(path.relative_to(root)) for path in root.rglob("*") if path.is_file()} == {
        ".lock",
        "matches/m.match",
        "matches/m.refusals.jsonl",
        f"index/Spring%20Cup/{10**15 - row.created}-m.json",
    }
