"""How far a reader walks who follows a command through the code."""

from __future__ import annotations

from typing import Final

from benchmarks.crossing import application, played, usual_of

MODULES: Final = 20


async def test_a_usual_command_crosses_few_modules(redis_url: str) -> None:
    """From where it was read to the answer: what is asked of every command stands in few places."""
    async with application(redis_url) as app:
        await played(app)
        usual = usual_of(await played(app))

    assert len(usual.modules) <= MODULES
    for step in ("serving.straight", "service.taking.handling", "core.judging", "store.streams"):
        assert usual.modules[f"referee.{step}"]
