// GPT-Live over a WebSocket of the simulator: delegations and calls from the wire through the gate, and back.
import { createRequire } from 'node:module'
import { WebSocket } from 'ws'
import { startSimulator } from '../../simulator/src/index.js'
import { eventually, openGate } from '../support/gate.mjs'

const { OpenAILiveTransport } = createRequire(import.meta.url)('../../js/transports/openai-live-transport.js')

let closing = []
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close()
})

/** A host of the session: it runs what the model asks for, and collects the rest. */
async function start(rules, delegation) {
  const simulator = await startSimulator({ scenario: { settings: { label: '', pieceChars: 400 }, rules } })
  closing.push(() => simulator.close())
  const socket = new WebSocket(`${simulator.url.replace('http', 'ws')}/v1/live/sessions`)
  closing.push(() => socket.terminate())
  const transport = new OpenAILiveTransport({ send: event => socket.send(JSON.stringify(event)) })
  const host = { calls: [], delegations: [], problems: [], events: [], onCall: async () => {} }
  socket.on('message', bytes => {
    const calls = transport.receiveToolCalls(bytes)
    host.calls.push(...calls)
    host.delegations.push(...transport.receiveDelegations(bytes))
    if (transport.problem !== null) host.problems.push(transport.problem)
    try {
      host.events.push(JSON.parse(bytes.toString()))
    } catch {
      // A frame that the scenario made malformed.
    }
    for (const call of calls) void host.onCall(call)
  })
  await new Promise(resolve => socket.once('open', resolve))
  socket.send(JSON.stringify({ type: 'session.start', session: { model: 'gpt-live-1', delegation } }))
  const model = await simulator.gptLive.whenConnected(1)
  const spoken = () =>
    host.events.filter(({ type }) => type === 'session.output_transcript.delta').map(({ delta }) => delta)
  return { simulator, socket, transport, host, model, spoken }
}
const user = (text, ...steps) => ({ when: { user: { contains: text } }, steps: steps.map(emit => ({ emit })) })
const TOOLS = [{ type: 'function', name: 'find_room', parameters: { type: 'object' } }]
const BACKEND = { type: 'responses', responses: { model: 'any', tools: TOOLS } }

test('a delegation that is sent twice is given once, and its answer is spoken', async () => {
  const call = { call: { id: 'dlg_room', name: 'delegate' } }
  const { transport, host, model, spoken, simulator } = await start([
    user('room', [{ say: 'One moment.' }, call, call]),
  ])
  model.hear('Is a room free?')
  await eventually(() => host.delegations.length === 1 && model.sent.length === 6, 'the delegations')
  const [{ id, transcript, offsetMs }] = host.delegations
  expect([id, transcript, typeof offsetMs]).toEqual(['dlg_room', 'Is a room free?', 'number'])
  const text = `${'Room 7 is free at noon. '.repeat(60)}`
  const sent = transport.sendAnswer({ id, thinking: 'Asked the calendar.', commentary: text })
  const appended = () => host.events.filter(({ type }) => type.endsWith('.appended'))
  await eventually(() => appended().length === sent.length, 'all acknowledgements')
  expect(appended().map(({ client_event_id }) => client_event_id)).toEqual(sent.map(({ event_id }) => event_id))
  expect(spoken().join(' ')).toBe(`One moment. ${text.trim()}`)
  expect([host.delegations.length, host.problems, simulator.anomalies]).toEqual([1, [], []])
})

test('calls of the backend run behind the gate, once, and it goes on after the last answer', async () => {
  const runs = []
  const gate = await openGate({
    find_room: {
      kind: 'read',
      properties: { hour: { type: 'integer' } },
      execute: ({ args }) => {
        runs.push(args.hour)
        return { ok: true, data: { room: args.hour - 5 } }
      },
    },
  })
  const session = await gate.session()
  const calls = [11, 12].map(hour => ({ id: `call_find_room_${hour}`, name: 'find_room', args: { hour } }))
  const rules = [user('room', [{ calls }], [{ say: 'Rooms {{results.0.data.room}} and {{results.1.data.room}}.' }])]
  const { transport, host, model, spoken, simulator } = await start(rules, BACKEND)
  host.onCall = async call => transport.sendToolResults([{ ...call, result: await session.execute(call) }])
  model.hear('Is a room free?')
  await eventually(() => spoken().length === 1, 'the last word')
  expect(spoken()).toEqual(['Rooms 6 and 7.'])
  expect(runs.sort()).toEqual([11, 12])
  expect(host.delegations).toEqual([])
  const asked = simulator.received.filter(({ json }) => json?.type === 'response.create')
  expect([asked.length, host.problems, simulator.anomalies]).toEqual([1, [], []])
})

test('a call that is cut, a malformed frame and errors of the service are problems, and run nothing', async () => {
  const cut = [{ call: { name: 'find_room', rawArgs: '{"hour":', cut: true } }, { finish: 'length' }]
  const rules = [
    user('cut', cut),
    user('broken', [{ malformed: '{"type":"respon' }]),
    user('error', [{ error: { message: 'overloaded', code: 'server_error' } }]),
  ]
  const { host, model, simulator, socket } = await start(rules, BACKEND)
  for (const [at, words] of ['cut', 'broken', 'error'].entries()) {
    model.hear(words)
    await eventually(() => host.problems.length === at + 1, `the problem of \`${words}\``)
  }
  expect(host.problems).toEqual([
    '`find_room` not run: the response ended with `max_output_tokens`',
    "the frame can't be read: it is not JSON",
    'the service reports an error: invalid_request_error: server_error: overloaded',
  ])
  expect(host.calls).toEqual([])
  // The service refuses what it does not know.
  socket.send(
    JSON.stringify({ type: 'response.item.create', item: { type: 'function_call_output', call_id: 'x', output: '' } }),
  )
  await eventually(() => host.problems.length === 4, 'the refusal')
  expect(simulator.anomalies).toEqual([
    { protocol: 'gptLive', connection: 1, kind: 'unknown_id', id: 'x', name: undefined },
  ])
})

test('the tools of the backend are replaced, and the session closes', async () => {
  const { host, model, transport, socket } = await start([user('x', [])], BACKEND)
  transport.updateTools([...TOOLS, { type: 'function', name: 'book_room' }])
  await eventually(() => host.events.some(({ type }) => type === 'session.updated'), 'the update')
  expect(model.session.delegation.responses.tools.map(({ name }) => name)).toEqual(['find_room', 'book_room'])
  socket.send(JSON.stringify({ type: 'session.close' }))
  await eventually(() => host.events.at(-1).type === 'session.closed', 'the end')
  expect(host.problems).toEqual([])
})
