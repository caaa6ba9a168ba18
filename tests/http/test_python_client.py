"""The API's document, as the author of a front end in Python meets it."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Final

import msgspec
import pytest

from tests.clients import ORGANIZER
from tests.live.servers import serving

DOCUMENT: Final = Path(__file__).parents[2] / "schemas" / "openapi.json"
MODULES: Final = """
accepted.Accepted created_match.CreatedMatch draw_offered.DrawOffered
giro_galoppo_match.GiroGaloppoMatch giro_galoppo_obstacle_placed.GiroGaloppoObstaclePlaced
giro_galoppo_place_obstacle.GiroGaloppoPlaceObstacle new_giro_galoppo_match.NewGiroGaloppoMatch
new_giro_galoppo_options.NewGiroGaloppoOptions new_seat.NewSeat offer_draw.OfferDraw
problem.Problem
"""
PROGRAM: Final = """
import json
import sys

from made import AuthenticatedClient
from made.api.matches import create_match, get_match
from made.api.play import send_command
{imports}

def play(url: str, organizer: str) -> list[int | str]:
    order = NewGiroGaloppoMatch(
        game="giro-galoppo",
        seats=[NewSeat("Ada"), NewSeat("Ben")],
        options=NewGiroGaloppoOptions(length=50),
    )
    created = create_match.sync(client=AuthenticatedClient(url, organizer), body=order)
    assert isinstance(created, CreatedMatch), created
    match = created.match
    ada = AuthenticatedClient(url, created.seats[0].token)
    place = GiroGaloppoPlaceObstacle("place_obstacle", 9)
    placed = send_command.sync(match, client=ada, body=place, if_match='"1"')
    assert isinstance(placed, Accepted)
    (event,) = placed.events
    assert isinstance(event, GiroGaloppoObstaclePlaced)
    refused = send_command.sync(match, client=ada, body=place)
    assert isinstance(refused, Problem)
    offered = send_command.sync(match, client=ada, body=OfferDraw("offer_draw"))
    assert isinstance(offered, Accepted)
    assert isinstance(offered.events[0], DrawOffered)
    seen = get_match.sync(match, client=ada)
    assert isinstance(seen, GiroGaloppoMatch)
    assert seen.state is not None
    return [event.space, str(refused.ruling), seen.options.length, *seen.state.course.obstacles]


print(json.dumps(play(*sys.argv[1:])))
"""


def run(folder: Path, *arguments: str | Path) -> subprocess.CompletedProcess[str]:
    """Run a program beside the client; whatever comes of it."""
    told = {**os.environ, "PYTHONPATH": str(folder), "COLUMNS": "200"}
    return subprocess.run(
        arguments, cwd=folder, env=told, capture_output=True, text=True, check=False, timeout=100
    )


@pytest.fixture(scope="module")
def generated(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, str]:
    """A folder with a client `made` of the document and a program; what the generator said."""
    folder = tmp_path_factory.mktemp("client")
    (folder / "config.yml").write_text("post_hooks: []\n")
    found = [name.rpartition(".") for name in MODULES.split()]
    imports = "\n".join(f"from made.models.{module} import {kind}" for module, _, kind in found)
    (folder / "program.py").write_text(PROGRAM.format(imports=imports))
    generator = Path(sys.executable).parent / "openapi-python-client"
    options = ("--meta", "none", "--config", "config.yml", "--output-path", "made")
    done = run(folder, generator, "generate", "--path", DOCUMENT, *options)
    assert done.returncode == 0, done.stdout + done.stderr
    return folder, done.stdout + done.stderr


def test_a_client_is_made_of_the_whole_document(generated: tuple[Path, str]) -> None:
    """Nothing is skipped but bodies in MessagePack and pictures, which the generator cannot do."""
    _, said = generated

    remarks = re.findall(
        r"^(?:WARNING|ERROR|Unsupported|Unable|Could|Cannot)(?!.*svg).*", said, re.MULTILINE
    )
    others = [line for line in remarks if not line.startswith("WARNING parsing POST ")]
    assert set(others) <= {"Unsupported content type application/msgpack"}
    assert len(others) * 2 == len(remarks)  # one a body, and nothing else about it


def test_a_strict_program_on_it_plays(generated: tuple[Path, str], redis_url: str) -> None:
    """The type checker finds nothing to say, and its answers are of the types of the document."""
    folder, _ = generated
    strictly = ("--strict", "--follow-imports=silent", "--cache-dir", folder / "cache")

    checked = run(folder, sys.executable, "-m", "mypy", *strictly, "program.py")
    with serving(redis_url) as (server,):
        played = run(folder, sys.executable, "program.py", server.url, ORGANIZER)

    assert checked.returncode == 0, checked.stdout
    assert played.returncode == 0, played.stderr
    assert msgspec.json.decode(played.stdout) == [9, "out-of-turn", 50, 9]
