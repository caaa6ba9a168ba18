"""The API's document, as a program in TypeScript meets it."""

from __future__ import annotations

from pathlib import Path
from subprocess import CompletedProcess

import pytest

from tests.node.tools import OPENAPI_TYPESCRIPT, TSC, run

pytestmark = pytest.mark.node

DOCUMENT = Path(__file__).parents[2] / "schemas" / "openapi.json"
CLIENT = """
import type { paths } from "./api.js";

type Answer = paths["/v1/matches"]["post"]["responses"]["201"]["content"]["application/json"];

export function invited(made: Answer): string[] {
  return [made.match, ...made.seats.map((seat) => seat.token)];
}
"""


@pytest.fixture(scope="module")
def types(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the document's types in `api.d.ts`."""
    folder = tmp_path_factory.mktemp("client")
    made = run(OPENAPI_TYPESCRIPT, DOCUMENT, "--output", folder / "api.d.ts")
    assert made.returncode == 0, made.stdout + made.stderr
    return folder


def compiled(folder: Path, name: str, text: str) -> CompletedProcess[str]:
    """What the compiler says of a program beside the types, at its strictest."""
    program = folder / name
    program.write_text(text, "utf-8")
    return run(TSC, "--strict", "--noEmit", "--module", "nodenext", program)


def test_a_client_of_the_made_types_compiles(types: Path) -> None:
    """Strictly, the types themselves included."""
    done = compiled(types, "client.ts", CLIENT)
    assert done.returncode == 0, done.stdout


def test_a_client_that_asks_for_what_is_not_there_does_not_compile(types: Path) -> None:
    """The types say something: a field that no answer has is an error."""
    done = compiled(types, "wrong.ts", CLIENT.replace("seat.token", "seat.tokens"))
    assert done.returncode != 0
    assert "Property 'tokens' does not exist" in done.stdout
