"""Rules and logs without a service: decisions, folds, verification, legal lists, memory.

Every figure stands beside its ceiling, measured in the same run: decoding the same commits
without judging them.
"""

from __future__ import annotations

import gc
import time
import tracemalloc
from collections.abc import Callable, Sequence
from statistics import median

from msgspec import Struct

from referee.core.game import Asker
from referee.core.match import Match
from referee.core.rules import Rules
from referee.core.verify import fold_log, verify
from referee.selfplay import Setup, Step, chance_of, play, seed_of

ROUNDS = 5


class Speed(Struct, frozen=True):
    """What one game's rules cost, and what its matches weigh.

    `decoded`, `folded`, `verified`, `decided`: commits a second on one core;
    `matches`: random matches a second; `commits` of a match; `resident_kib`: a finished
    match in memory; `log_kib`: its commits.
    """

    game: str
    decoded: float
    folded: float
    verified: float
    decided: float
    matches: float
    commits: float
    usual_legal: int
    usual_ms: float
    longest_legal: int
    legal_ms: float
    resident_kib: float
    log_kib: float


Played = list[Step]
"""One random match, commit by commit."""


def play_some(rules: Rules, seats: int, count: int) -> list[Played]:
    """`count` random matches with so many seats and mixed options."""
    matches = []
    for number in range(count):
        pick = chance_of("bench", rules.game.id, seats, number)
        setup = Setup(
            match=f"bench-{number}",
            seats=seats,
            options=rules.game.vary(pick, seats),
            seed=seed_of("bench", number),
        )
        matches.append(list(play(rules, setup, pick)))
    return matches


def measure(rules: Rules, seats: int, count: int = 20) -> Speed:
    """What this game's rules cost with so many seats, over `count` random matches."""
    started = time.process_time()
    matches = play_some(rules, seats, count)
    took = time.process_time() - started
    logs = [[step.decided.data for step in played] for played in matches]
    commits = [data for log in logs for data in log]
    usual, usual_ms = _usual_legal_list(rules, matches)
    longest, legal_ms = _longest_legal_list(rules, matches)
    return Speed(
        game=f"{rules.game.id}, {seats} seats",
        decoded=_rate(len(commits), lambda: [rules.read_commit(data) for data in commits]),
        folded=_rate(len(commits), lambda: [fold_log(rules, log) for log in logs]),
        verified=_rate(len(commits), lambda: _verify_all(rules, matches)),
        decided=_decided(rules, matches),
        matches=count / took,
        commits=len(commits) / count,
        usual_legal=usual,
        usual_ms=usual_ms,
        longest_legal=longest,
        legal_ms=legal_ms,
        resident_kib=_resident(rules, logs),
        log_kib=sum(map(len, commits)) / len(logs) / 1024,
    )


def _rate(count: int, work: Callable[[], object]) -> float:
    """The best of some rounds, by the time of the process: others only ever slow one down."""
    best = float("inf")
    for _ in range(ROUNDS):
        started = time.process_time()
        work()
        best = min(best, time.process_time() - started)
    return count / best


def _verify_all(rules: Rules, matches: Sequence[Played]) -> None:
    for played in matches:
        _verify(rules, played)


def _verify(rules: Rules, played: Played) -> None:
    match = played[0].decided.match.setting.match
    fault = verify(rules, match, [step.decided.data for step in played]).dispute
    if fault is not None:
        raise AssertionError(fault)


def _decided(rules: Rules, matches: Sequence[Played]) -> float:
    """Commands judged, decided and folded a second, on matches already in memory."""
    asked = [
        (step.before, step.by, step.command)
        for played in matches
        for step in played
        if step.before is not None
    ]

    def work() -> None:
        for match, by, command in asked:
            rules.decide(match, by, command, salt=bytes(12))

    return _rate(len(asked), work)


def _usual_legal_list(rules: Rules, matches: Sequence[Played]) -> tuple[int, float]:
    """How many commands a legal list holds in the middle, and the time to make it, in ms."""
    lengths, times = [], []
    for played in matches:
        for step in played[:: max(1, len(played) // ROUNDS)]:
            if step.before is not None:
                lengths.append(len(rules.legal(step.before, step.by).commands))
                times.append(_again(rules, step.before, step.by))
    return round(median(lengths)), median(times) * 1000


def _longest_legal_list(rules: Rules, matches: Sequence[Played]) -> tuple[int, float]:
    """How many commands the longest legal list holds, and the longest time to make one, in ms."""
    longest, slowest = 0, 0.0
    for step in (step for played in matches for step in played if step.before is not None):
        match = step.before
        if match is None:
            continue
        started = time.process_time()
        listed = len(rules.legal(match, step.by).commands)
        took = time.process_time() - started
        longest = max(longest, listed)
        if took > slowest:
            slowest = max(slowest, min(took, _again(rules, match, step.by)))
    return longest, slowest * 1000


def _again(rules: Rules, match: Match, by: Asker) -> float:
    """The best of some tries, so that a pause of the machine is not taken for the rules' cost."""
    best = float("inf")
    for _ in range(ROUNDS):
        started = time.process_time()
        rules.legal(match, by)
        best = min(best, time.process_time() - started)
    return best


def _resident(rules: Rules, logs: Sequence[list[bytes]]) -> float:
    """KiB of memory that one match takes in a process, folded from its log, at its end."""
    fold_log(rules, logs[0])
    gc.collect()
    tracemalloc.start()
    before = tracemalloc.get_traced_memory()[0]
    matches = [fold_log(rules, log) for log in logs]
    gc.collect()
    after = tracemalloc.get_traced_memory()[0]
    tracemalloc.stop()
    return (after - before) / len(matches) / 1024
