"""The examples in docstrings: each comes out as it is written."""

from __future__ import annotations

import doctest
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path
from pkgutil import walk_packages

import pytest

import referee
import replay


def modules_with_examples() -> Iterator[str]:
    """Every module of ours whose text holds a prompt."""
    for package in (referee, replay):
        for module in walk_packages(package.__path__, f"{package.__name__}."):
            spec = module.module_finder.find_spec(module.name, None)
            if spec and spec.origin and ">>> " in Path(spec.origin).read_text("utf-8"):
                yield module.name


@pytest.mark.parametrize("module", [*modules_with_examples()])
def test_the_examples_of_a_module_come_out_as_written(module: str) -> None:
    """A docstring that shows what is called shows what comes of it."""
    told = doctest.testmod(import_module(module))
    assert told.attempted
    assert not told.failed
