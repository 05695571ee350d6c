-- Commits a changed session, if its version is still the one that was read.
--
-- KEYS  1 the session: hash of `version`, `document`, `lasting` and `owed`   2 its rows: hash by name   3 the names of rows that
--       expire: sorted set by time   4 commit ids: list, newest first   5 the sessions that owe a result: sorted set by the time since when
-- ARGV  1 the version that was read, '' for none   2 the commit id, which is the next version   3 the document
--       4 the time in milliseconds that the session is kept if it is not used   5 the time until which some expired rows are deleted, ''
--       for none   6 the session's name in key 5   7 since when it owes a result, '' for none   8 the number of rows that must be absent, then
--       their names   then n, the number of rows to put, and n
--       times: name, time of expiry, '' for a row that never had one, '-' for one that has none any more; content   then,
--       for each row to remove: name, '' if it never had a time of expiry
-- Returns 1 if it is committed, also by an earlier try of the same commit; 0 if another commit came first, or such a row is there.
local stored = redis.call('HMGET', KEYS[1], 'version', 'lasting', 'owed')
if (stored[1] or '') ~= ARGV[1] then
  if stored[1] == ARGV[2] or redis.call('LPOS', KEYS[4], ARGV[2]) then return 1 end
  return 0
end
local at = 9
for _ = 1, tonumber(ARGV[8]) do
  if redis.call('HEXISTS', KEYS[2], ARGV[at]) == 1 then return 0 end
  at = at + 1
end

-- In parts: a call has a limit of arguments, and an even number keeps pairs together.
local function call(command, key, arguments)
  for first = 1, #arguments, 1000 do
    redis.call(command, key, unpack(arguments, first, math.min(first + 999, #arguments)))
  end
end
local put, is_put, scheduled, unscheduled, removed = {}, {}, {}, {}, {}
local count = tonumber(ARGV[at])
at = at + 1
for _ = 1, count do
  local name, expires, content = ARGV[at], ARGV[at + 1], ARGV[at + 2]
  put[#put + 1] = name
  put[#put + 1] = content
  is_put[name] = true
  if expires == '-' then
    unscheduled[#unscheduled + 1] = name
  elseif expires ~= '' then
    scheduled[#scheduled + 1] = expires
    scheduled[#scheduled + 1] = name
  end
  at = at + 3
end
while ARGV[at] do
  removed[#removed + 1] = ARGV[at]
  if ARGV[at + 1] ~= '' then unscheduled[#unscheduled + 1] = ARGV[at] end
  at = at + 2
end
if ARGV[5] ~= '' then
  -- More than is added until the next commit that does, so that none accumulate.
  for _, name in ipairs(redis.call('ZRANGEBYSCORE', KEYS[3], '-inf', ARGV[5], 'LIMIT', 0, 32)) do
    if not is_put[name] then
      removed[#removed + 1] = name
      unscheduled[#unscheduled + 1] = name
    end
  end
end
call('HSET', KEYS[2], put)
call('HDEL', KEYS[2], removed)
call('ZADD', KEYS[3], scheduled)
call('ZREM', KEYS[3], unscheduled)
if redis.call('LPUSH', KEYS[4], ARGV[2]) >= 96 then redis.call('LTRIM', KEYS[4], 0, 63) end

-- The keys expire together, a sixteenth later than an unused session is kept, so that a commit need not renew them within
-- that time. Those of a session that was kept for longer, for what has ended, are shortened. `lasting` tells which of keys 2 and 3 have an expiry: one that became empty is made anew without it.
local idle, lasting = tonumber(ARGV[4]), stored[2] or ''
local function lasts(letter, is_filled, is_emptied)
  local is_lasting = lasting:find(letter, 1, true) ~= nil
  return is_lasting and (is_filled or not is_emptied), is_filled and not is_lasting
end
local margin, left = math.ceil(idle / 16), redis.call('PTTL', KEYS[1])
local ttl = idle + margin
local rows_last, rows_are_new = lasts('r', #put > 0, #removed > 0)
local expiries_last, expiries_are_new = lasts('e', #scheduled > 0, #unscheduled > 0)
local is_renewed = rows_are_new or expiries_are_new or left < idle or left > ttl + margin
if is_renewed then
  rows_last = redis.call('PEXPIRE', KEYS[2], ttl) == 1
  expiries_last = redis.call('PEXPIRE', KEYS[3], ttl) == 1
  redis.call('PEXPIRE', KEYS[4], ttl)
end
local lasting_now = (rows_last and 'r' or '') .. (expiries_last and 'e' or '')
if lasting_now == lasting then
  redis.call('HSET', KEYS[1], 'version', ARGV[2], 'document', ARGV[3])
else
  redis.call('HSET', KEYS[1], 'version', ARGV[2], 'document', ARGV[3], 'lasting', lasting_now)
end
-- `owed` tells what key 5 has of the session. It may have something of one that had the name before, and has expired.
if ARGV[7] ~= (stored[3] or (stored[1] and '')) then
  if ARGV[7] == '' then
    redis.call('ZREM', KEYS[5], ARGV[6])
    redis.call('HDEL', KEYS[1], 'owed')
  else
    redis.call('ZADD', KEYS[5], ARGV[7], ARGV[6])
    redis.call('HSET', KEYS[1], 'owed', ARGV[7])
  end
end
if is_renewed then redis.call('PEXPIRE', KEYS[1], ttl) end
return 1
