"""`referee schemas`: what stands in schemas/ is what the code says."""

from __future__ import annotations

import hashlib
import hmac
import json
import struct
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import jsonschema_rs
import msgspec
import pytest
from click.testing import CliRunner

from referee.catalogue import catalogue
from referee.commands.schemas import command, documents
from referee.core.commit import read_match_file
from referee.core.verify import verify
from referee.schemas import game_schemas

FOLDER = Path(__file__).parents[2] / "schemas"
WORDS = 1 << 64


def read(name: str) -> Any:
    """A generated document, as another program reads it."""
    return json.loads((FOLDER / name).read_text("utf-8"))


def test_the_folder_is_not_stale() -> None:
    """Each file is what `referee schemas` writes, and there is no other: run `make schemas`."""
    written = dict(documents())
    found = {
        path.relative_to(FOLDER).as_posix(): path.read_text("utf-8")
        for path in FOLDER.rglob("*")
        if path.is_file()
    }
    assert sorted(found) == sorted(written)
    stale = [name for name, text in written.items() if found[name] != text]
    assert not stale, "run: make schemas"


def test_the_command_writes_the_documents(tmp_path: Path) -> None:
    """Into any folder, made if need be."""
    done = CliRunner().invoke(command, ["-o", str(tmp_path / "new" / "folder")])
    assert done.exit_code == 0
    for name, text in documents():
        assert (tmp_path / "new" / "folder" / name).read_text("utf-8") == text
    assert done.stdout.startswith(f"{len(dict(documents()))} files in ")


def validator(schema: Any) -> Any:
    """A validator that finds the table's schemas beside the game's, as a program on files would."""
    table = {"json-schema:///table.json": read("table.json")}
    registry = jsonschema_rs.Registry(table.items())
    base = "json-schema:///games/"
    return jsonschema_rs.Draft202012Validator(schema, registry=registry, base_uri=base)


def test_every_game_has_its_four_schemas() -> None:
    """Of options, commands, events and state; the commands and events of the table are referred to.

    What the game's own and what the table's schema says of a command is what is served whole.
    """
    for rules in catalogue():
        schemas = read(f"games/{rules.game.id}-{rules.game.version}.json")
        assert schemas.pop("ruleset") == rules.game.ruleset
        assert list(schemas) == ["options", "commands", "events", "state"]
        for name, schema in schemas.items():
            made = validator(schema)
            whole = jsonschema_rs.Draft202012Validator(game_schemas(rules)[name])
            for value in ({"type": "resign"}, {"type": "resign", "more": 1}, {"type": "pause"}, {}):
                assert made.is_valid(value) == whole.is_valid(value), (name, value)
        forfeit = {"type": "forfeit", "seat": 1, "reason": "left"}
        assert validator(schemas["commands"]).is_valid(forfeit)
        assert not validator(schemas["commands"]).is_valid(forfeit | {"seat": "1"})


@pytest.mark.parametrize(
    "name", ["view.json", "problem.json", "commit.json", "match-file-header.json"]
)
def test_every_other_schema_is_valid_by_itself(name: str) -> None:
    """A validator takes it without any other file."""
    schema = read(name)
    assert schema["$schema"] == "https://json-schema.org/draft/2020-12/schema"
    jsonschema_rs.Draft202012Validator(schema)


def test_schemas_are_plain_json_schema() -> None:
    """No `discriminator`; every tag is a `const`; references lead within, or to the table's."""
    for rules in catalogue():
        text = (FOLDER / f"games/{rules.game.id}-{rules.game.version}.json").read_text("utf-8")
        assert "discriminator" not in text
        for tag in (of.command.__struct_config__.tag for of in rules.game.commands):
            assert f'"const": "{tag}"' in text
        refs = {line.split('"')[3] for line in text.splitlines() if '"$ref"' in line}
        assert {ref for ref in refs if not ref.startswith("#/$defs/")} == {
            "../table.json#/commands",
            "../table.json#/events",
        }


# ── vectors, recomputed by hand ───────────────────────────────────────────────────────────────────


def words(case: Any, draw: int) -> Iterator[int]:
    """The numbers of a draw, by the contract's formula and nothing of ours."""
    seed = bytes.fromhex(case["seed"])
    prefix = "".join(f"{part}|" for part in ("referee/1", case["match"], *case["entropy"]))
    block = 0
    while True:
        digest = hmac.new(seed, f"{prefix}{draw}|{block}".encode(), hashlib.sha256).digest()
        yield from struct.unpack(">4Q", digest)
        block += 1


def below(source: Iterator[int], n: int) -> int:
    """A number below n of these words."""
    return next(word for word in source if word < WORDS - WORDS % n) % n


def test_the_vectors_of_chance_follow_from_the_formula() -> None:
    """Bytes, numbers and shuffles; and among the numbers some words are refused."""
    refused = 0
    for case in read("vectors/randomness.json")["cases"]:
        digest = hashlib.sha256(bytes.fromhex(case["seed"])).hexdigest()
        assert case["seed_commitment"] == f"sha256:{digest}"
        for row in case["bytes"]:
            source = words(case, row["draw"])
            assert row["hex"] == struct.pack(">12Q", *(next(source) for _ in range(12))).hex()
            first = hmac.new(bytes.fromhex(case["seed"]), row["message"].encode(), hashlib.sha256)
            assert row["hex"].startswith(first.hexdigest())
        for row in case["below"]:
            n = int(row["n"])
            assert int(row["value"]) == below(words(case, row["draw"]), n)
            refused += next(words(case, row["draw"])) >= WORDS - WORDS % n
        for row in case["shuffles"]:
            source, order = words(case, row["draw"]), list(range(row["size"]))
            for last in range(row["size"] - 1, 0, -1):
                other = below(source, last + 1)
                order[last], order[other] = order[other], order[last]
            assert row["order"] == order
    assert refused >= 3


def test_the_vectors_of_heads_are_a_chain_and_a_match_file() -> None:
    """SHA-256 of `match|ruleset`, then over each head and commit; the file holds the same."""
    vector = read("vectors/heads.json")
    head = hashlib.sha256(f"{vector['match']}|{vector['ruleset']}".encode()).hexdigest()
    for version, row in enumerate(vector["commits"], start=1):
        assert (row["version"], row["prev"]) == (version, head)
        head = hashlib.sha256(bytes.fromhex(head) + bytes.fromhex(row["commit"])).hexdigest()
        assert row["head"] == head
    file = read_match_file(bytes.fromhex(vector["match_file"]))
    assert file.header.head == head
    assert [data.hex() for data in file.commits] == [row["commit"] for row in vector["commits"]]
    verdict = verify(catalogue().rules(vector["ruleset"]), vector["match"], file.commits)
    assert verdict.dispute is None


def test_the_vectors_commits_fit_their_schema() -> None:
    """As JSON, their bytes as hex; and the file's header fits its own."""
    commits = jsonschema_rs.Draft202012Validator(read("commit.json"))
    headers = jsonschema_rs.Draft202012Validator(read("match-file-header.json"))
    vector = read("vectors/heads.json")
    for row in vector["commits"]:
        commit = msgspec.msgpack.decode(bytes.fromhex(row["commit"]))
        commit["prev"] = commit["prev"].hex()
        commit["salt"] = commit["salt"] and commit["salt"].hex()
        commits.validate(commit)
        assert not commits.is_valid(commit | {"more": 1})
        assert not commits.is_valid(commit | {"by": "seat:01"})
    file = read_match_file(bytes.fromhex(vector["match_file"]))
    headers.validate(msgspec.to_builtins(file.header))
