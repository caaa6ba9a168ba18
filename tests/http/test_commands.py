"""Sending commands: what is taken, and on which conditions."""

import asyncio
from typing import Any

import msgspec
import pytest

from referee.core.commit import head_after, read_match_file
from referee.service import Bearer
from tests.clients import ORGANIZER, TOKENS, accepted
from tests.http.site import Api, Table, paths, problem, version_of

pytestmark = pytest.mark.both_ways
PLACE = {"type": "place_obstacle", "space": 20}
CARD = {"type": "choose_card", "card": 3}


async def test_answers_with_the_commit_that_a_command_became(table: Table) -> None:
    """Its version, its events, and a head that the log bears out."""
    answer = await table.play(0, PLACE)

    view = await table.view()
    commits = read_match_file((await table.get("/log")).content).commits
    head = head_after(bytes.fromhex(table.made["head"]), commits[1])
    assert list(answer) == ["match", "version", "events", "head"]
    assert (answer["match"], answer["version"]) == (table.match, 2)
    event = {"version": 2, "index": 0, "type": "obstacle_placed", "seat": 0, "space": 20}
    assert [{k: v for k, v in e.items() if k != "at"} for e in answer["events"]] == [event]
    assert answer["head"] == view["head"] == head.hex()


async def test_shows_only_the_sender_what_only_it_may_see(table: Table) -> None:
    """A card laid face down: its seat and the organizer see it, nobody else does."""
    await table.race()
    answer = await table.play(0, CARD)

    def shown(body: dict[str, Any]) -> Any:
        return body["events"][-1]["card"]

    after = f"/events?after={answer['version'] - 1}"
    assert shown(answer) == 3
    assert shown(await table.view(table.tokens[0], after)) == 3
    assert shown(await table.view(ORGANIZER, after)) == 3
    assert shown(await table.view(table.tokens[1], after)) is None
    assert shown(await table.view(table.spectator, after)) is None


async def test_lets_an_organizer_act_for_a_seat(table: Table) -> None:
    """It is judged and answered as the seat's; the commit says who acted."""
    await table.race()

    answer = accepted(await table.send(CARD, ORGANIZER, "/commands?seat=1"))

    assert answer["events"][0]["seat"] == 1
    assert answer["events"][0]["card"] == 3
    assert (await last_commit(table))["by"] == "organizer/seat:1"


async def test_says_in_the_log_which_organizer_acted(table: Table) -> None:
    """By the name in the token: for the table, for a seat, and in a new match."""
    kim = TOKENS.issue(Bearer("organizer", name="kim.o-1"))
    await table.race()

    accepted(await table.send(CARD, kim, "/commands?seat=0"))
    assert (await last_commit(table))["by"] == "organizer:kim.o-1/seat:0"
    accepted(await table.send({"type": "pause"}, kim))
    assert (await last_commit(table))["by"] == "organizer:kim.o-1"
    accepted(await table.api.post(f"{table.path}/seats/1/token", {}, kim))
    assert (await last_commit(table))["by"] == "organizer:kim.o-1"

    order = {"game": "giro-galoppo", "seats": [{"name": "a"}, {"name": "b"}]}
    made = Table(table.api, (await table.api.post("/v1/matches", order, kim)).json())
    assert (await last_commit(made))["by"] == "organizer:kim.o-1"


async def test_salts_what_hides_something(table: Table) -> None:
    """A card laid face down, and the seed; what everybody sees is as it is."""
    assert len((await last_commit(table))["salt"]) == 12
    await table.race()
    assert (await last_commit(table))["salt"] is None
    await table.play(0, CARD, idempotency_key="move-1")
    laid = await last_commit(table)
    assert (laid["key"], len(laid["salt"])) == ("move-1", 12)


async def last_commit(table: Table) -> dict[str, Any]:
    """The last commit of the match's log."""
    file = read_match_file((await table.get("/log")).content)
    commit: dict[str, Any] = msgspec.msgpack.decode(file.commits[-1])
    return commit


async def test_lets_an_organizer_rule(table: Table) -> None:
    """The arbiter's commands are the organizer's own, without a seat."""
    await table.rule({"type": "pause"})
    assert (await table.view())["status"] == "paused"

    answer = await table.rule({"type": "adjudicate", "reason": "rain", "ranking": [
        {"seat": 0, "place": 1}, {"seat": 1, "place": 1, "score": 2.5}]})  # fmt: skip

    assert [event["type"] for event in answer["events"]] == ["adjudicated", "seed_revealed"]
    assert (await table.view())["result"]["winners"] == [0, 1]


async def test_names_the_ruling_that_a_refused_command_breaks(table: Table) -> None:
    """The type leads to the ruling, the detail is about this command, nothing is recorded."""
    answer = await table.send({"type": "place_obstacle", "space": 11}, table.tokens[0])

    body = problem(answer, 422, "/v1/games/giro-galoppo/rulings/obstacle-sand")
    assert (body["ruling"], body["match"], body["version"]) == ("obstacle-sand", table.match, 1)
    assert accepted(await table.api.get(body["type"]))["id"] == "obstacle-sand"
    assert await version_of(table) == 1


async def test_keeps_a_record_of_what_was_refused(table: Table) -> None:
    """Beside the log: when, who, at which version, what, and why."""
    await table.send({"type": "place_obstacle", "space": 11}, table.tokens[0])
    await table.send(PLACE, ORGANIZER, "/commands?seat=1")
    await asyncio.sleep(0.1)

    refusals = accepted(await table.get("/refusals"))["refusals"]

    told = [(r["by"], r["seat"], r["version"], r["ruling"]) for r in refusals]
    assert told == [
        ("seat:0", 0, 1, "obstacle-sand"),
        ("organizer/seat:1", 1, 1, "out-of-turn"),
    ]
    assert refusals[1]["command"] == PLACE
    assert refusals[0]["at"] <= refusals[1]["at"]
    assert "11" in refusals[0]["detail"]


async def test_keeps_the_last_refusals_of_each_and_the_long_ones_cut(table: Table) -> None:
    """One seat's fill neither the store nor the place of the others'."""
    wrong = {"type": "place_obstacle", "space": 10**3500}
    await table.send(wrong, table.tokens[1])
    await table.send({"type": "void", "reason": "no"}, ORGANIZER, "/commands?seat=0")
    for _ in range(52):
        await table.send(wrong, table.tokens[0])
    await table.api.front.site.service.settle()  # type: ignore[union-attr]

    refusals = accepted(await table.get("/refusals"))["refusals"]

    assert [refusals[0]["by"], *{one["by"] for one in refusals[1:]}] == ["seat:1", "seat:0"]
    assert len(refusals) == 51
    for one in refusals:
        assert one["command"]["type"] == "place_obstacle"
        assert one["command"]["cut"].startswith('{"type":"place_obstacle","space":1000')
        assert len(msgspec.msgpack.encode(one)) <= 2048
    row = accepted(await table.api.get("/v1/matches?tournament=t", ORGANIZER))["matches"]
    assert row == []


async def test_keeps_a_record_of_numbers_that_no_log_can_hold(table: Table) -> None:
    """As text, in either form of the answer; and a seat like that is none."""
    huge, beyond = {"type": "place_obstacle", "space": 10**40}, 10**25
    await table.send(huge, table.tokens[0])
    await table.send(PLACE, ORGANIZER, f"/commands?seat={beyond}")
    await asyncio.sleep(0.1)

    refusals = accepted(await table.get("/refusals"))["refusals"]
    packed = await table.get("/refusals", accept="application/msgpack")

    assert refusals[0]["command"] == {"type": "place_obstacle", "space": str(10**40)}
    assert (refusals[1]["seat"], refusals[1]["ruling"]) == (None, "not-seated")
    assert msgspec.msgpack.decode(packed.content)["refusals"] == refusals


@pytest.mark.parametrize(
    ("command", "ruling"),
    [
        ({"type": "place_obstacle", "space": 0}, "obstacle-sand"),
        ({"type": "place_obstacle", "space": -(2**63)}, "obstacle-sand"),
        ({"type": "place_obstacle", "space": 2**63}, "obstacle-sand"),
        ({"type": "place_obstacle", "space": 10**40}, "obstacle-sand"),
        (CARD, "wrong-phase"),
        ({"type": "accept_draw"}, "no-draw-offered"),
        ({"type": "request_takeback", "to": 10**40}, "takeback-target"),
        ({"type": "claim_timeout", "seat": 1}, "no-clock"),
    ],
    ids=str,
)
async def test_refuses_by_a_ruling_whatever_a_number_may_be(
    table: Table, command: Any, ruling: str
) -> None:
    """A number out of the game's reach is the game's to refuse, however large."""
    answer = await table.send(command, table.tokens[0])

    assert problem(answer, 422, f"/v1/games/giro-galoppo/rulings/{ruling}")["ruling"] == ruling


async def test_refuses_a_seat_out_of_turn(table: Table) -> None:
    """Only a seat that owes a command may send one."""
    answer = await table.send(PLACE, table.tokens[1])

    problem(answer, 422, "/v1/games/giro-galoppo/rulings/out-of-turn")


@pytest.mark.parametrize("seat", ["2", "-1", "1000000000000"])
async def test_refuses_an_organizer_for_a_seat_that_does_not_exist(table: Table, seat: str) -> None:
    """In commands, in what is checked, and in what is listed."""
    ruling = "/v1/games/giro-galoppo/rulings/not-seated"
    for rest in ("/commands", "/check"):
        problem(await table.send(PLACE, ORGANIZER, f"{rest}?seat={seat}"), 422, ruling)
    problem(await table.get(f"/legal?seat={seat}"), 422, ruling)


# ── Conditions ────────────────────────────────────────────────────────────────────────────────────


async def test_takes_a_command_at_the_version_that_it_names(table: Table) -> None:
    """By its tag or bare; one of several will do, and any for a star."""
    tag = (await table.get()).headers["etag"]
    assert (await table.send(PLACE, table.tokens[0], "/check", if_match=tag)).status_code == 200
    await table.play(0, PLACE, if_match=tag)
    await table.play(1, {"type": "place_obstacle", "space": 22}, if_match='"9", "2"')
    await table.play(0, {"type": "place_obstacle", "space": 26}, if_match="*")


@pytest.mark.parametrize("tag", ['"2"', 'W/"1"', '"01"', '"x"', '"1.0123456789abcdef"'])
async def test_takes_no_command_at_another_version(table: Table, tag: str) -> None:
    """Nor after another head; the answer says which version the match is at."""
    for rest in ("/commands", "/check"):
        answer = await table.send(PLACE, table.tokens[0], rest, if_match=tag)

        body = problem(answer, 412, "stale-version")
        assert (body["version"], body["match"]) == (1, table.match)
    assert await version_of(table) == 1


@pytest.mark.parametrize("name", ["if_match", "idempotency_key"])
async def test_takes_no_malformed_condition(table: Table, name: str) -> None:
    """A condition that is not understood is not passed over."""
    answer = await table.send(PLACE, table.tokens[0], **{name: "a b"})

    assert paths(problem(answer, 400, "invalid-fields"))
    assert await version_of(table) == 1


async def test_answers_a_repeat_as_it_did_the_first_time(table: Table) -> None:
    """Whatever happened since, in the log as in time, and nothing is appended."""
    await table.race()
    first = await table.play(0, CARD, idempotency_key="k1")
    await table.play(1, CARD)
    version = await version_of(table)

    again = await table.send(CARD, table.tokens[0], idempotency_key="k1")
    stale = await table.send(CARD, table.tokens[0], idempotency_key="k1", if_match='"1"')
    spaced = await table.send(
        b'{ "card": 3, "type": "choose_card" }', table.tokens[0], idempotency_key="k1"
    )

    assert accepted(again) == accepted(stale) == accepted(spaced) == first
    assert await version_of(table) == version


async def test_refuses_a_key_that_comes_with_another_command(table: Table) -> None:
    """Even with one that would be refused now, or that is the table's."""
    await table.play(0, PLACE, idempotency_key="k1")

    for other in ({**PLACE, "space": 22}, CARD, {"type": "resign"}):
        answer = await table.send(other, table.tokens[0], idempotency_key="k1")
        assert problem(answer, 409, "key-reused")["match"] == table.match
    assert await version_of(table) == 2


async def test_keeps_each_senders_keys_apart(table: Table) -> None:
    """Two seats that use the same key do not know of each other, nor an organizer for a seat."""
    await table.race()
    await table.play(0, CARD, idempotency_key="same")
    other = await table.play(1, CARD, idempotency_key="same")
    for_seat = await table.send(CARD, ORGANIZER, "/commands?seat=1", idempotency_key="same")

    assert other["version"] == (await table.view())["version"]
    assert for_seat.json()["ruling"] != "key-reused"
    assert for_seat.status_code == 422


async def test_does_not_remember_the_key_of_a_refusal(table: Table) -> None:
    """Nothing was recorded, so that the same key may be used for what is right."""
    bad = await table.send({**PLACE, "space": 11}, table.tokens[0], idempotency_key="k1")
    good = await table.send(PLACE, table.tokens[0], idempotency_key="k1")

    assert (bad.status_code, good.status_code) == (422, 200)


async def test_takes_a_command_once_when_it_is_sent_twice_at_the_same_time(table: Table) -> None:
    """Both get the answer, one commit is made."""
    answers = await asyncio.gather(
        *(table.send(PLACE, table.tokens[0], idempotency_key="k1") for _ in range(8))
    )

    assert len({answer.text for answer in answers}) == 1
    assert {answer.status_code for answer in answers} == {200}
    assert await version_of(table) == 2


async def test_takes_a_key_once_among_different_commands_at_the_same_time(table: Table) -> None:
    """One of them is taken; the others are told that the key is used."""
    spaces = (20, 22, 26, 28)
    answers = await asyncio.gather(
        *(
            table.send({**PLACE, "space": space}, table.tokens[0], idempotency_key="k1")
            for space in spaces
        )
    )

    assert sorted(answer.status_code for answer in answers) == [200, 409, 409, 409]
    assert await version_of(table) == 2


async def test_lets_one_of_many_have_a_version(table: Table) -> None:
    """Of all who name the same version one is in time."""
    await table.race()
    version = await version_of(table)
    answers = await asyncio.gather(
        *(table.send(CARD, token, if_match=f'"{version}"') for token in table.tokens * 3)
    )

    assert sorted(answer.status_code for answer in answers) == [200] + [412] * 5
    assert await version_of(table) == version + 1


# ── Checking ──────────────────────────────────────────────────────────────────────────────────────


async def test_checks_without_taking(table: Table) -> None:
    """The same judgement, and nothing in the log or beside it."""
    good = await table.send(PLACE, table.tokens[0], "/check")
    bad = await table.send({**PLACE, "space": 11}, table.tokens[0], "/check")
    for_seat = await table.send(PLACE, ORGANIZER, "/check?seat=0")
    await asyncio.sleep(0.1)

    assert accepted(good) == accepted(for_seat) == {"legal": True}
    assert problem(bad, 422, "/v1/games/giro-galoppo/rulings/obstacle-sand")["version"] == 1
    assert await version_of(table) == 1
    assert accepted(await table.get("/refusals"))["refusals"] == []


async def test_takes_back_with_a_state_gone_by(table: Table) -> None:
    """A take-back needs the log: an organizer's, and one that the seats agree on."""
    await table.play(0, PLACE)
    before = await table.view()
    await table.play(1, {**PLACE, "space": 22})
    await table.play(1, {"type": "request_takeback", "to": 2})
    agreed = await table.play(0, {"type": "accept_takeback"})
    after = await table.view()

    assert [event["type"] for event in agreed["events"]] == ["takeback_accepted", "taken_back"]
    assert after["state"] == before["state"]
    assert after["version"] == 5

    await table.rule({"type": "take_back", "to": 1, "reason": "a mistake"})
    assert (await table.view())["state"]["course"]["obstacles"] == []


async def test_serves_every_game_found(api: Api) -> None:
    """A match of each can be created, looked at and played one command of."""
    for row in accepted(await api.get("/v1/games"))["games"]:
        table = await api.create(row["players"]["min"], game=row["id"])
        view = await table.view(table.tokens[0])
        assert view["game"] == row["id"]
        for seat in view["to_act"]:
            legal = accepted(await table.get("/legal", table.tokens[seat]))
            assert legal["seat"] == seat
            assert legal["complete"] is ("templates" not in legal)
            for command in legal["commands"][:1]:
                await table.play(seat, command)


async def test_tells_the_version_only_where_it_is_what_was_wrong(table: Table) -> None:
    """Stale or unknown versions; not with a match that is unknown, or a key that was used."""
    await table.play(0, PLACE, idempotency_key="one")

    reused = await table.send({"type": "resign"}, table.tokens[0], idempotency_key="one")
    stale = await table.send(PLACE, table.tokens[1], if_match='"1"')
    unknown = await table.get("?at=9")
    nowhere = await table.api.get("/v1/matches/none", ORGANIZER)

    assert "version" not in problem(reused, 409, "key-reused")
    assert "version" not in problem(nowhere, 404, "not-found")
    assert problem(stale, 412, "stale-version")["version"] == 2
    assert problem(unknown, 404, "not-found")["version"] == 2
