// What one client may use: connections, sessions and requests of an address.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { on, say, startFixture } from './support/fixture.js'
import { refusedStatus } from './support/voice-client.js'

const rules = [on('hello', [say('hi')])]

test('an address that a trusted proxy reports has its limits, a connection of this machine has none', async t => {
  const clientLimits = { perAddress: { connections: 2, sessionsPerMinute: 3 } }
  const server = { trustedProxies: ['loopback'], clientLimits }
  const { server: running, start, open, logger } = await startFixture(t, { rules, server })
  const from = address => ({ headers: { 'x-forwarded-for': `198.51.100.99, ${address}` } })
  const first = await start({}, from('192.0.2.7'))
  await start({}, from('192.0.2.7'))
  assert.equal(await refusedStatus(running.url, from('192.0.2.7')), 429)
  assert.ok(
    logger.lines.some(({ message, address }) => /too many connections/.test(message) && address === '192.0.2.7'),
  )
  await start({}, from('192.0.2.8'))
  for (let count = 0; count < 4; count += 1) await start()

  first.close()
  await first.closed
  const last = await start({}, from('192.0.2.7'))
  last.close()
  await last.closed
  const client = await open(from('192.0.2.7'))
  client.send({ type: 'start' })
  assert.deepEqual((await client.next('error')).code, 'rate_limited')
  assert.equal((await client.closed).code, 1008)
  const { sessionId, resumeToken } = last.started
  assert.equal((await start({ sessionId, resumeToken }, from('192.0.2.7'))).started.sessionId, sessionId)
})

test('upgrades of one address beyond its rate are refused', async t => {
  const server = { trustedProxies: ['loopback'], clientLimits: { perAddress: { requestsPerSecond: 0.25 } } }
  const { server: running, open } = await startFixture(t, { rules, server })
  const options = { headers: { 'x-forwarded-for': '192.0.2.7' } }
  await open(options)
  assert.equal(await refusedStatus(running.url, options), 429)
})
