// The delegation of docs/transports.md, as it is written there: a text agent of the AI SDK works for a scripted GPT-Live session.
import { EventEmitter } from 'node:events'
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { setTimeout as sleep } from 'node:timers/promises'
import { generateText, stepCountIs } from 'ai'
import { scriptedModel, toolMessages } from '../adapters/scripted-provider.mjs'
import { eventually, openGate } from '../support/gate.mjs'

const require = createRequire(import.meta.url)
const { repairToolCall, toAiSdkTools } = require('../../js/adapters/ai-sdk.js')
const { OpenAILiveTransport } = require('../../js/transports/openai-live-transport.js')

const page = readFileSync(new URL('../../docs/transports.md', import.meta.url), 'utf8')
const [, code] = page.match(/## GPT-Live\n[\s\S]*?```js\n([\s\S]*?)```/)
const imported = { sleep, generateText, stepCountIs, repairToolCall, toAiSdkTools, OpenAILiveTransport }
const body = code.replace(/^import .*\n/gm, '')
const serve = new Function(...Object.keys(imported), 'console', `${body}; return serve`)

/** A connection as the `openai` package has it: an emitter of events that sends. */
class Connection extends EventEmitter {
  sent = []
  socket = { readyState: 1, OPEN: 1 }

  send(event) {
    this.sent.push(event)
  }

  say(text, start_ms) {
    this.emit('event', { type: 'session.input_transcript.delta', delta: text, start_ms, end_ms: start_ms + 100 })
  }

  delegate(id, offset_ms) {
    this.emit('event', { type: 'session.delegation.created', offset_ms, delegation: { id, target: 'client' } })
  }

  /** What was said, and what the model only knows. */
  get answers() {
    return this.sent.map(({ type, delegation_id, content }) => [type.split('.')[1], delegation_id, content])
  }
}

let stop
afterEach(() => stop?.abort())

async function start(rounds, execute = () => ({ ok: true, data: { rooms: 3 } }), fields = {}) {
  const gate = await openGate({ find_room: { kind: 'read', properties: {}, execute, ...fields } })
  const session = await gate.session({ sessionId: 'live' })
  const connection = new Connection()
  const { model, requests } = scriptedModel(rounds)
  const warnings = []
  stop = new AbortController()
  const console = { warn: text => warnings.push(String(text)) }
  const served = serve(...Object.values(imported), console)({ connection, session, model, signal: stop.signal })
  return { gate, session, connection, requests, warnings, served }
}
const answered = (connection, count) => eventually(() => connection.sent.length >= count, `${count} answers`)
const find = (id = 'call_find_room_0001') => [{ id, name: 'find_room', args: '{}' }]

test('is short, and imports what it uses', () => {
  expect(code.trimEnd().split('\n').length).toBeLessThanOrEqual(60)
  const names = [...code.matchAll(/^import \{ (.*) \}/gm)].flatMap(([, list]) => list.split(', '))
  expect(names.map(name => name.split(' as ').at(-1)).sort()).toEqual(Object.keys(imported).sort())
})

test('a delegation is done by the agent through the gate and said once, with the words that came late', async () => {
  const { connection, requests, gate } = await start([find(), 'Three rooms are free.'])
  connection.say('Is a room', 1000)
  connection.delegate('dlg_1', 3000)
  connection.say(' free at noon?', 2000)
  connection.delegate('dlg_1', 3000)
  await answered(connection, 1)
  expect(connection.answers).toEqual([['commentary', 'dlg_1', 'Three rooms are free.']])
  expect(requests[0].messages.at(-1).content).toContain('The user asks for: Is a room free at noon?')
  expect(toolMessages(requests[1]).call_find_room_0001).toMatchObject({ ok: true, data: { rooms: 3 } })
  expect(gate.lines.map(({ toolId, callId }) => [toolId, callId])).toContainEqual(['find_room', 'call_find_room_0001'])
})

test('a delegation that repeats the words of another one under a new id runs nothing', async () => {
  let runs = 0
  const { connection, requests } = await start([find(), 'Three.'], () => ({ ok: true, data: { runs: (runs += 1) } }))
  connection.say('Is a room free?', 1000)
  for (const id of ['dlg_1', 'dlg_2', 'dlg_3']) connection.delegate(id, 3000)
  await answered(connection, 3)
  expect(connection.answers.sort()).toEqual([
    ['commentary', 'dlg_1', 'Three.'],
    ['thinking', 'dlg_2', 'Nothing new was asked for.'],
    ['thinking', 'dlg_3', 'Nothing new was asked for.'],
  ])
  expect([runs, requests.length]).toEqual([1, 2])
})

test('a socket that closes while the agent works ends nothing else', async () => {
  const { connection, warnings } = await start(['Three.'])
  connection.send = () => {
    throw new Error('the socket is closed')
  }
  connection.say('Is a room free?', 1000)
  connection.delegate('dlg_1', 3000)
  await eventually(() => warnings.length === 2, 'two warnings')
  expect(warnings).toEqual(['Error: the socket is closed', 'Error: the socket is closed'])
})

test('a failure of the agent is said', async () => {
  const { connection, warnings } = await start([undefined])
  connection.say('Is a room free?', 1000)
  connection.delegate('dlg_1', 3000)
  await eventually(() => connection.sent.length === 1, 'an answer')
  expect(connection.answers).toEqual([['commentary', 'dlg_1', 'That did not work. Offer to try it again.']])
  expect(warnings).toHaveLength(1)
})

test('the result of a background call is said when it is there, and the program ends by its signal', async () => {
  let release
  const held = new Promise(resolve => (release = resolve))
  const execute = async () => {
    await held
    return { ok: true, data: { url: 'https://example.org/plan' } }
  }
  const { connection, requests, served } = await start([find(), 'I am on it.'], execute, { background: true })
  connection.say('Draw a plan', 1000)
  connection.delegate('dlg_1', 3000)
  await answered(connection, 1)
  expect(connection.answers).toEqual([['commentary', 'dlg_1', 'I am on it.']])
  expect(toolMessages(requests[1]).call_find_room_0001).toMatchObject({ ok: true, data: { status: 'running' } })
  release()
  await answered(connection, 2)
  const [kind, delegation, text] = connection.answers[1]
  expect([kind, delegation]).toEqual(['commentary', null])
  expect(text).toContain('https://example.org/plan')
  stop.abort()
  await served
  expect(connection.sent).toHaveLength(2)
})

test('a result that a closed connection would get is left to the next one', async () => {
  let release
  const held = new Promise(resolve => (release = resolve))
  const execute = async () => (await held, { ok: true, data: 'drawn' })
  const { gate, connection, served } = await start([find(), 'I am on it.'], execute, { background: true })
  connection.say('Draw a plan', 1000)
  connection.delegate('dlg_1', 3000)
  await answered(connection, 1)
  connection.socket.readyState = 3
  release()
  await served
  expect(connection.sent).toHaveLength(1)
  const next = await gate.session({ sessionId: 'live' })
  const { value } = await next.results({ wait: false }).next()
  expect(value.response.data).toBe('drawn')
})
