"""One task over many sources: in this process or in several, with a bar where somebody watches."""

import multiprocessing
import os
import signal
import sys
from collections.abc import Callable, Generator, Iterator, Sequence
from contextlib import contextmanager, suppress
from multiprocessing import resource_tracker
from multiprocessing.connection import Connection, wait
from typing import Any, Final, TypeVar

import click

from replay.exits import JUDGED, Unusable
from replay.sources.source import Source

R = TypeVar("R")

_CHUNK: Final = 8
"""Logs that a process is given at once, at most: so often the bar moves."""
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
    if len(sources) <= 1:
        return answers
    watched = _watched(answers, len(sources)) if sys.stderr.isatty() else answers
    return _counted(watched, len(sources))


def _cores() -> int:
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def _answers(task: Callable[[Source], R], sources: Sequence[Source], jobs: int) -> Iterator[R]:
    if jobs <= 1:
        yield from map(task, sources)
        return
    size = max(1, min(_CHUNK, len(sources) // (4 * jobs)))
    chunks = [sources[first : first + size] for first in range(0, len(sources), size)]
    with _workers(task, jobs) as idle:
        yield from _shared_out(chunks, idle)


# ── In several processes ──────────────────────────────────────────────────────────────────────────
#
#           a chunk of sources ──►
#   this one ═══════ a pipe ═══════ a worker    Each learns by its pipe that the other is gone.
#           ◄── their answers                   A pool's queues, shared by all, tell no worker,
#                                               and may stay shut once one was killed.


@contextmanager
def _workers(task: Callable[[Source], R], jobs: int) -> Generator[list[Connection]]:
    """Processes that do the task, each at the other end of a pipe; they end with this block."""
    # Spawned, not forked: the same on every platform, and nothing of ours is shared by accident.
    fresh = multiprocessing.get_context("spawn")
    processes: list[Any] = []
    pipes: list[Connection] = []
    resource_tracker.ensure_running()  # else the first process starts it, and hears of Ctrl-C
    try:
        with _undisturbed():
            for _ in range(jobs):
                ours, theirs = fresh.Pipe()
                processes.append(fresh.Process(target=_work, args=(task, theirs), daemon=True))
                processes[-1].start()
                theirs.close()
                pipes.append(ours)
        yield pipes
    finally:
        for process in processes:
            process.kill()


@contextmanager
def _undisturbed() -> Generator[None]:
    """Let Ctrl-C wait until this is done; a process that is started in it never hears of any.

    On a terminal Ctrl-C goes to all processes, and this one ends the others. One that is just
    importing what it needs would tell where it was.
    """
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def _work(task: Callable[[Source], R], pipe: Connection) -> None:
    """Answer what comes, until nothing can."""
    with suppress(EOFError, ConnectionError):
        while True:
            pipe.send([task(source) for source in pipe.recv()])


def _shared_out(chunks: Sequence[Sequence[Source]], idle: list[Connection]) -> Iterator[Any]:
    """The answers for all chunks, in their order; each goes to the first worker that is free."""
    waiting = iter(enumerate(chunks))
    busy: dict[Any, int] = {}
    answered: dict[int, list[Any]] = {}
    for number in range(len(chunks)):
        while number not in answered:
            with _there():
                for pipe, (chunk, asked) in zip(idle, waiting, strict=False):
                    pipe.send(asked)
                    busy[pipe] = chunk
                idle = [pipe for pipe in wait(list(busy)) if isinstance(pipe, Connection)]
                answered.update({busy.pop(pipe): pipe.recv() for pipe in idle})
        yield from answered.pop(number)


@contextmanager
def _there() -> Generator[None]:
    """Say it of a worker that is there no more; the system kills one where memory is short."""
    try:
        yield
    except (EOFError, ConnectionError) as error:
        raise Unusable("a process that judged was ended from outside") from error


# ── For whoever waits ─────────────────────────────────────────────────────────────────────────────


def _counted(answers: Iterator[R], total: int) -> Iterator[R]:
    """The same, noting how many there are by now, for whoever presses Ctrl-C."""
    context = click.get_current_context(silent=True)
    meta = {} if context is None else context.meta
    meta[JUDGED] = f" after 0 of {total} logs"
    for done, answer in enumerate(answers, 1):
        meta[JUDGED] = f" after {done} of {total} logs"
        yield answer


def _watched(answers: Iterator[R], total: int) -> Iterator[R]:
    """The answers, once all are there; after Ctrl-C those that are."""
    from rich import console, progress  # noqa: PLC0415 - heavy, and not for `--help`

    columns = (
        progress.TextColumn("judging"),
        progress.BarColumn(),
        progress.MofNCompleteColumn(),
        progress.TimeRemainingColumn(),
    )
    err = console.Console(stderr=True)
    done: list[R] = []
    try:
        with progress.Progress(*columns, console=err, transient=True) as bar:
            for answer in bar.track(answers, total=total):
                done.append(answer)  # noqa: PERF402 - those before Ctrl-C stay
    finally:
        yield from done
