"""`referee schemas`: the contracts for programs in any language, written to files."""

from collections.abc import Iterator
from importlib.resources import files
from pathlib import Path
from typing import Annotated, Any, Final

import click
import msgspec
from msgspec import Meta, Struct

from referee.catalogue import catalogue
from referee.commands._reference import reference
from referee.core.commit import Header
from referee.core.patterns import ORGANIZER_NAME
from referee.core.rules import Rules
from referee.core.table import BEHIND_ROUTES, TABLE
from referee.core.table.events import MatchCreated, TakenBack
from referee.core.table.folds import TABLE_EVENTS
from referee.core.views import MatchView
from referee.http.problems import Problem
from referee.http.routes.schema import document
from referee.schemas import DIALECT, any_of, events_schema, game_schemas, schema_of
from referee.vectors import heads, randomness

Hash = Annotated[str, Meta(pattern="^[0-9a-f]{64}$")]
Salt = Annotated[str, Meta(pattern="^[0-9a-f]{24}$")]
_SEAT: Final = "seat:(0|[1-9][0-9]*)"
_ORGANIZER: Final = f"organizer(:{ORGANIZER_NAME.pattern})?"
By = Annotated[str, Meta(pattern=f"^(service|{_SEAT}|{_ORGANIZER}(/{_SEAT})?)$")]

SHORTEST_MATCH: Final = "giro-galoppo"
"""The game of the match in the vectors of heads: it draws nothing, so that bytes are all."""


class CommitShape(Struct, frozen=True, forbid_unknown_fields=True):
    """A commit, as JSON: in the log it is MessagePack, whose `salt` and `prev` are `bin`.

    `v` version, from 1; `at` Unix ms; `by` who; `key` the idempotency key or null; `salt` 12
    random bytes in a commit that can hide something, else null; `cmd` the command; `ev` its
    events; `prev` the head before, 32 bytes. The head after it is the
    SHA-256 of `prev` and the commit's exact bytes; the first `prev` is that of
    `match|ruleset`.
    """

    v: Annotated[int, Meta(ge=1)]
    at: int
    by: By
    key: str | None
    salt: Salt | None
    cmd: dict[str, Any]
    ev: list[dict[str, Any]]
    prev: Hash


@click.command("schemas")
@click.option(
    "-o",
    "--output",
    type=click.Path(file_okay=False, path_type=Path),
    default=Path("schemas"),
    show_default=True,
    help="Folder to write to.",
)
def command(*, output: Path) -> None:
    """Write JSON Schemas, the OpenAPI document and test vectors, made from the code."""
    written = 0
    for name, content in documents():
        path = output / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(content, "utf-8")
        written += 1
    click.echo(f"{written} files in {output}")


def documents() -> Iterator[tuple[str, str]]:
    """Each file's name, with `/` between folders, and its text; the same for the same code."""
    games = catalogue()
    for rules in games:
        yield f"games/{rules.game.id}-{rules.game.version}.json", _text(_game(rules))
    yield "table.json", _text(_table())
    yield "view.json", _text(schema_of(MatchView))
    yield "problem.json", _text(schema_of(Problem))
    yield "commit.json", _text(schema_of(CommitShape))
    yield "match-file-header.json", _text(schema_of(Header))
    yield "openapi.json", _text(document(games))
    yield "vectors/randomness.json", _text(randomness())
    yield "vectors/heads.json", _text(heads(games.current(SHORTEST_MATCH)))
    yield "reference.md", reference(games)
    yield "README.md", files("referee.commands").joinpath("schemas.md").read_text("utf-8")


def _game(rules: Rules) -> dict[str, Any]:
    game, whole = rules.game, game_schemas(rules)
    commands = schema_of(any_of(of.command for of in game.commands))
    return {
        "ruleset": game.ruleset,
        "options": whole["options"],
        "commands": _and_the_tables("commands", commands),
        "events": _and_the_tables("events", events_schema(tuple(game.events))),
        "state": whole["state"],
    }


def _and_the_tables(part: str, schema: dict[str, Any]) -> dict[str, Any]:
    """A game's own commands or events, and those that every game has, by reference."""
    own = schema["anyOf"] if "anyOf" in schema else [{"$ref": schema["$ref"]}]
    any_of = [*own, {"$ref": f"../table.json#/{part}"}]
    return {"$schema": DIALECT, "anyOf": any_of, "$defs": schema["$defs"]}


def _table() -> dict[str, Any]:
    commands = schema_of(any_of(of.command for of in TABLE if of.command not in BEHIND_ROUTES))
    events = events_schema((MatchCreated, TakenBack, *TABLE_EVENTS))
    return {
        "$schema": DIALECT,
        "commands": {"anyOf": commands["anyOf"]},
        "events": {"anyOf": events["anyOf"]},
        "$defs": {**commands["$defs"], **events["$defs"]},
    }


def _text(value: Any) -> str:
    return msgspec.json.format(msgspec.json.encode(value), indent=2).decode() + "\n"
