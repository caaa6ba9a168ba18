"""The API's document, as the author of a front end in TypeScript meets it."""

from __future__ import annotations

import re
from collections import defaultdict
from pathlib import Path
from typing import Any, Final

import msgspec
import pytest
from msgspec import Struct

from referee.catalogue import catalogue
from referee.core.game import Between, Game, ListOf, NoOptions, OneOf, Template
from referee.selfplay import chance_of
from tests.clients import ORGANIZER
from tests.live.servers import Server
from tests.node.tools import HERE, OPENAPI_TYPESCRIPT, TSC, node, run

pytestmark = pytest.mark.node

DOCUMENT: Final = Path(__file__).parents[2] / "schemas" / "openapi.json"
CLIENT: Final = (HERE / "client.ts").read_text("utf-8")
STRICT: Final = (
    *("--strict", "--noUncheckedIndexedAccess", "--module", "nodenext"),
    *("--target", "es2022", "--lib", "es2022,dom", "--outDir", "js"),
)
CASTS: Final = r"\bas\b|\bany\b|@ts-|\w[!]|[)\]][!]|<[A-Z]\w*>\s*[({]"
"""What takes a value for another type than it has: what a client of good types never needs."""
ERROR: Final = r"^([\w./]+)\(\d+,\d+\): error TS\d+: (.*(?:\n .*)*)"
"""What the compiler says of a program: its name, and the error with what explains it."""
BEGIN: Final = """
import type { components } from "./api.js";
type Shapes = components["schemas"];
declare const view: Shapes["MatchView"];
declare const event: Shapes["GiroGaloppoEvent"];
declare const frame: Shapes["SocketMessage"];
declare const slot: Shapes["Slot"];
const seats = [{ name: "Ada" }, { name: "Ben" }];
"""
ORDER: Final = 'export const order: Shapes["NewMatch"] = '
MISUSES: Final = {
    "an option of another game": (
        ORDER + '{ game: "giro-galoppo", seats, options: { hand: 5 } };',
        "'hand' does not exist in type",
    ),
    "an option of another type": (
        ORDER + '{ game: "giro-galoppo", seats, options: { length: "long" } };',
        "Type 'string' is not assignable to type 'number'",
    ),
    "a game that there is not": (
        ORDER + '{ game: "chess", seats };',
        "Type '\"chess\"' is not assignable to type",
    ),
    "an order without seats": (
        ORDER + '{ game: "giants-dance" };',
        "Property 'seats' is missing",
    ),
    "a command without a field": (
        'export const command: Shapes["Command"] = { type: "place_obstacle" };',
        "Property 'space' is missing",
    ),
    "a command that there is not": (
        'export const command: Shapes["Command"] = { type: "castle" };',
        "Type '\"castle\"' is not assignable to type",
    ),
    "an event that the game does not have": (
        'export const seen = event.type === "dealt";',
        "have no overlap",
    ),
    "a field before the event's type is known": (
        "export const space = event.space;",
        "Property 'space' does not exist",
    ),
    "an event that is forgotten": (
        'if (event.type !== "obstacle_placed") { const none: never = event; console.log(none); }',
        "is not assignable to type 'never'",
    ),
    "a state before its game is known": (
        "export const spaces = view.state?.spaces;",
        "Property 'spaces' does not exist",
    ),
    "another game's state": (
        'if (view.game === "dragon-dance") console.log(view.state?.spaces);',
        "Property 'spaces' does not exist on type",
    ),
    "a hidden hand taken for a known one": (
        'if (view.game === "giro-galoppo") view.state?.hands.forEach((one) => one.length);',
        "'one' is possibly 'null'",
    ),
    "a state taken for granted": (
        "console.log(view.state.phase);",
        "'view.state' is possibly 'null'",
    ),
    "a result taken for granted": (
        "console.log(view.result.winners);",
        "'view.result' is possibly 'null'",
    ),
    "an answer of a socket before it is told apart": (
        "console.log(frame.ok.version);",
        "Property 'ok' does not exist",
    ),
    "a slot before it is told apart": (
        "console.log(slot.between);",
        "Property 'between' does not exist",
    ),
    "a frame without an id": (
        'export const sent: Shapes["CommandFrame"] = { command: { type: "resign" } };',
        "Property 'id' is missing",
    ),
}


class Compiled(Struct):
    """A folder in which all was compiled, and what the compiler said, by program."""

    folder: Path
    errors: dict[str, list[str]]


def file_of(misuse: str) -> str:
    """The program in which something is misused."""
    return f"{misuse.replace(' ', '_').replace(chr(39), '')}.ts"


def chosen(game: Game) -> dict[str, Any]:
    """Random lawful options of a game, as a client sends them: any there are."""
    tries = (game.vary(chance_of("orders", number), game.players[0]) for number in range(20))
    return max(tries, key=len)


def orders() -> str:
    """A program that orders a match of each game that there is, with options of its own."""
    lines = []
    for number, rules in enumerate(catalogue()):
        seats = [{"name": f"p{seat}"} for seat in range(rules.game.players[0])]
        order = {"game": rules.game.id, "seats": seats, "options": chosen(rules.game)}
        text = msgspec.json.encode(order).decode()
        lines.append(f'export const order{number}: Shapes["NewMatch"] = {text};')
    return BEGIN + "\n".join(lines)


@pytest.fixture(scope="module")
def compiled(tmp_path_factory: pytest.TempPathFactory) -> Compiled:
    """The client, the orders and every misuse, beside the types that the document makes."""
    folder = tmp_path_factory.mktemp("client")
    made = run(OPENAPI_TYPESCRIPT, DOCUMENT, "--output", folder / "api.d.ts")
    assert made.returncode == 0, made.stdout + made.stderr
    programs = {"client.ts": CLIENT, "orders.ts": orders()}
    programs |= {file_of(name): BEGIN + line for name, (line, _) in MISUSES.items()}
    for name, text in programs.items():
        (folder / name).write_text(text, "utf-8")
    (folder / "package.json").write_text('{"type": "module"}')
    said = run(TSC, *STRICT, *programs, cwd=folder).stdout
    errors = defaultdict(list)
    for name, error in re.findall(ERROR, said, re.MULTILINE):
        errors[name].append(error)
    return Compiled(folder, errors)


def test_a_client_compiles_without_a_cast(compiled: Compiled) -> None:
    """At its strictest, the types themselves included; and nowhere does it claim a type."""
    code = re.sub(r"/\*\*.*?\*/", "", CLIENT, flags=re.DOTALL)

    assert compiled.errors.get("client.ts", []) == []
    assert compiled.errors.get("api.d.ts", []) == []
    assert re.findall(CASTS, code) == []


def test_a_match_of_every_game_can_be_ordered_with_options(compiled: Compiled) -> None:
    """Each with those that its own trials vary."""
    games = [rules.game for rules in catalogue()]

    assert all(chosen(game) for game in games if game.options is not NoOptions)
    assert compiled.errors.get("orders.ts", []) == []


@pytest.mark.parametrize("misuse", MISUSES)
def test_a_client_that_misuses_the_api_does_not_compile(compiled: Compiled, misuse: str) -> None:
    """The types say something: each mistake is one error, which names it."""
    (error,) = compiled.errors[file_of(misuse)]

    assert MISUSES[misuse][1] in error


def ran(compiled: Compiled, server: Server, expression: str) -> Any:
    """What an expression of the client's functions comes to, against a server."""
    program = (
        'import * as client from "./js/client.js"; const [url, token] = process.argv.slice(1);'
        f"console.log(JSON.stringify(await {expression}));"
    )
    options = ("--no-warnings", "--experimental-eventsource", "--input-type=module", "-e")
    done = node(*options, program, server.url, ORGANIZER, cwd=compiled.folder)
    assert done.returncode == 0, done.stderr
    return msgspec.json.decode(done.stdout)


def test_the_client_plays(compiled: Compiled, servers: list[Server]) -> None:
    """By requests and on the socket, while it follows the stream; problems are typed too."""
    seen = ran(compiled, servers[0], "client.play(url, token)")

    assert seen["problems"][0].startswith("out-of-turn: ")
    assert seen["problems"][1] == "look again at version 2"
    assert seen["answers"][0].startswith("0 refused: ")
    assert seen["answers"][1] == "1 accepted: version 3"
    assert seen["seen"] == "0 0"
    assert seen["end"] == ["1 Ada 2.0", "2 Ben "]
    assert seen["lines"][:3] == [
        "1 Ada and Ben run 30 spaces",
        "2 0 puts an obstacle on 9",
        "3 1 puts an obstacle on 12",
    ]
    assert seen["lines"][-2:] == ["5 enough: won by 0", "5 seed of 64 digits"]


def test_the_client_fills_templates_of_games_that_it_does_not_know(
    compiled: Compiled, servers: list[Server]
) -> None:
    """One function for all games: what it makes is taken."""
    _, *events = ran(compiled, servers[0], "client.fillIn(url, token, client.villager)")

    assert events[0] == "rolled"


def test_the_client_fills_lists_whose_entries_differ(
    compiled: Compiled, servers: list[Server]
) -> None:
    """No two of them alike where they must not be, and nothing spent twice."""
    entry = {"card": OneOf((3, 4)), "place": Between((1, 2)), "note": OneOf(("",), optional=True)}
    spend = {"card": (4, 4)}
    slots = {
        "laid": ListOf(entry, (2, 5), distinct=("place",), spend=spend),
        "kept": ListOf(OneOf((7, 8)), (2, 2), spend=(7, 8)),
    }
    template = msgspec.json.encode(Template("lay", slots)).decode()
    made = ran(compiled, servers[0], f"client.filled({template})")

    laid = [{"card": 4, "place": 1}, {"card": 4, "place": 2}]
    assert made == {"type": "lay", "laid": laid, "kept": [7, 8]}
