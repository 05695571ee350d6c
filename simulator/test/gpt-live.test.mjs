// GPT-Live over a bare WebSocket: what the service refuses, and that bad frames end nothing.
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { test } from 'node:test'
import { WebSocket } from 'ws'
import { startSimulator } from '../src/index.js'

async function connect(t, session) {
  const simulator = await startSimulator({ scenario: { settings: { label: '' }, rules: [{ steps: [{ emit: [] }] }] } })
  t.after(() => simulator.close())
  const socket = new WebSocket(`${simulator.url.replace('http', 'ws')}/v1/live/sessions`)
  await once(socket, 'open')
  const waiting = []
  const events = []
  socket.on('message', bytes => {
    const event = JSON.parse(bytes)
    const resolve = waiting.shift()
    if (resolve === undefined) events.push(event)
    else resolve(event)
  })
  const next = () => (events.length > 0 ? events.shift() : new Promise(resolve => waiting.push(resolve)))
  const ask = event => {
    socket.send(typeof event === 'string' ? event : JSON.stringify(event))
    return next()
  }
  /** The next event that is no audio and no words. */
  const nextOther = async () => {
    const event = await next()
    return /output_(audio|transcript)\.delta$/.test(event.type) ? nextOther() : event
  }
  if (session !== undefined) assert.equal((await ask({ type: 'session.start', session })).type, 'session.started')
  return { simulator, socket, ask, next, nextOther }
}
const append = (content, delegation_id = null, kind = 'commentary') => ({
  type: `session.${kind}.append`,
  event_id: 'mine',
  content,
  delegation_id,
})
const started = { model: 'gpt-live-1' }

test('nothing comes before session.start, and it comes once', async t => {
  const { ask } = await connect(t)
  assert.match((await ask(append('x'))).error.message, /the first event must be `session.start`/)
  assert.equal((await ask({ type: 'session.start', session: {} })).error.code, 'missing_required_parameter')
  assert.equal((await ask({ type: 'session.start', session: started })).session.delegation.type, 'client')
  assert.match((await ask({ type: 'session.start', session: started })).error.message, /the session has started/)
})

test('an append names a delegation that exists, has at most 500 tokens, and is acknowledged', async t => {
  const { ask, simulator } = await connect(t, started)
  const unknown = await ask(append('x', 'dlg_unknown'))
  assert.deepEqual([unknown.client_event_id, unknown.error.client_event_id], ['mine', 'mine'])
  assert.equal(simulator.anomalies[0].kind, 'unknown_id')
  assert.equal((await ask(append('x'.repeat(2001)))).error.code, 'string_above_max_length')
  const said = await ask(append('x'.repeat(2000), null, 'thinking'))
  assert.deepEqual([said.type, said.client_event_id], ['session.thinking.appended', 'mine'])
  assert.equal((await ask({ ...append('x'), delegation_id: undefined })).error.param, 'delegation_id')
})

test('items of a backend need Responses delegation, whose kind cannot change', async t => {
  const { ask } = await connect(t, started)
  const item = { type: 'function_call_output', call_id: 'a', output: '' }
  assert.match((await ask({ type: 'response.item.create', item })).error.message, /requires Responses delegation/)
  const update = { type: 'session.update', session: { delegation: { type: 'responses', responses: {} } } }
  assert.match((await ask(update)).error.message, /the delegation type cannot change/)
})

test('bad frames are answered with errors', async t => {
  const { ask } = await connect(t, started)
  for (const frame of [
    '',
    '{',
    'null',
    '[]',
    '7',
    '{"type":7}',
    '{"type":"a"}',
    '['.repeat(2000),
    '{"type":"session.close","x":1}',
  ])
    assert.equal((await ask(frame)).type, 'error', frame)
  assert.equal((await ask({ type: 'session.input_audio.append', audio: '*' })).type, 'error')
  assert.equal((await ask({ type: 'session.close' })).reason, 'close_requested')
})

test('a fixture is heard in its length, and no append is taken meanwhile', async t => {
  const { ask, next } = await connect(t, started)
  const play = ms => ({
    type: 'session.output_audio.fixture.play',
    event_id: 'played',
    audio: Buffer.alloc(ms * 48).toString('base64'),
  })
  assert.match((await ask(play(30_001))).error.message, /at most 30000 ms/)
  assert.equal((await ask(play(100))).type, 'session.output_audio.fixture.playing')
  assert.equal(Buffer.from((await next()).delta, 'base64').length, 100 * 48)
  assert.match((await ask(append('x'))).error.message, /an audio fixture is active/)
  assert.match((await ask(play(100))).error.message, /an audio fixture is active/)
  const played = await next()
  assert.deepEqual([played.type, played.client_event_id], ['session.output_audio.fixture.played', 'played'])
  assert.equal((await ask(append('x'))).type, 'session.commentary.appended')
  assert.equal((await next()).delta, 'x')
  assert.equal((await next()).type, 'session.output_audio.delta')
})

test('a text for the backend is answered when it is asked to', async t => {
  const session = { ...started, delegation: { type: 'responses', responses: { model: 'any' } } }
  const { socket, nextOther, simulator } = await connect(t, session)
  const content = [{ type: 'input_text', text: 'hello' }]
  socket.send(JSON.stringify({ type: 'response.item.create', item: { type: 'message', role: 'user', content } }))
  simulator.useScenario({
    settings: { label: '' },
    rules: [{ when: { user: 'hello' }, steps: [{ emit: [{ call: { name: 'a' } }] }] }],
  })
  socket.send(JSON.stringify({ type: 'response.create' }))
  const created = await nextOther()
  assert.deepEqual([created.type, created.delegation.target], ['session.delegation.created', 'responses'])
  const refused = append('x', created.delegation.id)
  socket.send(JSON.stringify(refused))
  let event = await nextOther()
  while (event.type === 'response.event') event = await nextOther()
  assert.match(event.error.message, /must be null with Responses delegation/)
})
