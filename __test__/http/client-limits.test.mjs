// What one client may use of a server, and whose address counts.
import { TokenBucket, clientLimitsOf, createClientAddress, createClientLimits } from '../../js/http/index.js'

const ALICE = { address: '192.0.2.7', principal: 'alice' }
const SMALL = { requestsPerSecond: 1, sessionsPerMinute: 60, connections: 2, longPolls: 1 }
const times = (count, act) => Array.from({ length: count }, act)
const isGiven = release => release !== null

test('a token bucket saves what was not used up to the burst, and no further', () => {
  let now = 0
  const bucket = new TokenBucket({ perSecond: 2, burst: 3, now: () => now })
  expect([bucket.take(), bucket.take(2), bucket.take()]).toEqual([true, true, false])
  now = 500
  expect([bucket.take(), bucket.take()]).toEqual([true, false])
  now = 60_000
  expect([bucket.take(4), bucket.take(3), bucket.take()]).toEqual([false, true, false])
})

test('requests: four seconds at once, then as time goes on, each address by itself', () => {
  let now = 0
  const limits = createClientLimits({ perAddress: SMALL, now: () => now })
  expect(times(5, () => limits.takeRequest({ address: '192.0.2.7' }))).toEqual([true, true, true, true, false])
  expect(limits.takeRequest({ address: '192.0.2.8' })).toBe(true)
  now = 1000
  expect(times(2, () => limits.takeRequest({ address: '192.0.2.7' }))).toEqual([true, false])
})

test('sessions: as many as a minute has at once', () => {
  const limits = createClientLimits({ perAddress: { sessionsPerMinute: 3 }, now: () => 0 })
  expect(times(4, () => limits.takeSession({ address: '192.0.2.7' }))).toEqual([true, true, true, false])
})

test('a principal has one limit at all of its addresses, and may have its own', () => {
  const limits = createClientLimits({ perPrincipal: SMALL, now: () => 0 })
  const from = (address, more) => limits.openConnection({ address, principal: 'alice', ...more })
  expect([from('192.0.2.7'), from('192.0.2.8')].map(isGiven)).toEqual([true, true])
  expect(from('192.0.2.9')).toBeNull()
  expect(isGiven(from('192.0.2.9', { limits: { connections: 3 } }))).toBe(true)
  expect(isGiven(limits.openConnection({ address: '192.0.2.7', principal: 'bob' }))).toBe(true)
})

test('a principal has no more than its address has', () => {
  const limits = createClientLimits({ perAddress: SMALL, perPrincipal: { connections: 9 }, now: () => 0 })
  expect(times(3, () => limits.openConnection(ALICE)).map(isGiven)).toEqual([true, true, false])
})

test('an end makes room once, however often it is reported', () => {
  const limits = createClientLimits({ perAddress: SMALL, now: () => 0 })
  const end = limits.openLongPoll(ALICE)
  expect(limits.openLongPoll(ALICE)).toBeNull()
  end()
  end()
  expect(times(2, () => limits.openLongPoll(ALICE)).map(isGiven)).toEqual([true, false])
})

test('a program of this machine has no limits per address', () => {
  const limits = createClientLimits({ perAddress: SMALL, now: () => 0 })
  expect(times(100, () => limits.takeRequest({ address: null }))).toEqual(times(100, () => true))
})

test('ten thousand clients are kept; the one that was idle longest is forgotten', () => {
  const limits = createClientLimits({ perAddress: { sessionsPerMinute: 1 }, now: () => 0 })
  const begin = number => limits.takeSession({ address: `client-${number}` })
  for (let number = 0; number < 10_000; number += 1) begin(number)
  expect([begin(0), begin(1)]).toEqual([false, false])
  begin(10_000)
  expect([begin(0), begin(1), begin(10_000), begin(2)]).toEqual([false, false, false, true])
})

test('settings', () => {
  expect(clientLimitsOf({})).toEqual({ perAddress: undefined, perPrincipal: undefined })
  const env = { TOOLGATE_ADDRESS_LIMITS: '', TOOLGATE_PRINCIPAL_LIMITS: 'connections=64, requestsPerSecond=0.5' }
  expect(clientLimitsOf(env)).toEqual({ perPrincipal: { connections: 64, requestsPerSecond: 0.5 } })
})

for (const [text, message] of [
  ['sockets=1', '`sockets` is no limit; there are requestsPerSecond, sessionsPerMinute, connections, longPolls'],
  ['connections', 'the limit `connections` must be a number from 0'],
  ['connections=', 'the limit `connections` must be a number from 0'],
  ['connections=-1', 'the limit `connections` must be a number from 0'],
  ['connections=many', 'the limit `connections` must be a number from 0'],
])
  test(`the setting \`${text}\` is refused`, () =>
    expect(() => clientLimitsOf({ TOOLGATE_ADDRESS_LIMITS: text })).toThrow(`TOOLGATE_ADDRESS_LIMITS: ${message}`))

describe("a client's address", () => {
  const addressOf = createClientAddress(['10.0.0.0/8', 'loopback'])
  const seen = (remoteAddress, forwarded) =>
    addressOf({ socket: { remoteAddress }, headers: forwarded === undefined ? {} : { 'x-forwarded-for': forwarded } })

  for (const [what, remote, forwarded, expected] of [
    ['of the connection', '192.0.2.7', undefined, '192.0.2.7'],
    ['mapped into IPv6', '::ffff:192.0.2.7', undefined, '192.0.2.7'],
    ['of an IPv6 network', '2001:db8:0:1:a::b', undefined, '2001:db8:0:1::/64'],
    ['of an abbreviated network', '2001:db8::1', undefined, '2001:db8:0:0::/64'],
    ['with a zone', 'fe80::1%eth0', undefined, 'fe80:0:0:0::/64'],
    ['of this machine', '127.0.0.1', undefined, null],
    ['behind a trusted proxy', '10.0.0.1', '192.0.2.7', '192.0.2.7'],
    ['behind two, with an entry that the client made up', '10.0.0.1', '198.51.100.1, 192.0.2.7, 10.0.0.2', '192.0.2.7'],
    ['behind a proxy of this machine', '127.0.0.1', '2001:db8::1', '2001:db8:0:0::/64'],
    ['behind a proxy that is not trusted', '203.0.113.9', '192.0.2.7', '203.0.113.9'],
    ['behind a proxy that reports no address', '10.0.0.1', 'unknown', '10.0.0.1'],
    ['of a connection that has ended', undefined, undefined, 'unknown'],
  ])
    test(what, () => expect(seen(remote, forwarded)).toBe(expected))
})
