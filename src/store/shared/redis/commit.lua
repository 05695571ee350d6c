-- Commits a changed session, if its version is still the one that was read.
--
-- KEYS  1 the session: hash of `version` and `document`   2 its answers: hash by epoch   3 commit ids: list, newest first
-- ARGV  1 the version that was read, '' for none   2 the commit id, which is the next version   3 the document
--       4 time to live in milliseconds   5 n, the number of answers to put   then n times: epoch, answer
--       then the epochs to remove
-- Returns 1 if it is committed, also by an earlier try of the same commit; 0 if another commit came first.
local was = redis.call('HGET', KEYS[1], 'version') or ''
if was ~= ARGV[1] then
  if redis.call('LPOS', KEYS[3], ARGV[2]) then return 1 end
  return 0
end
redis.call('HSET', KEYS[1], 'version', ARGV[2], 'document', ARGV[3])
local at = 6
for _ = 1, tonumber(ARGV[5]) do
  redis.call('HSET', KEYS[2], ARGV[at], ARGV[at + 1])
  at = at + 2
end
while ARGV[at] do
  redis.call('HDEL', KEYS[2], ARGV[at])
  at = at + 1
end
redis.call('LPUSH', KEYS[3], ARGV[2])
redis.call('LTRIM', KEYS[3], 0, 63)
for _, key in ipairs(KEYS) do redis.call('PEXPIRE', key, ARGV[4]) end
return 1
