"""Looking at matches: views, versions, events, legal commands, logs and lists."""

from __future__ import annotations

from typing import Any

import msgspec
import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey, Ed25519PublicKey

from referee.catalogue import catalogue
from referee.core.audit import to_base64url
from referee.core.commit import head_after, open_envelope, read_match_file
from referee.core.verify import verify
from tests.clients import ORGANIZER, accepted
from tests.http.site import Api, Table, application, paths, problem

CARD = {"type": "choose_card", "card": 3}
PLACE = {"type": "place_obstacle", "space": 20}
OTHER_HEAD = '"1.0123456789abcdef"'


async def chosen(table: Table) -> None:
    """Seat 0 has laid a card face down."""
    await table.race()
    await table.play(0, CARD)


async def test_hides_a_seats_cards_from_all_but_itself_and_the_organizer(public: Table) -> None:
    """The same shape for everybody, null where it is hidden."""
    await chosen(public)

    organizer = await public.view()
    own, other = [await public.view(token) for token in public.tokens]
    spectator, nobody = await public.view(public.spectator), await public.view(None)

    hand = [1, 2, 3, 4, 5, 6]
    assert organizer["state"]["chosen"] == own["state"]["chosen"] == [3, None]
    assert organizer["state"]["hands"] == [hand, hand]
    assert own["state"]["hands"] == [hand, None]
    assert other["state"]["hands"] == [None, hand]
    assert other["state"]["chosen"] == spectator["state"]["chosen"] == [None, None]
    assert spectator["state"]["hands"] == [None, None]
    assert nobody == spectator
    views = {"organizer": organizer, "seat 0": own, "seat 1": other, "spectator": spectator}
    for name, view in views.items():
        assert view["viewer"] == name
        assert view["state"].keys() == organizer["state"].keys()
        assert (view["seed"] is None) is (name != "organizer")


async def test_gives_equal_bytes_for_what_a_viewer_may_not_know(redis_url: str) -> None:
    """Two matches that differ in a hidden card alone look the same to everybody else."""
    shown: dict[int, list[bytes]] = {}
    for card in (3, 4):
        async with application(redis_url) as front:
            table = await Api(front).create(match=f"same{card}", seed="00" * 32, public=True)
            await table.race()
            await table.play(0, {**CARD, "card": card})
            answers = [
                await table.get(rest, token)
                for rest in ("", "/events", "/events?after=6")
                for token in (table.tokens[1], table.spectator, None)
            ]
            answers.append(await table.get("/legal", table.tokens[1]))
            answers.append(await table.send(CARD, table.tokens[0]))
            shown[card] = [_without_chance(answer.json()) for answer in answers]

    assert shown[3] == shown[4]


async def test_lets_nobody_find_a_hidden_card_by_trying_heads(public: Table) -> None:
    """Everything of a commit but one card of six is public, or was guessed: the key, say.

    Its head must not tell which card it is. With the salt, which the log alone has, it does.
    """
    await public.race()
    before = (await public.view(None))["head"]
    await public.play(0, {**CARD, "card": 3}, idempotency_key="move-1")
    after = await public.view(None)
    event = (await public.view(None, f"/events?after={after['version'] - 1}"))["events"][0]
    assert (event["type"], event["card"]) == ("card_chosen", None)

    prev = bytes.fromhex(before)

    def fitting(salt: bytes | None) -> list[int]:
        return [
            card
            for card in range(1, 7)
            if head_after(prev, msgspec.msgpack.encode({
                "v": event["version"], "at": event["at"], "by": "seat:0", "key": "move-1",
                "salt": salt, "cmd": {"type": "choose_card", "card": card},
                "ev": [{"type": "card_chosen", "seat": 0, "card": card}], "prev": prev,
            })).hex() == after["head"]
        ]  # fmt: skip

    assert fitting(None) == fitting(bytes(12)) == []
    commits = read_match_file((await public.get("/log")).content).commits
    assert fitting(open_envelope(commits[-1]).salt) == [3]
    assert open_envelope(commits[-2]).salt is None


def _without_chance(body: Any) -> bytes:
    """An answer without what differs from match to match whatever is played."""
    if isinstance(body, dict):
        hidden = ("match", "head", "at", "instance", "seed_commitment")
        body = {k: msgspec.Raw(_without_chance(v)) for k, v in body.items() if k not in hidden}
    elif isinstance(body, list):
        body = [msgspec.Raw(_without_chance(entry)) for entry in body]
    return msgspec.json.encode(body)


async def test_shows_the_match_as_it_stood(table: Table) -> None:
    """At every version, for every viewer, as it was shown then."""
    shown = []
    for _ in range(5):
        shown.append([await table.view(t) for t in (ORGANIZER, *table.tokens, table.spectator)])
        seat = shown[-1][0]["to_act"][0]
        legal = accepted(await table.get("/legal", table.tokens[seat]))["commands"]
        await table.play(seat, legal[0])

    for version, views in enumerate(shown, 1):
        for token, view in zip((ORGANIZER, *table.tokens, table.spectator), views, strict=True):
            assert await table.view(token, f"?at={version}") == view


async def test_does_not_show_at_an_early_version_what_came_out_later(table: Table) -> None:
    """The seed is public once the match is over, and was not before."""
    await table.finish()

    assert (await table.view(table.tokens[0]))["seed"] is not None
    assert (await table.view(table.tokens[0], "?at=1"))["seed"] is None


@pytest.mark.parametrize("at", ["0", "-1", "2", "999999999999999999999999"])
async def test_knows_no_other_versions(table: Table, at: str) -> None:
    """Before the first and after the last there is nothing."""
    assert problem(await table.get(f"?at={at}"), 404, "not-found")["version"] == 1


@pytest.mark.parametrize("at", ["", "x", "1.0", "1&at=1"])
async def test_answers_a_version_that_is_none_with_a_bad_request(table: Table, at: str) -> None:
    """What is no number, or two."""
    assert paths(problem(await table.get(f"?at={at}"), 400, "invalid-fields")) == ["at"]


async def test_says_not_modified_to_who_has_the_version(table: Table) -> None:
    """By a tag or a bare version; and caches are told that it depends on who asks."""
    answer = await table.get()
    tag = answer.headers["etag"]
    assert tag == f'"1.{answer.json()["head"][:16]}"'
    assert answer.headers["vary"] == "Authorization, Accept"
    assert answer.headers["cache-control"] == "private, no-cache"

    for had in (tag, f"W/{tag}", '"1"', "1", '"0", "1"', "*"):
        same = await table.get(if_none_match=had)
        assert (same.status_code, same.content) == (304, b"")
        assert same.headers["etag"] == tag
    assert (await table.get(if_none_match=OTHER_HEAD)).status_code == 200

    await table.play(0, PLACE)
    assert (await table.get(if_none_match=tag)).status_code == 200
    assert (await table.get("?at=1", if_none_match='"1"')).status_code == 304


async def test_shows_a_match_only_at_the_place_that_is_asked_for(table: Table) -> None:
    """`If-Match` takes what `If-None-Match` takes, of what is shown."""
    tag = (await table.get()).headers["etag"]
    await table.play(0, PLACE)

    for had in (tag, '"1"', "1"):
        assert problem(await table.get(if_match=had), 412, "stale-version")["version"] == 2
        assert (await table.get("?at=1", if_match=had)).status_code == 200
    problem(await table.get("?at=1", if_match=OTHER_HEAD), 412, "stale-version")
    problem(await table.get(if_match="x"), 400, "invalid-fields")


async def test_does_not_say_not_modified_to_who_may_not_look(table: Table) -> None:
    """A tag is no token."""
    problem(await table.get("", None, if_none_match='"1"'), 401, "unauthorized")


async def test_answers_head_like_get_without_a_body(table: Table) -> None:
    """The same headers, the length included."""
    path, headers = table.path, {"authorization": f"Bearer {ORGANIZER}"}

    head, get = await table.api.http.head(path, headers=headers), await table.get()

    same = ("etag", "content-length", "content-type", "vary")
    assert [head.headers[name] for name in same] == [get.headers[name] for name in same]
    assert head.content == b""


async def test_gives_messagepack_of_the_same_shapes(table: Table) -> None:
    """Views, lists, events, problems excepted, which stay JSON."""
    await table.play(0, PLACE)
    for rest in ("", "/events", "/legal?seat=1", "/refusals"):
        packed = await table.get(rest, accept="application/msgpack")
        assert packed.headers["content-type"] == "application/msgpack"
        assert msgspec.msgpack.decode(packed.content) == (await table.get(rest)).json()
    problem(await table.get("?at=9", accept="application/msgpack"), 404, "not-found")


async def test_pages_through_events_by_whole_commits(table: Table) -> None:
    """Following `last` brings every event once, in order."""
    await chosen(table)
    await table.play(1, CARD)
    everything = accepted(await table.get("/events"))

    after, found = 0, []
    while (page := accepted(await table.get(f"/events?after={after}&limit=2")))["events"]:
        assert len({event["version"] for event in page["events"]}) <= 2
        found += page["events"]
        after = page["last"]

    assert found == everything["events"]
    assert everything["last"] == page["last"] == (await table.view())["version"]
    assert [event["index"] for event in found if event["version"] == 8] == list(range(4))
    assert accepted(await table.get("/events?after=900000"))["last"] == everything["last"]


@pytest.mark.parametrize("query", ["after=-1", "after=x", "limit=0", "limit=501", "limit="])
async def test_answers_a_page_of_events_that_is_none_with_a_bad_request(
    table: Table, query: str
) -> None:
    """The parameter is named."""
    body = problem(await table.get(f"/events?{query}"), 400, "invalid-fields")

    assert paths(body) == [query.partition("=")[0]]


async def test_lists_what_is_legal_and_only_that(table: Table) -> None:
    """Every command listed passes the check, for the seat that may send it."""
    legal = accepted(await table.get("/legal", table.tokens[0]))

    assert (legal["version"], legal["seat"], legal["complete"]) == (1, 0, True)
    assert "templates" not in legal
    for command in legal["commands"]:
        accepted(await table.send(command, table.tokens[0], "/check"))
    assert accepted(await table.get("/legal", table.tokens[1]))["commands"] == []
    assert accepted(await table.get("/legal?seat=0"))["commands"] == legal["commands"]
    assert accepted(await table.get("/legal"))["seat"] is None


async def test_gives_a_log_that_proves_itself(redis_url: str) -> None:
    """The match file verifies, and holds to the head that is signed."""
    key = Ed25519PrivateKey.generate()
    async with application(redis_url, signing=key) as front:
        table = await Api(front).create()
        answer = await table.play(0, PLACE)
        await table.finish()
        file = await table.get("/log", table.tokens[0])
        view, keys = await table.view(), accepted(await table.api.get("/v1/keys"))["keys"]

    found = read_match_file(file.content)
    header = found.header
    verdict = verify(catalogue().rules("giro-galoppo/1"), table.match, found.commits)
    assert (verdict.dispute, verdict.proven) == (None, view["version"])
    assert file.headers["content-disposition"] == f'attachment; filename="{table.match}.match"'
    assert (header.head, header.count) == (view["head"], view["version"])
    assert [key["x"] for key in keys] == [header.public_key]
    assert (keys[0]["alg"], keys[0]["kty"], keys[0]["crv"]) == ("EdDSA", "OKP", "Ed25519")
    public = key.public_key()
    assert to_base64url(public.public_bytes_raw()) == header.public_key
    _check(
        public,
        header.signature,
        f"referee-match/1|{table.match}|{header.count}|{header.head}|finished",
    )
    _check(public, answer["receipt"], f"referee-receipt/1|{table.match}|2|{answer['head']}")


def _check(key: Ed25519PublicKey, signature: Any, text: str) -> None:
    data = msgspec.convert(signature.replace("-", "+").replace("_", "/") + "==", bytes)
    key.verify(data, text.encode())


async def test_gives_a_log_without_signature_where_there_is_no_key(table: Table) -> None:
    """No receipts, no keys, and the file says nothing of either."""
    header = read_match_file((await table.get("/log")).content).header

    assert header.public_key is msgspec.UNSET
    assert header.signature is msgspec.UNSET
    assert accepted(await table.api.get("/v1/keys")) == {"keys": []}


# ── Lists ─────────────────────────────────────────────────────────────────────────────────────────


async def listed(api: Api, query: str = "") -> dict[str, Any]:
    """A page of matches."""
    return accepted(await api.get(f"/v1/matches{query}", ORGANIZER))


async def test_lists_matches_newest_first(api: Api) -> None:
    """With all that tells them apart, as they stand now."""
    tables = [await api.create(tournament="spring", table=str(n)) for n in range(3)]
    await tables[1].finish()
    await tables[1].rule({"type": "certify"})

    rows = (await listed(api))["matches"]

    assert [row["match"] for row in rows] == [table.match for table in reversed(tables)]
    row, view = rows[1], await tables[1].view()
    assert (row["status"], row["version"]) == ("finished", view["version"])
    assert row["result"] == view["result"]
    assert row["result"]["certified"]
    assert row["seats"] == view["seats"]
    assert (row["tournament"], row["table"], row["public"]) == ("spring", "1", False)
    assert rows[0]["result"] is None
    assert rows[0]["created"] >= rows[2]["created"]


async def test_lists_a_tournament_with_how_its_matches_go(api: Api) -> None:
    """Whose turn, until when, clocks, calls and refusals: as in the view, at each commit."""
    clock = {"base_s": 60, "increment_s": 5}
    timed = await api.create(tournament="spring", round=2, clock=clock)
    plain = await api.create(tournament="spring", round=1)
    same = ("version", "status", "to_act", "deadline", "called")

    async def as_in_views() -> list[dict[str, Any]]:
        rows: list[dict[str, Any]] = (await listed(api, "?tournament=%20spring"))["matches"]
        for table, row in zip((plain, timed), rows, strict=True):
            view = await table.view()
            assert [row[name] for name in same] == [view[name] for name in same]
            assert row.get("clock") == view.get("clock")
        return rows

    before = await as_in_views()
    await timed.send({"type": "decline_draw"}, timed.tokens[0])
    await timed.play(0, (await timed.view(timed.tokens[0], "/legal"))["commands"][0])
    await plain.play(1, {"type": "call_arbiter", "text": "a die fell down"})
    rows = await as_in_views()

    assert "clock" not in rows[0]
    assert [row["called"] for row in rows] == [1, None]
    assert [row["refusals"] for row in rows] == [0, 1]
    assert [row["round"] for row in rows] == [1, 2]
    events = (await timed.view(rest="/events?after=1"))["events"]
    assert rows[1]["updated"] == events[-1]["at"] >= before[1]["updated"] == rows[1]["created"]
    everywhere = (await listed(api))["matches"]
    assert [row["updated"] for row in everywhere] == [row["updated"] for row in rows]
    assert not {"to_act", "deadline", "clock", "called", "refusals"} & everywhere[0].keys()


async def test_pages_through_a_list(api: Api) -> None:
    """Each match once, none skipped, also while new ones come."""
    made = [(await api.create()).match for _ in range(7)]

    page = await listed(api, "?limit=3")
    found = [row["match"] for row in page["matches"]]
    while page["cursor"] is not None:
        await api.create()
        page = await listed(api, f"?limit=3&cursor={page['cursor']}")
        found += [row["match"] for row in page["matches"]]

    assert found == made[::-1]


async def test_finds_matches_by_game_tournament_and_status(api: Api) -> None:
    """Alone and together; the filter by status also finds what is far down."""
    over = await api.create(tournament="spring")
    await over.finish()
    for _ in range(5):
        await api.create(tournament="spring")
    other = await api.create(game="dragon-dance", tournament="autumn", round=3)

    async def found(query: str) -> set[str]:
        return {row["match"] for row in (await listed(api, query))["matches"]}

    assert await found("?status=finished") == {over.match}
    assert await found("?status=finished&limit=1") == {over.match}
    assert await found("?tournament=autumn") == {other.match}
    assert await found("?game=dragon-dance&tournament=autumn&status=active") == {other.match}
    assert await found("?round=3") == await found("?round=3&tournament=autumn") == {other.match}
    assert await found("?round=2") == await found("?archived=true") == set()
    assert len(await found("?archived=false")) == 7
    assert await found("?game=dragon-dance&tournament=spring") == set()
    assert await found("?game=chess") == set()
    assert await found("?status=void") == set()
    assert len(await found("?game=giro-galoppo&status=active")) == 5


@pytest.mark.parametrize(
    "query",
    [
        "cursor=x",
        "cursor=",
        "cursor=1",
        "limit=0",
        "limit=x",
        "limit=501",
        "status=won",
        "round=0",
        "round=1001",
        "archived=yes",
        "tournamnet=x",
    ],
)
async def test_answers_a_list_that_is_none_with_a_bad_request(api: Api, query: str) -> None:
    """The parameter is named."""
    answer = await api.get(f"/v1/matches?{query}", ORGANIZER)

    assert paths(problem(answer, 400, "invalid-fields")) == [query.partition("=")[0]]
