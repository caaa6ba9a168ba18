"""What the desk's form of a set-up begins with, judged by the game itself."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import takewhile
from pathlib import Path
from typing import Any, Final, NamedTuple

import msgspec
import pytest

from referee.core.game import Asker
from referee.core.match import Match
from referee.core.ruling import Refusal
from referee.core.views import view_of
from referee.core.visibility import seat_viewer
from referee.games.giganten import GAME
from referee.selfplay import Setup, chance_of, play, seed_of
from tests.conformance.matches import as_json
from tests.core.play import rules_of
from tests.node.test_desk import DESK
from tests.node.tools import node

pytestmark = pytest.mark.node

RULES: Final = rules_of(GAME)
DEALS: Final = 8
PROGRAM: Final = """
import {readFileSync} from "node:fs";
import {asListed, filled} from "./filling.js";
import {settled} from "./starts.js";
const begun = ({view, template}, order) => {
  const values = filled(template, order);
  const places = template.fields.pieces.list_of.at.one_of;
  return {type: template.type, ...values, pieces: settled(view, values.pieces, "at", places)};
};
const cases = JSON.parse(readFileSync(process.argv[1], "utf-8"));
console.log(JSON.stringify(cases.map((one) => begun(one, asListed))));
"""


class Asked(NamedTuple):
    """A seat that is to set up, in a match as it stands."""

    match: Match
    seat: int

    @property
    def by(self) -> Asker:
        """The seat, as it asks."""
        return Asker("seat", self.seat, self.match.at)

    @property
    def case(self) -> dict[str, Any]:
        """What the desk knows."""
        view = as_json(view_of(RULES, self.match, seat_viewer(self.seat)))
        (template,) = as_json(RULES.legal(self.match, self.by).templates)
        return {"view": view, "template": template}

    def refusal(self, values: Any) -> str | None:
        """The ruling by which the game refuses a set-up."""
        try:
            RULES.judge(self.match, self.by, RULES.read_command(msgspec.json.encode(values)))
        except Refusal as refused:
            return refused.ruling
        return None


def asked_to_set_up(seats: int) -> Iterator[Asked]:
    """Every seat of some deals, when it is its turn to set up."""
    for number in range(DEALS):
        setup = Setup(seats=seats, seed=seed_of("start", seats, number))
        steps = (step.decided.match for step in play(RULES, setup, chance_of("start", number)))
        for match in takewhile(lambda one: not one.dealt or one.state.phase != "play", steps):
            if match.dealt and match.state.phase == "setup":
                yield from (Asked(match, seat) for seat in match.owed)


@pytest.mark.parametrize("seats", GAME.players)
def test_a_set_up_begins_with_what_the_rules_allow(seats: int, tmp_path: Path) -> None:
    """No form is wrong that nobody has touched, and partners leave each other room."""
    asked = list(asked_to_set_up(seats))
    cases = tmp_path / "cases.json"
    cases.write_bytes(msgspec.json.encode([one.case for one in asked]))

    done = node("--no-warnings", "--input-type=module", "-e", PROGRAM, cases, cwd=DESK)

    assert done.returncode == 0, done.stderr
    begun = msgspec.json.decode(done.stdout)
    assert len(begun) >= DEALS
    refused = [one.refusal(values) for one, values in zip(asked, begun, strict=True)]
    assert [ruling for ruling in refused if ruling] == []
