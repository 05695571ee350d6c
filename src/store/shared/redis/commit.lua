-- Commits a changed session, if its version is still the one that was read.
--
-- KEYS  1 the session: hash of `version` and `document`   2 its rows: hash by name   3 the names of rows that expire:
--       sorted set by time   4 commit ids: list, newest first   5 the answers of an earlier layout, if they are moved
-- ARGV  1 the version that was read, '' for none   2 the commit id, which is the next version   3 the document
--       4 time to live in milliseconds   5 the time until which some expired rows are deleted, '' for none
--       6 the number of rows that must be absent, then their names   then n, the number of rows to put, and n times: name,
--       time of expiry or '', content   then the names to remove
-- Returns 1 if it is committed, also by an earlier try of the same commit; 0 if another commit came first, or such a row is there.
local was = redis.call('HGET', KEYS[1], 'version') or ''
if was ~= ARGV[1] then
  if redis.call('LPOS', KEYS[4], ARGV[2]) then return 1 end
  return 0
end
local at = 7
for _ = 1, tonumber(ARGV[6]) do
  if redis.call('HEXISTS', KEYS[2], ARGV[at]) == 1 then return 0 end
  at = at + 1
end
redis.call('HSET', KEYS[1], 'version', ARGV[2], 'document', ARGV[3])
local function remove(name)
  redis.call('HDEL', KEYS[2], name)
  redis.call('ZREM', KEYS[3], name)
end
if ARGV[5] ~= '' then
  -- More than an operation adds, so that none accumulate.
  for _, name in ipairs(redis.call('ZRANGEBYSCORE', KEYS[3], '-inf', ARGV[5], 'LIMIT', 0, 16)) do remove(name) end
end
local count = tonumber(ARGV[at])
at = at + 1
for _ = 1, count do
  local name, expires = ARGV[at], ARGV[at + 1]
  redis.call('HSET', KEYS[2], name, ARGV[at + 2])
  if expires == '' then redis.call('ZREM', KEYS[3], name) else redis.call('ZADD', KEYS[3], expires, name) end
  at = at + 3
end
while ARGV[at] do
  remove(ARGV[at])
  at = at + 1
end
redis.call('LPUSH', KEYS[4], ARGV[2])
redis.call('LTRIM', KEYS[4], 0, 63)
for key = 1, 4 do redis.call('PEXPIRE', KEYS[key], ARGV[4]) end
if KEYS[5] then redis.call('DEL', KEYS[5]) end
return 1
