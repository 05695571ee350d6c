// Barge-in ends the turn: its reads are dropped, its writes are always reported, and none of its output is spoken late.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { call, latch, on, say, startFixture, silence, voice } from './support/fixture.js'

const READ = 'function-call-1111111111111111'
const WRITE = 'function-call-2222222222222222'

/** A handler that runs until the test releases it. It ignores its signal unless it listens to it. */
function holding({ listens = false } = {}) {
  const [started, released] = [latch(), latch()]
  const handler = async ({ signal }) => {
    handler.runs += 1
    started.open()
    await (listens
      ? Promise.race([released.opened, new Promise(resolve => signal.addEventListener('abort', resolve))])
      : released.opened)
    return { ok: true, data: { secret: 'of a turn that is over' } }
  }
  return Object.assign(handler, { runs: 0, started: started.opened, release: released.open })
}

const rules = [
  on('read', [say('let me look'), call('slow_read', {}, { id: READ })], [say('never')]),
  on('write', [call('cue_set', { cue: 'a' }, { id: WRITE })], [say('never')]),
  on('stop', [say('stopped')]),
]

const isStopped = ({ type, text }) => type === 'transcript' && text === 'stopped'
const isSecondOver = ({ type, turn }) => type === 'turnComplete' && turn === 2

/** Barge-in of a user, as each provider detects it. */
const ways = {
  'gemini, by text': { provider: 'gemini', breakIn: client => client.say('stop') },
  'openai, by text': { provider: 'openai', breakIn: client => client.say('stop') },
  'openai, by voice': {
    provider: 'openai',
    breakIn: client => {
      client.send(voice(200))
      client.send(silence(800))
    },
  },
}

for (const [way, { provider, breakIn }] of Object.entries(ways)) {
  test(`${way}: what was read is dropped, aborted and never told`, async t => {
    const slow_read = holding({ listens: true })
    const { sim, start, answers } = await startFixture(t, {
      provider,
      rules,
      audio: { transcripts: ['stop'] },
      handlers: { slow_read },
    })
    const client = await start()
    client.say('read')
    await slow_read.started
    const [result] = await Promise.all([
      client.next('toolResult'),
      client.next('interrupted'),
      client.next(isStopped),
      (breakIn(client), client.next(isSecondOver)),
    ])
    assert.deepEqual([result.ok, result.errorType], [false, 'CANCELLED'])
    assert.ok(!client.said().includes('never'))
    assert.ok(!JSON.stringify(answers()).includes('of a turn'))
    // A Realtime conversation keeps its calls, so the call gets an output; Gemini has cancelled it and expects none.
    if (provider === 'openai') await sim.whenReceived(() => answers().length === 1)
    assert.deepEqual(
      answers().map(({ response }) => response.error.type),
      provider === 'openai' ? ['CANCELLED'] : [],
    )
    assert.deepEqual(
      sim.anomalies.filter(({ kind }) => kind !== 'asked_too_early'),
      [],
    )
  })

  test(`${way}: a write that had begun runs once, and is reported without breaking in`, async t => {
    const cue_set = holding()
    const { sim, start, answers, written } = await startFixture(t, {
      provider,
      rules,
      audio: { transcripts: ['stop'] },
      handlers: { cue_set },
    })
    const client = await start()
    client.say('write')
    await cue_set.started
    breakIn(client)
    await client.next('interrupted')
    await client.next(({ type, text }) => type === 'transcript' && text === 'stopped')
    await client.next('turnComplete')
    client.send({ type: 'played', ms: 80 })
    const asked = sim.received.filter(({ json }) => json?.type === 'response.create').length
    cue_set.release()
    const { id, ok } = await client.next('toolResult')
    assert.deepEqual([id, ok, cue_set.runs], [WRITE, true, 1])
    const isTold = () =>
      answers().some(({ response }) => response.ok) || written().some(text => text.includes('carried out'))
    await sim.whenReceived(isTold)
    const turns = client.ofType('turnComplete').length
    client.say('stop')
    await client.next('turnComplete')
    // Only the newer request is answered in speech.
    assert.equal(client.ofType('turnComplete').length, turns + 1)
    assert.equal(
      sim.received.filter(({ json }) => json?.type === 'response.create').length,
      asked === 0 ? 0 : asked + 1,
    )
    assert.deepEqual(
      sim.anomalies.filter(({ kind }) => kind !== 'asked_too_early'),
      [],
    )
  })

  test(`${way}: a write that had not begun never runs`, async t => {
    const slow_read = holding({ listens: true })
    const cue_set = holding()
    const both = on(
      'both',
      [
        {
          calls: [
            { name: 'slow_read', id: READ },
            { name: 'cue_set', id: WRITE },
          ],
        },
      ],
      [say('never')],
    )
    const { start } = await startFixture(t, {
      provider,
      rules: [both, ...rules],
      audio: { transcripts: ['stop'] },
      handlers: { slow_read, cue_set },
    })
    const client = await start()
    client.say('both')
    await slow_read.started
    const isResultOf =
      wanted =>
      ({ type, id }) =>
        type === 'toolResult' && id === wanted
    const [read, write] = await Promise.all([
      client.next(isResultOf(READ)),
      client.next(isResultOf(WRITE)),
      (breakIn(client), client.next(isSecondOver)),
    ])
    assert.deepEqual([read.errorType, write.errorType, cue_set.runs], ['CANCELLED', 'CANCELLED', 0])
  })
}

test('gemini: a model that cannot be told when to speak hears of the write when nobody speaks', async t => {
  const cue_set = holding()
  const { sim, start, answers, written, model } = await startFixture(t, {
    rules,
    handlers: { cue_set },
    server: baseUrl => ({ gemini: { apiKey: 'any', baseUrl, model: 'a-model-of-tomorrow' } }),
  })
  const client = await start()
  client.say('write')
  await cue_set.started
  ;(await model()).send({ serverContent: { inputTranscription: { text: 'stop' }, interrupted: true } })
  await client.next('interrupted')
  cue_set.release()
  await sim.whenReceived(() => written().some(text => text.includes('carried out')))
  assert.deepEqual(answers(), [])
  const { json } = sim.received.findLast(entry => entry.json?.clientContent)
  assert.equal(json.clientContent.turnComplete, false)
})

test('gemini: a call without an id that waits for its twin does not outlive its turn', async t => {
  const slow_read = holding()
  const { start, model, answers } = await startFixture(t, {
    rules: [on('hello', [say('hi')])],
    handlers: { slow_read },
  })
  const client = await start()
  const provider = await model()
  provider.send({ serverContent: { modelTurn: { parts: [{ functionCall: { name: 'slow_read', args: {} } }] } } })
  provider.send({ serverContent: { interrupted: true } })
  await client.next('interrupted')
  client.say('hello')
  assert.equal(await client.answer(), 'hi')
  await new Promise(resolve => setTimeout(resolve, 500))
  assert.deepEqual([slow_read.runs, answers()], [0, []])
})

test('openai: the calls of a response that the user broke into before it was complete never run', async t => {
  const slow_read = holding()
  const { start, model, answers, sim } = await startFixture(t, {
    provider: 'openai',
    rules,
    audio: { transcripts: ['stop'] },
    handlers: { slow_read },
  })
  const client = await start()
  const provider = await model()
  const item = {
    id: 'item_1',
    type: 'function_call',
    status: 'completed',
    call_id: 'call_4711471147114711',
    name: 'slow_read',
    arguments: '{}',
  }
  provider.send({ type: 'response.created', response: { id: 'resp_1', status: 'in_progress' } })
  provider.send({ type: 'response.output_item.done', response_id: 'resp_1', output_index: 0, item })
  provider.send({ type: 'input_audio_buffer.speech_started', audio_start_ms: 0, item_id: 'item_2' })
  provider.send({ type: 'response.done', response: { id: 'resp_1', status: 'cancelled', output: [item] } })
  assert.equal((await client.next('toolResult')).errorType, 'CANCELLED')
  await sim.whenReceived(() => answers().length === 1)
  assert.deepEqual([slow_read.runs, answers()[0].response.error.type], [0, 'CANCELLED'])
})

test('openai: what is still under way of a response that the user broke into is not passed on', async t => {
  const { start, model } = await startFixture(t, { provider: 'openai', rules })
  const client = await start()
  const provider = await model()
  const delta = text =>
    provider.send({
      type: 'response.output_audio_transcript.delta',
      response_id: 'resp_1',
      item_id: 'item_1',
      delta: text,
    })
  const sound = () =>
    provider.send({
      type: 'response.output_audio.delta',
      response_id: 'resp_1',
      item_id: 'item_1',
      delta: Buffer.alloc(4800).toString('base64'),
    })
  provider.send({ type: 'response.created', response: { id: 'resp_1', status: 'in_progress' } })
  delta('heard')
  sound()
  provider.send({ type: 'input_audio_buffer.speech_started', audio_start_ms: 0, item_id: 'item_2' })
  delta('late')
  sound()
  provider.send({ type: 'response.done', response: { id: 'resp_1', status: 'cancelled', output: [] } })
  await client.next('interrupted')
  client.say('stop')
  await client.next('turnComplete')
  assert.equal(client.said(), 'heardstopped')
})
