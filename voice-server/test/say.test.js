// A host has the model say a text: at rest, after all speech, and only in a call that this server has.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { DeliveryQueue } from '../src/delivery/delivery-queue.js'
import { call, latch, on, say, startFixture } from './support/fixture.js'

const NEWS = 'Your "report" is ready.'
const isNews = { when: { user: { contains: 'word for word' } }, steps: [{ emit: [say('Your report is ready.')] }] }
const isSaid = ({ type, text }) => type === 'transcript' && text === 'Your report is ready.'

for (const provider of ['gemini', 'openai']) {
  test(`${provider}: a text is said at rest`, async t => {
    const { start, server, written } = await startFixture(t, { provider, rules: [isNews] })
    const client = await start()
    assert.equal(server.say(client.started.sessionId, NEWS), true)
    await client.next(isSaid)
    await client.next('turnComplete')
    assert.ok(written().some(text => text.includes(JSON.stringify(NEWS))))
    assert.deepEqual(client.ofType('interrupted'), [])
  })

  test(`${provider}: while a call runs and its answer is spoken, the text waits`, async t => {
    const [started, released] = [latch(), latch()]
    const slow_read = async () => {
      started.open()
      await released.opened
      return { ok: true, data: {} }
    }
    const rules = [isNews, on('read', [call('slow_read')], [say('Here it is.')])]
    const { start, server, written } = await startFixture(t, { provider, rules, handlers: { slow_read } })
    const client = await start()
    client.say('read')
    await started.opened
    assert.equal(server.say(client.started.sessionId, NEWS), true)
    assert.ok(!written().some(text => text.includes('word for word')))
    released.open()
    await client.next(isSaid)
    const spoken = client.ofType('transcript').filter(({ direction, text }) => direction === 'output' && text !== '')
    assert.deepEqual(
      spoken.map(({ text }) => text),
      ['Here it is.', 'Your report is ready.'],
    )
    assert.deepEqual(client.ofType('interrupted'), [])
  })
}

test('where the session has no call, nothing is said and the host hears of it', async t => {
  const { start, server } = await startFixture(t, { rules: [isNews] })
  assert.equal(server.say('nobody', NEWS), false)
  const client = await start()
  const { sessionId } = client.started
  for (const text of ['', '  ', 5, undefined, 'x'.repeat(2001)])
    assert.throws(() => server.say(sessionId, text), /`text` must be a text of 1 to 2000 characters/)
  client.send({ type: 'end' })
  await client.closed
  assert.equal(server.say(sessionId, NEWS), false)
})

test('a patient note waits for rest without a bound, and holds off none that is overdue', t => {
  t.mock.timers.enable({ apis: ['setInterval'] })
  let [now, idle] = [0, false]
  const delivered = []
  const queue = new DeliveryQueue({ maxWaitMs: 1000, now: () => now })
  const outlet = {
    isIdle: () => idle,
    isConnected: () => true,
    deliver: ([{ text }]) => (delivered.push(text), []),
    sendFrame: () => {},
  }
  queue.attach(outlet)
  queue.add({ text: 'news', isSpoken: true, isPatient: true })
  queue.add({ text: 'outcome', isSpoken: true })
  now = 60_000
  t.mock.timers.tick(200)
  t.mock.timers.tick(200)
  assert.deepEqual(delivered, ['outcome'])
  idle = true
  t.mock.timers.tick(200)
  assert.deepEqual(delivered, ['outcome', 'news'])
  queue.detach(outlet)
})
