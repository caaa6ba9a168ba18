"""One task over many sources: in this process or in several, with a bar where somebody watches."""

import multiprocessing
import os
import sys
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from typing import Final, TypeVar

from replay.exits import Unusable
from replay.sources.source import Source

R = TypeVar("R")

_CHUNK: Final = 64
_WORTH_A_PROCESS: Final = 8
"""Logs for which one more process is started, where it is not said how many: it takes a second."""


def each(task: Callable[[Source], R], sources: Sequence[Source], jobs: int = 0) -> Iterator[R]:
    """The task's answer for every source, in their order.

    A bar is drawn on standard error where that is a terminal and there is more than one source;
    the answers then come after it is full, so that what is printed of them does not run into it.

    Args:
        task: a module's function, or a `partial` of one: processes are started anew and import it.
        sources: what it is done with.
        jobs: how many processes; 0 for one a core, where there are logs enough for them.
    """
    enough = min(_cores(), len(sources) // _WORTH_A_PROCESS)
    answers = _answers(task, sources, min(jobs or enough, len(sources)))
    if len(sources) > 1 and sys.stderr.isatty():
        return iter(_watched(answers, len(sources)))
    return answers


def _cores() -> int:
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def _answers(task: Callable[[Source], R], sources: Sequence[Source], jobs: int) -> Iterator[R]:
    if jobs <= 1:
        yield from map(task, sources)
        return
    # Spawned, not forked: the same on every platform, and nothing of ours is shared by accident.
    fresh = multiprocessing.get_context("spawn")
    chunk = max(1, min(_CHUNK, len(sources) // (4 * jobs)))
    pool = ProcessPoolExecutor(jobs, mp_context=fresh)
    try:
        yield from pool.map(task, sources, chunksize=chunk)
    except BrokenProcessPool as error:
        raise Unusable("a process that judged was ended from outside") from error
    finally:
        pool.shutdown(cancel_futures=True)


def _watched(answers: Iterator[R], total: int) -> list[R]:
    from rich import console, progress  # noqa: PLC0415 - heavy, and not for `--help`

    columns = (
        progress.TextColumn("judging"),
        progress.BarColumn(),
        progress.MofNCompleteColumn(),
        progress.TimeRemainingColumn(),
    )
    err = console.Console(stderr=True)
    with progress.Progress(*columns, console=err, transient=True) as bar:
        return list(bar.track(answers, total=total))
