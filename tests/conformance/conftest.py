"""Every test here that asks for `rules` runs for every game found, and for the toy game."""

from __future__ import annotations

import pytest

from tests.conformance.matches import ALL


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """Nothing is edited when a game is added."""
    if "rules" in metafunc.fixturenames:
        metafunc.parametrize("rules", ALL, ids=[rules.game.id for rules in ALL])
