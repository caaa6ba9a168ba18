"""Mutation testing: change one thing in the rules, and see whether any test notices.

`make mutate ARGS="--seed 7 --count 300"` draws mutants of `referee/core` and `referee/games`, puts
each into a copy of the project and runs the tests that cover its line, until one fails. What
survives is listed: it wants a test, or a place in `equivalents.toml` with the reason why nobody
could notice.
"""

from __future__ import annotations

import argparse
import os
import random
import re
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from queue import SimpleQueue
from typing import Final

import coverage
import msgspec
from msgspec import Struct

from tests.proof.mutation.operators import Mutant, mutants

HERE: Final = Path(__file__).parent
ROOT: Final = HERE.parents[2]
MUTATED: Final = ("referee/core", "referee/games")
TESTS: Final = (
    "tests/core",
    "tests/games",
    "tests/test_examples.py",
    "tests/commands/test_schemas.py",
    "tests/conformance",
    "tests/replay",
)
"""In this order are they tried: the quick ones first."""
LEFT_OUT: Final = ("sample.py", "svg.py")
"""Which lawful command a trial takes, and where a line of a picture goes, is nobody's promise."""
VARYING: Final = re.compile("_?var(y|ied)")
"""Nor is under which options a trial is played: what names so begin says that."""
COPIED: Final = ("referee", "replay", "tests", "schemas", "docs", "benchmarks", "requirements")
LIMIT_S: Final = 300
"""A test that runs longer than this is caught in a loop: it has noticed."""
ALL_S: Final = 1800
"""And so is what has not even come to its first test by then."""
NONE: Final = 5
"""What pytest ends with where it finds none of the tests."""
PYTEST: Final = (
    sys.executable, "-m", "pytest", "-q", "-x", "--no-header", "--no-summary",
    "-p", "no:cacheprovider", f"--timeout={LIMIT_S}",
)  # fmt: skip


class Known(Struct, frozen=True, forbid_unknown_fields=True):
    """Mutants of a line that change nothing that could be seen, and why: one, or any of it."""

    file: str
    line: str
    why: str
    within: str = ""
    old: str = ""
    new: str = ""

    def is_one(self, mutant: Mutant) -> bool:
        """Whether it is this; what is not said may be anything."""
        asked = {"within": self.within, "old": self.old, "new": self.new}
        said = {"file": self.file, "line": self.line} | {k: v for k, v in asked.items() if v}
        return all(getattr(mutant, name) == value for name, value in said.items())


class Equivalents(Struct, frozen=True, forbid_unknown_fields=True):
    """What `equivalents.toml` holds."""

    equivalent: tuple[Known, ...] = ()


def main() -> int:
    """Draw, run, list; 1 where something survives that is not known to be equivalent."""
    asked = _arguments()
    data = ROOT / ".mutation"
    if not data.exists() or asked.anew:
        _collect(data)
    equivalent = known()
    drawn = [one for one in drawn_by(asked.seed, asked.count, asked.only) if one not in equivalent]
    survivors = Hunt(coverage_of(data), asked.jobs).survivors(drawn)
    print(f"{len(survivors)} of {len(drawn)} survive")
    for mutant in survivors:
        print(mutant)
    return 1 if survivors else 0


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="make mutate", description=__doc__)
    parser.add_argument("--seed", type=int, default=1, help="draws others")
    parser.add_argument("--count", type=int, default=300, help="how many")
    parser.add_argument("--only", default="", help="of files whose path has this in it")
    parser.add_argument("--jobs", type=int, default=2, help="so many at a time")
    parser.add_argument("--anew", action="store_true", help="find out anew which test runs what")
    return parser.parse_args()


def all_mutants(only: str = "") -> list[Mutant]:
    """Every mutant there is."""
    paths = [path for folder in MUTATED for path in sorted((ROOT / folder).rglob("*.py"))]
    paths = [path for path in paths if path.name not in LEFT_OUT]
    named = [(str(path.relative_to(ROOT)), path) for path in paths]
    drawn = [
        one for name, path in named if only in name for one in mutants(name, path.read_bytes())
    ]
    return [one for one in drawn if not VARYING.match(one.within)]


def drawn_by(seed: int, count: int, only: str) -> list[Mutant]:
    """Some of them, the same for the same seed and sources."""
    everything = all_mutants(only)
    return random.Random(seed).sample(everything, min(count, len(everything)))


def known() -> Sequence[Mutant]:
    """Those of `equivalents.toml`, as they stand in the sources."""
    text = (HERE / "equivalents.toml").read_bytes()
    listed = msgspec.toml.decode(text, type=Equivalents).equivalent
    return [one for one in all_mutants() if any(known.is_one(one) for known in listed)]


# ── Which test runs which line ────────────────────────────────────────────────────────────────────


def _collect(data: Path) -> None:
    """Run the tests once, and note it: a quarter of an hour."""
    print("finding out which test runs which line …", flush=True)
    run = [sys.executable, "-m", "coverage", "run", f"--source={','.join(MUTATED)}"]
    run += ["-m", "pytest", "-q", "-p", "tests.proof.mutation.contexts", "--timeout=0", *TESTS]
    subprocess.run(run, cwd=ROOT, env={**os.environ, "COVERAGE_FILE": str(data)}, check=True)


class Covering(Struct, frozen=True):
    """For each file the tests that run each of its lines, and those that run any."""

    lines: dict[str, dict[int, list[str]]]

    def tests(self, mutant: Mutant) -> list[str]:
        """The tests for a mutant: of its line, or of its file where that runs as it is read."""
        lines = self.lines.get(mutant.file, {})
        found = {test for test in lines.get(mutant.number, ()) if test}
        if not found or "" in lines.get(mutant.number, ()):
            found = {test for tests in lines.values() for test in tests if test}
        return sorted(found, key=_place)


def _place(test: str) -> tuple[int, str]:
    return next((n for n, folder in enumerate(TESTS) if test.startswith(folder)), 99), test


def coverage_of(data: Path) -> Covering:
    """What was noted."""
    noted = coverage.CoverageData(str(data))
    noted.read()
    return Covering(
        {str(Path(file).relative_to(ROOT)): noted.contexts_by_lineno(file)
         for file in noted.measured_files()}
    )  # fmt: skip


# ── The hunt ──────────────────────────────────────────────────────────────────────────────────────


class Hunt:
    """Mutants one after another, each in one of some copies of the project."""

    def __init__(self, covering: Covering, jobs: int) -> None:
        self._covering, self._jobs = covering, jobs
        self._copies: SimpleQueue[Path] = SimpleQueue()
        self._done = 0

    def survivors(self, drawn: Sequence[Mutant]) -> list[Mutant]:
        """Those that no test notices."""
        with tempfile.TemporaryDirectory(prefix="mutation-") as folder:
            for number in range(self._jobs):
                self._copies.put(_copy(Path(folder) / str(number)))
            with ThreadPoolExecutor(self._jobs) as pool:
                noticed = list(pool.map(self._noticed, drawn))
        return [mutant for mutant, seen in zip(drawn, noticed, strict=True) if not seen]

    def _noticed(self, mutant: Mutant) -> bool:
        copy = self._copies.get()
        path = copy / mutant.file
        source = path.read_bytes()
        try:
            _write(path, mutant.applied(source))
            seen = self._fails(copy, self._covering.tests(mutant))
        finally:
            _write(path, source)
            self._copies.put(copy)
        self._done += 1
        print(f"{self._done:4} {'noticed ' if seen else 'SURVIVES'} {mutant}", flush=True)
        return seen

    def _fails(self, copy: Path, tests: list[str]) -> bool:
        """Whether any of these tests fails."""
        if not tests:
            return False
        (copy / "chosen").write_text("\n".join(tests))
        clean = {**os.environ, "CI": "1"}  # the same examples each time
        run = [*PYTEST, "@chosen"]
        try:
            done = subprocess.run(
                run, cwd=copy, env=clean, capture_output=True, check=False, timeout=ALL_S
            )
        except subprocess.TimeoutExpired:
            return True
        if done.returncode == NONE or b"not found: " in done.stderr + done.stdout:
            raise SystemExit("the tests are others than those that were noted: run with --anew")
        return done.returncode != 0


def _copy(folder: Path) -> Path:
    folder.mkdir()
    away = shutil.ignore_patterns("node_modules", "__pycache__")
    for name in COPIED:
        shutil.copytree(ROOT / name, folder / name, ignore=away)
    for path in ROOT.glob("*"):
        if path.is_file():
            shutil.copy(path, folder)
    return folder


def _write(path: Path, source: bytes) -> None:
    """Write a source so that no compiled one of the same second and size passes for it."""
    path.write_bytes(source)
    for compiled in (path.parent / "__pycache__").glob(f"{path.stem}.*.pyc"):
        compiled.unlink()
    os.utime(path, (time.time() + _write_count() * 2,) * 2)


_COUNT: Final = iter(range(1, 1 << 30))


def _write_count() -> int:
    return next(_COUNT)


if __name__ == "__main__":
    sys.exit(main())
