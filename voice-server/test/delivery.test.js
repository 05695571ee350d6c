// The result of a call reaches the model whatever becomes of its connection: the effect happens once, and is said once.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { call, latch, on, say, startFixture } from './support/fixture.js'

const SAVED = 'it is saved'
/** The model's words about a result that it gets as a note. */
const told = on({ contains: 'asked earlier' }, [say(SAVED)])
const isSaid = ({ type, direction, text }) => type === 'transcript' && direction === 'output' && text === SAVED
const isReconnected = ({ type, provider }) => type === 'state' && provider === 'reconnected'

/** A write that runs until the test releases it, with the number of its runs. */
function heldWrite() {
  const [started, released] = [latch(), latch()]
  const write = async () => {
    write.runs += 1
    started.open()
    await released.opened
    return { ok: true, data: { saved: 'cue a' } }
  }
  return Object.assign(write, { runs: 0, started: started.opened, release: released.open })
}

const notesOf = written => written().filter(text => text.includes('asked earlier'))

/** Lets everything happen that is under way: the model has answered one more text. */
async function settled(client) {
  client.say('and now')
  await client.next(({ type, text }) => type === 'transcript' && text === 'nothing more')
  await client.next('turnComplete')
}
const nothingMore = on('and now', [say('nothing more')])

async function saving(t, provider, steps, more = {}) {
  const cue_set = heldWrite()
  const rules = [told, nothingMore, on('go', [call('cue_set', { cue: 'a' })], ...steps)]
  const fixture = await startFixture(t, { provider, handlers: { cue_set }, rules, ...more })
  return { ...fixture, cue_set, client: await fixture.start() }
}

for (const provider of ['gemini', 'openai']) {
  test(`${provider}: a connection that is cut before the answer: told once, on the next one`, async t => {
    const { client, cue_set, model, written, answers, sim } = await saving(t, provider, [[say('never')]])
    client.say('go')
    await cue_set.started
    ;(await model()).disconnect({ code: 1011, reason: 'internal error' })
    await client.next(isReconnected)
    cue_set.release()
    await client.next(isSaid)
    await client.next('turnComplete')
    await settled(client)
    assert.deepEqual([cue_set.runs, answers().length, notesOf(written).length], [1, 0, 1])
    assert.match(notesOf(written)[0], /"saved":"cue a"/)
    assert.deepEqual([client.frames.filter(isSaid).length, client.said().includes('never')], [1, false])
    assert.equal(client.ofType('toolResult').length, 1)
    assert.deepEqual(sim.anomalies, [])
  })

  test(`${provider}: a connection that is cut when the answer was sent and the model silent: told again, once`, async t => {
    const { client, cue_set, written, answers, sim } = await saving(t, provider, [[{ disconnect: true }]])
    client.say('go')
    await cue_set.started
    cue_set.release()
    await client.next(isReconnected)
    await client.next(isSaid)
    await client.next('turnComplete')
    await settled(client)
    assert.deepEqual([cue_set.runs, answers().length, notesOf(written).length], [1, 1, 1])
    assert.equal(client.frames.filter(isSaid).length, 1)
    assert.deepEqual(sim.anomalies, [])
  })

  test(`${provider}: a connection that is cut when the model speaks about it: not told again`, async t => {
    const { client, cue_set, written, answers, sim } = await saving(t, provider, [[say(SAVED), { disconnect: true }]])
    client.say('go')
    await cue_set.started
    cue_set.release()
    await client.next(isSaid)
    await client.next(isReconnected)
    assert.equal((await client.next('answerIncomplete')).reason, 'cut')
    await settled(client)
    assert.deepEqual([cue_set.runs, answers().length, notesOf(written)], [1, 1, []])
    assert.equal(client.frames.filter(isSaid).length, 1)
    assert.deepEqual(sim.anomalies, [])
  })

  test(`${provider}: two cuts in a row: the result waits for a connection that lives`, async t => {
    const cut = {
      when: { user: { contains: 'asked earlier' }, connection: 2 },
      steps: [{ emit: [{ disconnect: true }] }],
    }
    const cue_set = heldWrite()
    const { start, model, written } = await startFixture(t, {
      provider,
      handlers: { cue_set },
      rules: [
        cut,
        told,
        nothingMore,
        on('hello', [say('hi')]),
        on('go', [call('cue_set', { cue: 'a' })], [say('never')]),
      ],
    })
    const client = await start()
    client.say('go')
    await cue_set.started
    ;(await model()).disconnect()
    await client.next(isReconnected)
    // The next loss is restored again only after the model has spoken.
    client.say('hello')
    await client.next(({ type, text }) => type === 'transcript' && text === 'hi')
    await client.next('turnComplete')
    cue_set.release()
    await client.next(isReconnected)
    await client.next(isSaid)
    await client.next('turnComplete')
    await settled(client)
    assert.deepEqual([cue_set.runs, notesOf(written).length, client.frames.filter(isSaid).length], [1, 2, 1])
  })
}

test('gemini: a conversation that the service has forgotten while a write runs: a new one has the history, and the result once', async t => {
  const { client, cue_set, model, written, sim } = await saving(t, 'gemini', [[say('never')]])
  const first = await model()
  first.send({ sessionResumptionUpdate: { newHandle: 'forgotten', resumable: true } })
  client.say('go')
  await cue_set.started
  first.disconnect()
  await client.next(isReconnected)
  cue_set.release()
  await client.next(isSaid)
  await client.next('turnComplete')
  await settled(client)
  assert.deepEqual([cue_set.runs, notesOf(written).length, client.frames.filter(isSaid).length], [1, 1, 1])
  const history = sim.received.find(({ json, connection }) => connection === 3 && json?.clientContent)
  assert.deepEqual(history.json.clientContent.turns[0], { role: 'user', parts: [{ text: 'go' }] })
  assert.deepEqual([history.json.clientContent.turnComplete, sim.anomalies], [false, []])
})

test('gemini: a goAway while a write runs: the connection is renewed in time, and the result told once', async t => {
  const { client, cue_set, model, written, sim } = await saving(t, 'gemini', [[say('never')]])
  client.say('go')
  await cue_set.started
  ;(await model()).send({ goAway: { timeLeft: '0.4s' } })
  await client.next(isReconnected)
  cue_set.release()
  await client.next(isSaid)
  await client.next('turnComplete')
  await settled(client)
  assert.deepEqual([cue_set.runs, notesOf(written).length, client.frames.filter(isSaid).length], [1, 1, 1])
  assert.deepEqual([sim.live.connections.length, sim.anomalies], [2, []])
})
