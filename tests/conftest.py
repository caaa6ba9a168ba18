"""What every test shares: what is compiled once, how Hypothesis behaves here and in a build."""

import gc
import os
import re
import signal
import sys
from functools import cache
from pathlib import Path
from typing import Final

import pytest
import structlog
from hypothesis import HealthCheck, settings

pytest_plugins = ["tests.store.fixtures", "tests.store.programs", "tests.live.fixtures"]

# Each worker, and a hundred processes that the tests start, compile the same modules: once will do.
sys.dont_write_bytecode = False
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)

# A shell that runs tests in the background has them ignore Ctrl-C, and so all that they start.
signal.signal(signal.SIGINT, signal.default_int_handler)


PLAIN: Final = re.compile(r"not \w+(?: and not \w+)*")
"""An expression of `-m` that only leaves out, as that of a plain run does."""

MARKS_OF_A_MODULE: Final = re.compile(r"^pytestmark = .*", re.MULTILINE)


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    """What bears a marker as a whole, and would be left out test by test, is not even read.

    Each process of a run would import all that browsers, clusters and clients are driven with.
    """
    expression = config.option.markexpr
    if not PLAIN.fullmatch(expression):
        return None
    left_out = {f"not {marker}" for marker in _marks_of(collection_path)}
    return bool(left_out & set(expression.split(" and "))) or None


@cache
def _marks_of(path: Path) -> frozenset[str]:
    """The markers that all tests of a module bear, or all modules of a folder."""
    if path.is_dir():
        modules = list(path.rglob("test_*.py"))
        return frozenset.intersection(*map(_marks_of, modules)) if modules else frozenset()
    found = MARKS_OF_A_MODULE.search(path.read_text("utf-8")) if path.suffix == ".py" else None
    return frozenset(re.findall(r"pytest\.mark\.(\w+)", found[0])) if found else frozenset()


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """The tests that share `servers` come first: one process of a run then starts them, not each.

    Each process begins with a stretch of this order, and those that are done take from the ends of
    others' stretches.
    """
    items.sort(key=lambda item: "servers" not in getattr(item, "fixturenames", ()))


def pytest_collection_finish() -> None:
    """What stays to the end of the run, as modules do, is looked through for garbage no more."""
    gc.collect()
    gc.freeze()


def pytest_xdist_auto_num_workers() -> int:
    """Two processes more than there are cores: much of the tests' time is waiting."""
    return (os.cpu_count() or 1) + 2


# Tracebacks without the values of every variable: drawing those takes longer than the tests.
structlog.configure(
    processors=[structlog.dev.ConsoleRenderer(exception_formatter=structlog.dev.plain_traceback)]
)

# No deadline: two cores are shared by many processes, and a slow example is not a wrong one.
settings.register_profile("default", deadline=None)
# A build prints how to repeat a failure and finds the same examples every time.
settings.register_profile(
    "ci",
    deadline=None,
    derandomize=True,
    print_blob=True,
    suppress_health_check=[HealthCheck.too_slow],
)
settings.load_profile("ci" if os.environ.get("CI") else "default")
