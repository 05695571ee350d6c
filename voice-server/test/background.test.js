// Calls that are answered before they end: the model goes on, and hears of the result when it is there.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { call, latch, on, say, startFixture } from './support/fixture.js'

const ID = 'function-call-4711471147114711'
const DONE = 'the job is done'
const isText = wanted => frame => frame.type === 'transcript' && frame.direction === 'output' && frame.text === wanted
const isReconnected = ({ type, provider }) => type === 'state' && provider === 'reconnected'
/** The model's words about a result: as a note, and as an answer to a call that it knows. */
const told = [
  on({ contains: 'asked earlier' }, [say(DONE)]),
  { when: { results: true }, steps: [{ emit: [say(DONE)] }] },
]

function held(data = { rows: 7 }) {
  const [started, released] = [latch(), latch()]
  const handler = async () => {
    handler.runs += 1
    started.open()
    await released.opened
    return { ok: true, data }
  }
  return Object.assign(handler, { runs: 0, started: started.opened, release: released.open })
}

const rules = [
  ...told,
  on('start', [call('job_run', { job: 'a' }, { id: ID })], [say('it has begun')]),
  on('look', [call('archive_read', { what: 'a' }, { id: ID })], [say('I am looking'), { wait: 60_000 }, say('never')]),
  on('hello', [say('hi')]),
]

const functionDeclarations = ['job_run', 'archive_read'].map(name => ({ name, behavior: 'NON_BLOCKING' }))
const providers = {
  gemini: {
    provider: 'gemini',
    server: url => ({ gemini: { apiKey: 'any', baseUrl: url, config: { tools: [{ functionDeclarations }] } } }),
  },
  // Neither NON_BLOCKING nor `willContinue`.
  'gemini without scheduling': {
    provider: 'gemini',
    server: url => ({ gemini: { apiKey: 'any', baseUrl: url, model: 'gemini-older-live' } }),
  },
  openai: { provider: 'openai' },
}

for (const [name, options] of Object.entries(providers)) {
  const start = async (t, handlers) => {
    const fixture = await startFixture(t, { ...options, rules, handlers })
    return { ...fixture, client: await fixture.start() }
  }

  test(`${name}: a job is answered as running, the conversation goes on, and its end is told once`, async t => {
    const job_run = held()
    const { client, answers, written, audit, sim } = await start(t, { job_run })
    client.say('start')
    assert.equal((await client.next('toolResult')).pending, true)
    await client.next(isText('it has begun'))
    await client.next('turnComplete')
    client.say('hello')
    await client.next(isText('hi'))
    await client.next('turnComplete')
    job_run.release()
    assert.deepEqual((({ id, ok, pending }) => ({ id, ok, pending }))(await client.next('toolResult')), {
      id: ID,
      ok: true,
      pending: undefined,
    })
    await client.next(isText(DONE))
    await client.next('turnComplete')
    client.say('hello')
    await client.next('turnComplete')
    const notes = written().filter(text => text.includes('asked earlier'))
    const [running, ...more] = answers()
    assert.deepEqual([running.response.data.status, job_run.runs], ['running', 1])
    if (name === 'gemini') {
      assert.equal(running.willContinue, true)
      assert.deepEqual(
        [notes, more.map(({ id, scheduling, response }) => [id, scheduling, response.data])],
        [[], [[ID, 'WHEN_IDLE', { rows: 7 }]]],
      )
    } else assert.deepEqual([running.willContinue, more, notes.length], [undefined, [], 1])
    assert.equal(client.frames.filter(isText(DONE)).length, 1)
    assert.equal(audit.filter(({ event }) => event === 'result_delivered').length, 1)
    assert.deepEqual(sim.anomalies, [])
  })

  test(`${name}: a failed job is told too`, async t => {
    const released = latch()
    const job_run = async () => {
      await released.opened
      return { ok: false, error: { type: 'PERMANENT', message: 'the printer is out of paper' } }
    }
    const { client, answers, written } = await start(t, { job_run })
    client.say('start')
    await client.next('turnComplete')
    released.open()
    assert.equal((await client.next(({ type, ok }) => type === 'toolResult' && !ok)).errorType, 'PERMANENT')
    await client.next(isText(DONE))
    assert.ok(JSON.stringify([answers(), written()]).includes('out of paper'))
  })

  test(`${name}: the connection is lost while a job runs: its end is a note on the next one, once`, async t => {
    const job_run = held()
    const { client, model, written, sim } = await start(t, { job_run })
    client.say('start')
    await client.next(isText('it has begun'))
    await client.next('turnComplete')
    ;(await model()).disconnect({ code: 1011 })
    await client.next(isReconnected)
    job_run.release()
    await client.next(isText(DONE))
    await client.next('turnComplete')
    assert.equal(written().filter(text => text.includes('asked earlier')).length, 1)
    assert.equal(client.frames.filter(isText(DONE)).length, 1)
    assert.deepEqual(sim.anomalies, [])
  })

  test(`${name}: a read of a turn that the user broke into is given without a word`, async t => {
    const archive_read = held({ rows: 3 })
    const { client, audit, answers, written, sim } = await start(t, { archive_read })
    client.say('look')
    await client.next(isText('I am looking'))
    client.say('hello')
    await client.next('interrupted')
    await client.next(isText('hi'))
    await client.next('turnComplete')
    archive_read.release()
    await client.next(({ type, pending }) => type === 'toolResult' && !pending)
    await sim.whenReceived(() => JSON.stringify([answers(), written()]).includes('"rows'))
    client.say('hello')
    await client.next('turnComplete')
    if (name === 'gemini') assert.equal(answers().at(-1).scheduling, 'SILENT')
    if (name !== 'gemini without scheduling') {
      assert.equal(client.frames.filter(isText(DONE)).length, 0)
      assert.equal(audit.filter(({ event }) => event === 'result_delivered').length, 1)
    }
  })
}

for (const [model, background, other] of [
  ['gemini-3.8-live', 'NON_BLOCKING', 'BLOCKING'],
  ['gemini-live-2.5-flash-native-audio', 'NON_BLOCKING', undefined],
  ['gemini-older-live', undefined, undefined],
]) {
  test(`${model}: tools are declared so that it waits for those that are answered once`, async t => {
    const server = url => ({ gemini: { apiKey: 'any', baseUrl: url, model } })
    const fixture = await startFixture(t, { provider: 'gemini', server, rules, handlers: {} })
    await fixture.start()
    const { setup } = await fixture.model(1)
    const declared = new Map(setup.tools[0].functionDeclarations.map(({ name, behavior }) => [name, behavior]))
    const behaviors = ['job_run', 'archive_read', 'quick_read', 'note_save'].map(name => declared.get(name))
    assert.deepEqual(behaviors, [background, background, other, other])
  })
}
