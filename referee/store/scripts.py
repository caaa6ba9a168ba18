"""The scripts that run inside the server, and the names of the keys.

Scripts are sent by their digest, and whole where the server does not know them. They use only
what Redis 6.2 has. All keys of one match carry the same hash tag, so that a cluster keeps them
together.
"""

import hashlib
from typing import Final, NamedTuple

from redis.crc import REDIS_CLUSTER_HASH_SLOTS, key_slot


def spread_tags(count: int) -> tuple[str, ...]:
    """The least numbers that, as hash tags, lie one in each of `count` equal parts of all slots."""
    numbers = range(64 * count, -1, -1)
    least = {key_slot(b"%d" % n) * count // REDIS_CLUSTER_HASH_SLOTS: str(n) for n in numbers}
    return tuple(least[part] for part in range(count))


TAGS: Final = spread_tags(32)
"""Hash tags whose slots lie evenly over a cluster's: under them is kept what is a primary's."""
deadlines_key: Final = "referee:{{{}}}:deadlines".format
"""Sorted set: match by deadline in Unix milliseconds."""
alive_key: Final = "referee:{{{}}}:alive".format
"""The last `TIME` of the primary at which some process surely could write to it, in Unix ms."""
outages_key: Final = "referee:{{{}}}:outages".format
"""List of the times in which none could, by the primary's `TIME`: `from:until`, oldest first."""
keepers_key: Final = "referee:{{{}}}:keepers".format
"""Sorted set: the processes that mind deadlines, by the primary's `TIME` of their last beats."""
log_key: Final = "match:{{{}}}:log".format
"""The stream with a match's commits; entry `<version>-0`, field `c`."""
summary_key: Final = "match:{{{}}}:summary".format
"""The bytes that a list shows of a match, as of its last commit that gave some."""
refusals_key: Final = "match:{{{}}}:refusals".format
"""Hash: refused commands, the last of each who sent some, and how many there were in `all`."""
claim_key: Final = "referee:created:{}".format
"""What was created with an idempotency key."""
restored_key: Final = "match:{{{}}}:restored".format
"""The stream in which a log is put together that comes back from an archive."""
restoring_key: Final = "match:{{{}}}:restoring".format
"""Who began to put a log back, as long as nobody else did and none was taken out since."""
live_channel: Final = "match:{{{}}}:live".format
"""Where the id of each new entry is announced."""


def list_key(tag: str, game: str | None, tournament: str | None) -> str:
    """Sorted set of the matches of a game and a tournament (None: of any), by creation time.

    A game's name has no colon, so that no two pairs share a key.
    """
    parts = [
        f"referee:{{{tag}}}:matches",
        "" if game is None else f":g:{game}",
        "" if tournament is None else f":t:{tournament}",
    ]
    return "".join(parts)


class Script(NamedTuple):
    """A script and its digest, both as they are sent."""

    source: bytes
    digest: bytes


def _script(source: str) -> Script:
    text = source.encode()
    # SHA-1 is how Redis names scripts; nothing rests on its strength.
    return Script(text, hashlib.sha1(text, usedforsecurity=False).hexdigest().encode())


APPEND: Final = _script("""\
-- KEYS log, summary[, deadlines[, lists …]]
-- ARGV previous id, id, bytes, 'settle' or '', SHA-1 of the previous entry's bytes or '',
--      stamp or '', channel or ''; and where anything beside the log changes: match, summary or '',
--      deadline or '', the creation where there are lists. An argument costs as much as a check.
-- Answers 1 when the entry is in the log, else the id of the last entry there, or the time in ms
-- where the stamp is more than a second from it.
local tail = redis.call('XREVRANGE', KEYS[1], '+', '-', 'COUNT', 1)
local last = tail[1] and tail[1][1] or '0-0'
if last ~= ARGV[1] then
  if ARGV[4] == 'settle' then
    local own = redis.call('XRANGE', KEYS[1], ARGV[2], ARGV[2])
    if own[1] and own[1][2][1] == 'c' and own[1][2][2] == ARGV[3] and not own[1][2][3] then
      -- A write without effect, for a WAIT to count.
      redis.call('APPEND', KEYS[2], '')
      return 1
    end
  end
  return last
end
-- After a failover another commit may stand under the same id: nothing is built on that.
if ARGV[5] ~= '' and tail[1] and redis.sha1hex(tail[1][2][2]) ~= ARGV[5] then return last end
if ARGV[6] ~= '' then
  local time = redis.call('TIME')
  local now = time[1] * 1000 + math.floor(time[2] / 1000)
  if math.abs(ARGV[6] - now) > 1000 then return now end
end
-- Whatever may fail comes before the entry, so that an error always means: not appended.
if ARGV[8] then
  for n = 4, #KEYS do redis.call('ZADD', KEYS[n], ARGV[11], ARGV[8]) end
  if ARGV[9] ~= '' then redis.call('SET', KEYS[2], ARGV[9]) end
  if KEYS[3] and ARGV[10] ~= '' then
    if ARGV[10] == '0' then
      redis.call('ZREM', KEYS[3], ARGV[8])
    else
      redis.call('ZADD', KEYS[3], ARGV[10], ARGV[8])
    end
  end
end
redis.call('XADD', KEYS[1], ARGV[2], 'c', ARGV[3])
if ARGV[7] ~= '' then redis.pcall('PUBLISH', ARGV[7], ARGV[2]) end
return 1
""")
"""Compare and append: the one write that matters."""

CLAIM: Final = _script("""\
-- KEYS claim. ARGV value, seconds. Answers what was there before, or nothing.
if redis.call('SET', KEYS[1], ARGV[1], 'NX', 'EX', ARGV[2]) then return false end
return redis.call('GET', KEYS[1])
""")
"""Who comes first has the key."""

TAIL: Final = _script("""\
-- KEYS log, summary, refusals. ARGV how many bytes.
-- Answers the last entry's id, or '0-0', its first bytes, the summary, and how many refusals.
local tail = redis.call('XREVRANGE', KEYS[1], '+', '-', 'COUNT', 1)[1]
local beginning = tail and string.sub(tail[2][2], 1, ARGV[1]) or ''
local summary = redis.call('GET', KEYS[2]) or ''
local refused = redis.call('HGET', KEYS[3], 'all') or 0
return {tail and tail[1] or '0-0', beginning, summary, tonumber(refused)}
""")
"""A match's row in a list, without moving its last commit about."""

DROP: Final = _script("""\
-- KEYS list. ARGV match, time in ms. Only where it stands there by that time.
for _, match in ipairs(redis.call('ZRANGEBYSCORE', KEYS[1], ARGV[2], ARGV[2])) do
  if match == ARGV[1] then return redis.call('ZREM', KEYS[1], match) end
end
return 0
""")
"""Take a match off a list, unless it was entered anew."""

NOTE: Final = _script("""\
-- KEYS refusals, log. ARGV whose, how many of anybody's are kept, record
-- Nothing of a match that has gone to an archive meanwhile.
if not redis.call('XREVRANGE', KEYS[2], '+', '-', 'COUNT', 1)[1] then return 0 end
local number = redis.call('HINCRBY', KEYS[1], 'all', 1)
local place = redis.call('HINCRBY', KEYS[1], ARGV[1], 1) % ARGV[2]
redis.call('HSET', KEYS[1], ARGV[1] .. ':' .. place, number .. ':' .. ARGV[3])
return number
""")
"""A ring of records for each who is refused, in one hash; and the count of all."""

CORRECT: Final = _script("""\
-- KEYS log, deadlines. ARGV id, deadline or '', match. Only while that entry is the last.
local tail = redis.call('XREVRANGE', KEYS[1], '+', '-', 'COUNT', 1)
if (tail[1] and tail[1][1] or '0-0') ~= ARGV[1] then return 0 end
if ARGV[2] == '' then
  redis.call('ZREM', KEYS[2], ARGV[3])
else
  redis.call('ZADD', KEYS[2], ARGV[2], ARGV[3])
end
return 1
""")
"""Put a deadline right, unless the log went on."""

TAKE_OUT: Final = _script("""\
-- KEYS log, summary, refusals, restoring
-- ARGV last id, SHA-1 of that entry's bytes, how many refusals
-- Answers 1 where all of it is gone, 0 where anything came to it meanwhile.
local tail = redis.call('XREVRANGE', KEYS[1], '+', '-', 'COUNT', 1)[1]
if not tail or tail[1] ~= ARGV[1] or redis.sha1hex(tail[2][2]) ~= ARGV[2] then return 0 end
if (redis.call('HGET', KEYS[3], 'all') or '0') ~= ARGV[3] then return 0 end
redis.call('DEL', KEYS[1], KEYS[2], KEYS[3], KEYS[4])
return 1
""")
"""Drop all of a match, on the head that was archived. No service's user may run this."""

PUT_BACK: Final = _script("""\
-- KEYS restored, log, summary, refusals, restoring
-- ARGV last version, SHA-1 of that entry's bytes, summary, who began, fields and values of
-- refusals …
-- Answers 1 where all of it is there, 0 where a log is there already, -1 where another one was
-- put together, or the archive may have a newer one than was read.
if redis.call('XREVRANGE', KEYS[2], '+', '-', 'COUNT', 1)[1] then
  redis.call('DEL', KEYS[1], KEYS[5])
  return 0
end
local tail = redis.call('XREVRANGE', KEYS[1], '+', '-', 'COUNT', 1)[1]
if not tail or tail[1] ~= ARGV[1] .. '-0' or redis.sha1hex(tail[2][2]) ~= ARGV[2]
  or redis.call('XLEN', KEYS[1]) ~= tonumber(ARGV[1])
  or redis.call('GET', KEYS[5]) ~= ARGV[4] then return -1 end
redis.call('DEL', KEYS[5])
redis.call('SET', KEYS[3], ARGV[3])
for n = 5, #ARGV, 2 do redis.call('HSET', KEYS[4], ARGV[n], ARGV[n + 1]) end
redis.call('RENAME', KEYS[1], KEYS[2])
return 1
""")
"""Let a log that was put together entry by entry be the match's, whole or not at all."""

READ_MARKED: Final = _script("""\
-- KEYS log, summary. ARGV first id, how many. Reads, then writes without effect, so that a WAIT
-- counts the replicas that have what was read.
local entries = redis.call('XRANGE', KEYS[1], ARGV[1], '+', 'COUNT', ARGV[2])
if entries[1] then redis.call('APPEND', KEYS[2], '') end
return entries
""")
"""Read only what may be shown, where replicas must have it first."""

BEAT: Final = _script("""\
-- KEYS alive, outages, keepers
-- ARGV a time at which the caller surely could write or 0, longest silence, the last outage that
-- the caller knows or '', how many to keep, '1' where replicas must have it or '', the name
-- of a caller that minds deadlines or ''
-- Answers the time, all outages where the caller does not know them, and who minds deadlines. Times
-- are whole milliseconds: doubles hold them, but would be written with an exponent.
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
local could = tonumber(ARGV[1])
local alive = math.max(tonumber(redis.call('GET', KEYS[1]) or now), could <= now and could or 0)
local last = redis.call('LINDEX', KEYS[2], -1) or ''
local from, till = string.match(last, '(%d+):(%d+)')
local function enter(from, till)
  last = string.format('%.0f:%.0f', from, till)
  redis.call('RPUSH', KEYS[2], last)
end
if now - alive > tonumber(ARGV[2]) then
  -- It goes on; or who entered it did not know how long another process could still write.
  if till and tonumber(till) > alive then redis.call('RPOP', KEYS[2]) end
  enter(alive, now)
  redis.call('LTRIM', KEYS[2], -tonumber(ARGV[4]), -1)
end
-- Where the clock was set back, or is another one, a time that is yet to come is no outage.
while till and tonumber(till) > now do
  redis.call('RPOP', KEYS[2])
  last = redis.call('LINDEX', KEYS[2], -1) or ''
  if tonumber(from) < now then enter(from, now) end
  from, till = string.match(last, '(%d+):(%d+)')
end
if ARGV[5] == '' or alive > now then alive = now end
redis.call('SET', KEYS[1], string.format('%.0f', alive))
if ARGV[6] ~= '' then redis.call('ZADD', KEYS[3], now, ARGV[6]) end
for _, gone in ipairs(redis.call('ZRANGEBYSCORE', KEYS[3], '-inf', now - ARGV[2])) do
  redis.call('ZREM', KEYS[3], gone)
end
local keepers = redis.call('ZRANGEBYSCORE', KEYS[3], '-inf', '+inf')
return {now, last ~= ARGV[3] and redis.call('LRANGE', KEYS[2], 0, -1), keepers}
""")
"""The heartbeat: who comes first after an outage enters it.

Where replicas must have it, what is noted is not this heartbeat but the caller's last that they
have: an append needs them too.
"""
