"""What the servers of a store are like: whether they keep what they are told, and let us work."""

import re
import time
from collections.abc import AsyncGenerator, Iterator, Mapping
from contextlib import asynccontextmanager, suppress
from typing import Any, Final

from redis.asyncio.connection import AbstractConnection
from redis.exceptions import NoPermissionError, RedisError, ResponseError

from referee.store.connection.faults import ErrorReply, unreachable
from referee.store.connection.pipeline import Dial
from referee.store.connection.servers import Servers
from referee.store.embedded.server import OLDEST
from referee.store.log import Finding, Primary, StoreAway

FULL: Final = 0.9
"""The share of its memory from which on a server counts as nearly full."""
_LOG: Final = "match:{referee}:log"
_KEY: Final = "referee:{referee}:tried"

USED: Final[tuple[tuple[str, ...], ...]] = (
    ("EVAL", "return 1", "0"),
    ("EVALSHA", 40 * "0", "0"),
    ("XADD", _LOG, "1-0", "c", ""),
    ("XRANGE", _LOG, "-", "+"),
    ("XREVRANGE", _LOG, "+", "-"),
    ("GET", _KEY),
    ("SET", _KEY, ""),
    ("APPEND", _KEY, ""),
    ("ZADD", _KEY, "1", "m"),
    ("ZREM", _KEY, "m"),
    ("ZRANGEBYSCORE", _KEY, "0", "1"),
    ("ZREVRANGEBYSCORE", _KEY, "1", "0"),
    ("HSET", _KEY, "f", ""),
    ("HGET", _KEY, "f"),
    ("HINCRBY", _KEY, "f", "1"),
    ("HVALS", _KEY),
    ("RPUSH", _KEY, ""),
    ("RPOP", _KEY),
    ("LTRIM", _KEY, "0", "1"),
    ("LINDEX", _KEY, "0"),
    ("LRANGE", _KEY, "0", "1"),
    ("PUBLISH", "match:{referee}:live", ""),
    ("SUBSCRIBE", "match:{referee}:live"),
    ("UNSUBSCRIBE", "match:{referee}:live"),
    ("TIME",),
    ("WAIT", "0", "1"),
    ("PING",),
)
"""Every command that the service sends or runs in a script, each with what it would be given."""


async def examine(servers: Servers, replicas: int, *, rights: bool = False) -> list[Primary]:
    """Look at every primary.

    Args:
        servers: of the store.
        replicas: how many of each must have a commit.
        rights: whether to try what our user may do, too; nothing is written.
    """
    try:
        ways = await servers.ways()
    except StoreAway as away:
        return [_away("the cluster", away)]
    return [await _examine(name, way, replicas, rights=rights) for name, way in ways.items()]


async def _examine(name: str, way: Dial, replicas: int, *, rights: bool) -> Primary:
    try:
        async with _connection(way) as connection:
            told = await _told(connection)
            ahead = await _ahead(connection)
            findings = [*_findings(told, replicas)]
            if rights:
                findings += await _lacking(connection)
    except (StoreAway, RedisError, OSError) as fault:
        return _away(name, fault if isinstance(fault, StoreAway) else unreachable(fault))
    return Primary(
        name,
        "Valkey" if "valkey_version" in told else "Redis" if "redis_version" in told else None,
        told.get("valkey_version") or told.get("redis_version"),
        _append_only(told),
        told.get("appendfsync"),
        told.get("maxmemory-policy") or told.get("maxmemory_policy"),
        int(told["connected_slaves"]) if "connected_slaves" in told else None,
        ahead,
        tuple(findings),
    )


_REACH: Final = (
    "see that it runs, that REFEREE_REDIS_URL leads to it, and that user, password and "
    "certificates there are right"
)


def _away(name: str, fault: StoreAway) -> Primary:
    return Primary(name, findings=(Finding(str(fault), _REACH),), reached=False)


# ── Asking ────────────────────────────────────────────────────────────────────────────────────────


@asynccontextmanager
async def _connection(way: Dial) -> AsyncGenerator[AbstractConnection]:
    connection: Any = await way()
    try:
        yield connection
    finally:
        with suppress(RedisError, OSError):
            await connection.disconnect()


async def _ask(connection: Any, *command: str) -> Any:
    """The answer to a command; None where our user may not ask, or it is not known.

    Raises:
        ErrorReply: the server cannot answer anything now.
    """
    await connection.send_command(*command)
    try:
        return await connection.read_response()
    except ResponseError as refused:
        reply = ErrorReply(refused)
        if reply.unable:
            raise reply from refused
        return None


async def _told(connection: AbstractConnection) -> dict[str, str]:
    """What the server tells of itself: `INFO`'s names, and `CONFIG`'s as far as we may ask."""
    info: bytes = await _ask(connection, "INFO") or b""
    told = dict(re.findall(r"^(\w+):(.*?)\r?$", info.decode(errors="replace"), re.MULTILINE))
    for pattern in ("append*", "maxmemory*", "cluster-require*"):
        pairs = [part.decode() for part in await _ask(connection, "CONFIG", "GET", pattern) or ()]
        told |= dict(zip(pairs[::2], pairs[1::2], strict=True))
    return told


async def _ahead(connection: AbstractConnection) -> float | None:
    sent = time.time()
    answer = await _ask(connection, "TIME")
    if answer is None:
        return None
    return int(answer[0]) + int(answer[1]) / 1e6 - (sent + time.time()) / 2


async def _lacking(connection: Any) -> list[Finding]:
    """What our user may not do: a transaction's commands are judged, and then thrown away."""
    if await _ask(connection, "MULTI") is None:
        remedy = "grant +multi and +discard to try it; nothing else needs them"
        return [Finding("what the user may do cannot be tried", remedy)]
    lacking: dict[str, str] = {}
    unable: dict[str, Finding] = {}
    for command in USED:
        await connection.send_command(*command)
        try:
            await connection.read_response()
        except NoPermissionError as refused:
            lacking[command[0].lower()] = str(refused)
        except ResponseError as refused:  # or it is one of a cluster, or a replica: see `_role`
            reply = ErrorReply(refused)
            if reply.unable and not reply.stale:
                unable[reply.code] = Finding(str(reply), "see to that: until then it takes nothing")
    await _ask(connection, "DISCARD")
    return [*unable.values()] + [
        Finding(
            f"the user may not {name}: {why}",
            f"grant +{name}, keys ~match:* and ~referee:*, channels &match:*",
        )
        for name, why in lacking.items()
    ]


# ── Judging ───────────────────────────────────────────────────────────────────────────────────────


def _append_only(told: Mapping[str, str]) -> bool | None:
    if "appendonly" in told:
        return told["appendonly"] == "yes"
    return told["aof_enabled"] == "1" if "aof_enabled" in told else None


def _findings(told: Mapping[str, str], replicas: int) -> Iterator[Finding]:
    for judge in (_kept, _evicted, _role, _version, _memory, _coverage):
        finding = judge(told)
        if finding is not None:
            yield finding
    have = int(told.get("connected_slaves", replicas))
    if have < replicas:
        yield Finding(
            f"it has {have} replicas, of which {replicas} must have each commit: none is taken",
            "add replicas, or lower REFEREE_MIN_REPLICAS",
        )


def _kept(told: Mapping[str, str]) -> Finding | None:
    kept = _append_only(told)
    if kept is None:
        remedy = "grant +info or +config|get to the user"
        return Finding("it does not say whether it keeps what it is told", remedy, forgets=True)
    if kept:
        return None
    problem = "it has no append-only file: with its process all matches are gone"
    return Finding(problem, "set appendonly yes, and appendfsync always", forgets=True)


def _evicted(told: Mapping[str, str]) -> Finding | None:
    policy = told.get("maxmemory-policy") or told.get("maxmemory_policy") or "noeviction"
    if policy == "noeviction":
        return None
    problem = f"when its memory is full it drops keys ({policy}): whole matches"
    return Finding(problem, "set maxmemory-policy noeviction", forgets=True)


def _role(told: Mapping[str, str]) -> Finding | None:
    if told.get("role", "master") == "master":
        return None
    return Finding("it is a replica, which takes no writes", "name the primary, or its Sentinels")


def _version(told: Mapping[str, str]) -> Finding | None:
    version = told.get("redis_version", "")
    if not re.match(r"\d+\.\d+", version) or _numbers(version) >= OLDEST:
        return None
    oldest = ".".join(map(str, OLDEST))
    return Finding(f"it is of version {version}", f"take {oldest} or later, or Valkey")


def _numbers(version: str) -> tuple[int, ...]:
    return tuple(map(int, version.split(".")[:2]))


def _memory(told: Mapping[str, str]) -> Finding | None:
    used, most = int(told.get("used_memory", 0)), int(told.get("maxmemory", 0))
    if used <= FULL * most or not most:
        return None
    problem = f"{100 * used // most} % of its memory are used: when it is full nothing is taken"
    return Finding(problem, "raise maxmemory")


def _coverage(told: Mapping[str, str]) -> Finding | None:
    clustered = told.get("cluster_enabled") == "1"
    if not clustered or told.get("cluster-require-full-coverage", "no") == "no":
        return None
    problem = "when another shard of the cluster is lost, it stops as well"
    return Finding(problem, "set cluster-require-full-coverage no")
