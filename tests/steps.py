"""How much a piece of work is, counted: it is the same on every machine."""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from types import FrameType
from typing import Any

import referee

CODE = str(Path(referee.__file__).parent)


def steps_of(work: Callable[[], object]) -> Counter[str]:
    """How many instructions of the interpreter each function of ours runs for it."""
    steps: Counter[str] = Counter()

    def begun(frame: FrameType, _event: str, _arg: object) -> Any:
        name = frame.f_code.co_qualname

        def step(_frame: FrameType, event: str, _arg: object) -> Any:
            steps[name] += event == "opcode"
            return step

        if not frame.f_code.co_filename.startswith(CODE):
            return None
        frame.f_trace_opcodes, frame.f_trace_lines = True, False
        return step

    before = sys.gettrace()
    sys.settrace(begun)
    try:
        work()
    finally:
        sys.settrace(before)
    return steps
