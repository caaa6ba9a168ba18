"""Creating matches."""

import re
from typing import Any

import pytest

from referee.core.commit import read_match_file
from referee.core.match import ClockSetting
from tests.clients import GAME, ORGANIZER, accepted
from tests.http.site import SEED, Api, application, paths, problem

SEATS = [{"name": "red"}, {"name": "blue"}]


async def refused(api: Api, **order: Any) -> list[str]:
    """The paths that are named when this order is refused; nothing was created."""
    body = {"game": GAME, "seats": SEATS, **order}
    answer = await api.post("/v1/matches", body, ORGANIZER)
    assert accepted(await api.get("/v1/matches", ORGANIZER))["matches"] == []
    return paths(problem(answer, 400, "invalid-fields"))


async def test_answers_with_all_that_the_players_need(api: Api) -> None:
    """A token for each seat, one to watch, the commitment, the first head, where it is."""
    answer = await api.post("/v1/matches", {"game": GAME, "seats": SEATS}, ORGANIZER)

    assert answer.status_code == 201
    made = answer.json()
    assert list(made) == [
        "match", "game", "ruleset", "version", "seats", "spectator_token", "seed_commitment", "head"
    ]  # fmt: skip
    assert re.fullmatch(r"[a-z0-9]{20}", made["match"])
    assert (made["game"], made["ruleset"], made["version"]) == (GAME, "giro-galoppo/1", 1)
    assert [(s["seat"], s["name"]) for s in made["seats"]] == [(0, "red"), (1, "blue")]
    assert re.fullmatch(r"sha256:[0-9a-f]{64}", made["seed_commitment"])
    assert answer.headers["location"] == f"/v1/matches/{made['match']}"
    assert answer.headers["cache-control"] == "no-store"
    for token in (made["spectator_token"], *(seat["token"] for seat in made["seats"])):
        view = accepted(await api.get(answer.headers["location"], token))
        assert view["head"] == made["head"]


async def test_fills_in_every_default(api: Api) -> None:
    """Whatever the order leaves out is in the view, and so in the log."""
    table = await api.create()

    view = await table.view()

    assert view["options"] == {
        "ties": "all-move",
        "length": 40,
        "natural_obstacles": {"river": [11, 24], "moor": [33]},
        "age_order": [0, 1],
    }
    assert view["seats"] == [
        {"seat": 0, "name": "p0", "withdrawn": False},
        {"seat": 1, "name": "p1", "withdrawn": False},
    ]


async def test_takes_everything_that_an_order_may_hold(api: Api) -> None:
    """Options, tournament, table, clock, entropy, a seed and an id."""
    clock = ClockSetting(base_s=60, increment_s=2, on_flag="note")
    table = await api.create(
        options={"length": 50},
        tournament="spring",
        table="7",
        public=True,
        clock={"base_s": 60, "increment_s": 2, "on_flag": "note"},
        entropy=["AB01", ""],
        seed=SEED.upper(),
        match="Final_1-a",
    )

    row = accepted(await api.get("/v1/matches", ORGANIZER))["matches"][0]
    view = await table.view()
    commits = read_match_file((await table.get("/log")).content).commits

    assert table.match == "Final_1-a"
    assert (row["tournament"], row["table"], row["public"]) == ("spring", "7", True)
    assert view["seed"] == SEED
    assert view["options"]["length"] == 50
    assert view["clock"]["base_s"] == clock.base_s
    assert b"ab01" in commits[0]


async def test_deals_the_same_from_the_same_order(redis_url: str) -> None:
    """The same id, seed, entropy and options make the same first commit but for its time."""
    views: list[dict[str, Any]] = []
    for _ in range(2):
        async with application(redis_url) as front:
            order: dict[str, Any] = {"seed": SEED, "entropy": ["00", "ff"]}
            table = await Api(front).create(match=f"again{len(views)}", **order)
            views.append(await table.view())

    same = ("options", "state", "seed", "seed_commitment")
    assert [views[0][name] for name in same] == [views[1][name] for name in same]


@pytest.mark.parametrize("count", [0, 1, 6])
async def test_takes_only_as_many_seats_as_the_game(api: Api, count: int) -> None:
    """Too few or too many players cannot play it."""
    assert await refused(api, seats=[{"name": "x"}] * count) == ["seats"]


async def test_takes_numbers_of_seats_with_gaps(api: Api) -> None:
    """A game for two or four says so in the catalogue, and refuses three."""
    games = accepted(await api.get("/v1/games"))["games"]
    row = next(game for game in games if game["id"] == "giganten")
    assert row["players"] == {"min": 2, "max": 4, "counts": [2, 4]}
    seats = [{"name": f"p{seat}"} for seat in range(3)]
    assert await refused(api, game="giganten", seats=seats) == ["seats"]
    for count in (2, 4):
        assert len((await api.create(count, game="giganten")).tokens) == count


@pytest.mark.parametrize(
    ("order", "expected"),
    [
        ({"entropy": ["00"]}, ["entropy"]),
        ({"entropy": ["00", "0"]}, ["entropy[1]"]),
        ({"entropy": ["00", "zz"]}, ["entropy[1]"]),
        ({"entropy": ["00", "0" * 130]}, ["entropy[1]"]),
        ({"entropy": ["00", "00\n"]}, ["entropy[1]"]),
        (
            {"seats": [{"name": ""}, {"nam": "x"}]},
            ["seats[0].name", "seats[1].name", "seats[1].nam"],
        ),
        ({"seats": [{"name": "a\nb"}, {"name": "x" * 101}]}, ["seats[0].name", "seats[1].name"]),
        ({"seats": [{"name": "a\n"}, {"name": "b"}]}, ["seats[0].name"]),
        ({"tournament": ""}, ["tournament"]),
        ({"tournament": "a\n"}, ["tournament"]),
        ({"public": 1}, ["public"]),
        ({"round": 1}, ["round"]),
        ({"round": 0, "tournament": "t"}, ["round"]),
        ({"round": 1001, "tournament": "t"}, ["round"]),
        ({"idle_s": 59}, ["idle_s"]),
        ({"idle_s": -1}, ["idle_s"]),
        ({"idle_s": 31_536_001}, ["idle_s"]),
        ({"calls": -1}, ["calls"]),
        ({"seats": [{"name": "  "}, {"name": "\u200b\u0301"}]}, ["seats[0].name", "seats[1].name"]),
        ({"tournament": "\u3000", "table": "\u200d"}, ["tournament", "table"]),
        ({"seats": [{"name": "x"}, {"name": "\u0958" * 100}]}, ["seats[1].name"]),
        (
            {"tournament": "t", "seats": [{"name": "Zo\u00eb"}, {"name": "ZOE\u0308 "}]},
            ["seats[1].name"],
        ),
        ({"clock": {"base_s": 0}}, ["clock.base_s"]),
        ({"clock": {"base_s": 1, "on_flag": "x", "y": 1}}, ["clock.on_flag", "clock.y"]),
        ({"clock": {"base_s": 10**30}}, ["clock.base_s"]),
        ({"clock": {"base_s": 300.0}}, ["clock.base_s"]),
        ({"seed": "12"}, ["seed"]),
        ({"seed": SEED + "\n"}, ["seed"]),
        ({"match": "a b"}, ["match"]),
        ({"match": "a\n"}, ["match"]),
        ({"match": "x" * 65}, ["match"]),
        ({"options": []}, ["options"]),
        ({"options": None}, ["options"]),
        ({"ruleset": "giro-galoppo/1"}, ["ruleset"]),
    ],
    ids=str,
)
async def test_names_each_field_that_is_wrong(
    api: Api, order: dict[str, Any], expected: list[str]
) -> None:
    """With its path, however deep."""
    assert await refused(api, **order) == expected


@pytest.mark.parametrize(
    "sign",
    "\x00\t\n\x7f\x85\u061c\u200e\u200f\u2028\u2029\u202a\u202e\u2066\u2069\ufeff",
    ids=ascii,
)
async def test_takes_no_name_with_a_sign_that_commands(api: Api, sign: str) -> None:
    """Controls, ends of lines, turns of direction: in no name, at its end neither."""
    order = {
        "seats": [{"name": f"a{sign}"}, {"name": "b"}],
        "tournament": f"{sign}t",
        "table": sign,
    }
    assert await refused(api, **order) == ["seats[0].name", "tournament", "table"]


async def test_keeps_names_in_one_form(api: Api) -> None:
    """Composed, and without outer blanks; signs and symbols are names, and joiners within them."""
    names = [" Zoe\u0308\u00a0", "\U0001f469\u200d\U0001f680", "!", "x" * 100]
    seats = [{"name": name} for name in names]
    order = {"game": GAME, "seats": seats, "tournament": "t\u3000", "round": 1000, "table": " 7 "}
    made = (await api.post("/v1/matches", order, ORGANIZER)).json()

    row = accepted(await api.get("/v1/matches?tournament=t", ORGANIZER))["matches"][0]

    kept = ["Zo\u00eb", "\U0001f469\u200d\U0001f680", "!", "x" * 100]
    assert [seat["name"] for seat in made["seats"]] == kept
    assert [seat["name"] for seat in row["seats"]] == kept
    assert (row["tournament"], row["round"], row["table"]) == ("t", 1000, "7")


async def test_takes_names_that_are_alike_where_no_tournament_is(api: Api) -> None:
    """They are told apart by their seats."""
    seats = [{"name": "Ann"}, {"name": "ann"}]
    answer = await api.post("/v1/matches", {"game": GAME, "seats": seats}, ORGANIZER)
    assert answer.status_code == 201


async def test_lays_down_what_an_order_leaves_out(api: Api, redis_url: str) -> None:
    """Three calls, and what the server says of idleness: in the first commit, for all to see."""
    async with application(redis_url, idle_s=600) as front:
        tables = [await api.create(), await Api(front).create(), await Api(front).create(idle_s=0)]
        first = [(await table.view(rest="/events"))["events"][0] for table in tables]
    assert [(event["calls"], event["idle_s"]) for event in first] == [(3, 0), (3, 600), (3, 0)]
    assert [event["round"] for event in first] == [None] * 3


async def test_repeats_the_first_answer_with_tokens_that_are_good(api: Api) -> None:
    """One match; of a seat whose token was replaced the repeat has the new one."""
    order = {"game": GAME, "seats": SEATS}
    first = (await api.post("/v1/matches", order, ORGANIZER, idempotency_key="k")).json()
    path = f"/v1/matches/{first['match']}"
    accepted(await api.post(f"{path}/seats/1/token", b"", ORGANIZER))

    answer = await api.post("/v1/matches", order, ORGANIZER, idempotency_key="k")

    assert answer.status_code == 201
    again = answer.json()
    assert answer.headers["location"] == path
    alike = ("match", "game", "ruleset", "version", "seed_commitment", "head")
    assert [again[name] for name in alike] == [first[name] for name in alike]
    for seat in again["seats"]:
        assert accepted(await api.get(path, seat["token"]))["viewer"] == f"seat {seat['seat']}"
    assert (await api.get(path, first["seats"][1]["token"])).status_code == 401
    other = await api.post("/v1/matches", order | {"public": True}, ORGANIZER, idempotency_key="k")
    reused = problem(other, 409, "key-reused")
    assert (reused["match"], "another order" in reused["detail"]) == (first["match"], True)
    bad = await api.post("/v1/matches", order, ORGANIZER, idempotency_key="a b")
    assert paths(problem(bad, 400, "invalid-fields")) == ["Idempotency-Key"]


async def test_names_options_of_the_wrong_type_with_the_others(api: Api) -> None:
    """What is wrong with the order and with the options is said at once."""
    natural = {"river": [1, "x"], "moor": [33]}
    options = {"length": "40", "ties": "none", "natural_obstacles": natural, "z": 1}

    assert await refused(api, options=options, public="yes") == [
        "public",
        "options.ties",
        "options.length",
        "options.natural_obstacles.river[1]",
        "options.z",
    ]


async def test_names_options_that_cannot_be_played_with_those_of_the_wrong_shape(api: Api) -> None:
    """A word that is not known does not hide a number that is out of range."""
    assert sorted(await refused(api, options={"length": 7, "ties": "x", "z": 1})) == [
        "options.length",
        "options.ties",
        "options.z",
    ]


async def test_names_options_that_cannot_be_played_with_the_seats(api: Api) -> None:
    """A wrong number of seats does not hide what else is wrong."""
    options = {"length": 19, "natural_obstacles": {"river": [11, 90], "moor": [33]}}

    assert await refused(api, seats=[{"name": "x"}], options=options) == [
        "seats",
        "options.length",
        "options.natural_obstacles.river[1]",
    ]


async def test_names_what_cannot_be_with_what_is_of_the_wrong_shape(api: Api) -> None:
    """A field that is not known hides none of the others, options included."""
    seats = [{"name": "x"}, {"name": " "}]
    terms = {"seats": seats, "round": 2, "idle_s": 5, "entropy": [""]}

    assert sorted(await refused(api, **terms, options={"length": 7}, z=1)) == [
        "entropy",
        "idle_s",
        "options.length",
        "round",
        "seats[1].name",
        "z",
    ]


async def test_finds_no_fault_with_what_a_field_of_the_wrong_shape_leaves_open(api: Api) -> None:
    """Not with a round of a tournament that is misspelt, nor with options for unread seats."""
    assert await refused(api, round=2, tournament=5) == ["tournament"]
    options = {"age_order": [0, 1, 2]}
    assert await refused(api, seats=[{"name": "x"}, {"name": "y"}, {}], options=options) == [
        "seats[2].name"
    ]


async def test_names_numbers_beyond_64_bits(api: Api) -> None:
    """Where a game's own check lets them pass, or not."""
    assert await refused(api, options={"length": 10**30}) == ["options.length"]
    assert await refused(api, options={"age_order": [0, 10**30]}) == ["options.age_order"]


async def test_knows_no_such_game(api: Api) -> None:
    """An unknown game is not found, and nothing else is said of the order."""
    answer = await api.post("/v1/matches", {"game": "chess", "seats": SEATS}, ORGANIZER)

    assert "chess" in problem(answer, 404, "not-found")["detail"]


@pytest.mark.parametrize("chosen", [{"seed": SEED}, {"match": "mine"}])
async def test_lets_nobody_choose_chance_in_earnest(redis_url: str, chosen: dict[str, str]) -> None:
    """Where seeds are not allowed, neither a seed nor an id is taken."""
    async with application(redis_url, allow_seed=False) as front:
        order = {"game": GAME, "seats": SEATS, **chosen}
        answer = await Api(front).post("/v1/matches", order, ORGANIZER)

    problem(answer, 422, "seed-not-allowed")


async def test_creates_no_match_over_another(api: Api) -> None:
    """An id that is taken stays what it was, in its list too."""
    table = await api.create(match="first", seed=SEED)
    before = await table.view()
    order = {"game": "dragon-dance", "seats": SEATS, "match": "first", "tournament": "t"}

    answer = await api.post("/v1/matches", order, ORGANIZER)

    problem(answer, 409, "match-taken")
    assert await table.view() == before
    page = accepted(await api.get("/v1/matches?game=dragon-dance", ORGANIZER))
    assert page["matches"] == []
    assert accepted(await api.get("/v1/matches?tournament=t", ORGANIZER))["matches"] == []


async def test_never_makes_two_matches_with_one_seed(api: Api) -> None:
    """Ids and seeds are the service's own, each time new ones."""
    views = [await (await api.create()).view() for _ in range(3)]

    assert len({view["match"] for view in views}) == len({view["seed"] for view in views}) == 3
