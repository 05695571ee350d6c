// Conversations that need three of 500 tools, over the wire of each provider, with its SDK and the simulator: the model
// searches, and calls a found tool in the next request, which declares it.
import { createGoogleGenerativeAI } from '@ai-sdk/google'
import Anthropic from '@anthropic-ai/sdk'
import { generateText, stepCountIs } from 'ai'
import { once } from 'node:events'
import OpenAI from 'openai'
import { WebSocket } from 'ws'

import { startSimulator } from '../../simulator/src/index.js'
import { THREE_NEEDS } from '../../bench/search/many-tools.mjs'
import { prepareFoundTools, toAiSdkTools } from '../../js/adapters/ai-sdk.js'
import { AnthropicTransport } from '../../js/transports/anthropic-transport.js'
import { OpenAIRealtimeTransport } from '../../js/transports/openai-realtime-transport.js'
import { OpenAITransport } from '../../js/transports/openai-transport.js'
import { afterTest } from '../support/tool-set.mjs'
import { META_TOOLS, openManyTools } from './many-tools-gate.mjs'
import { answersTo, untilSaid } from './play.mjs'

const ASK = 'Where is shipment S-7? Refund invoice I-3, and assign ticket T-12.'
const STEPS = THREE_NEEDS.flatMap(({ query, name, args }) => [
  { emit: [{ call: { name: 'reg_search', args: { query, limit: 3 } } }] },
  { emit: [{ call: { name, args } }] },
])
const SCENARIO = {
  settings: { label: '' },
  rules: [{ steps: [...STEPS, { emit: [{ say: 'Done with {{result.data.number}}.' }] }] }],
}
const EXPECTED_CALLS = THREE_NEEDS.flatMap(({ query, name, args }) => [
  { name: 'reg_search', args: { query, limit: 3 } },
  { name, args },
])
let many
beforeAll(async () => {
  many = await openManyTools()
})
afterAll(() => many.close())

const user = content => [{ role: 'user', content }]
const openai = sim => new OpenAI({ apiKey: 'any', baseURL: `${sim.url}/v1`, maxRetries: 0 })

const WIRES = {
  'OpenAI Chat Completions': {
    namesIn: ({ json }) => json.tools.map(({ function: { name } }) => name),
    play: (sim, session) =>
      untilSaid({
        session,
        transport: new OpenAITransport(),
        history: user(ASK),
        request: messages =>
          openai(sim).chat.completions.create({ model: 'any', messages, tools: session.declared('openai') }),
        saidIn: ({ choices }) => choices[0].message.content,
      }),
  },
  'OpenAI Responses': {
    namesIn: ({ json }) => json.tools.map(({ name }) => name),
    play: (sim, session) =>
      untilSaid({
        session,
        transport: new OpenAITransport(),
        history: user(ASK),
        request: input =>
          openai(sim).responses.create({ model: 'any', input, tools: session.declared('openaiResponses') }),
        saidIn: ({ output_text: text }) => text,
      }),
  },
  'Anthropic Messages': {
    namesIn: ({ json }) => json.tools.map(({ name }) => name),
    play: (sim, session) => {
      const anthropic = new Anthropic({ apiKey: 'any', baseURL: sim.url, maxRetries: 0 })
      return untilSaid({
        session,
        transport: new AnthropicTransport(),
        history: user(ASK),
        request: messages =>
          anthropic.messages.create({ model: 'any', max_tokens: 999, messages, tools: session.declared('anthropic') }),
        saidIn: ({ content }) => content[0].text,
      })
    },
  },
  'Gemini, through the AI SDK': {
    namesIn: ({ json }) =>
      json.tools.flatMap(({ functionDeclarations }) => functionDeclarations.map(({ name }) => name)),
    play: async (sim, session) => {
      const google = createGoogleGenerativeAI({ apiKey: 'any', baseURL: `${sim.url}/v1beta` })
      const tools = toAiSdkTools(session)
      const { text } = await generateText({
        model: google('any'),
        prompt: ASK,
        tools,
        prepareStep: prepareFoundTools(session, tools),
        stopWhen: stepCountIs(9),
      })
      return text
    },
  },
}

async function open(options = {}) {
  const sim = await startSimulator({ scenario: SCENARIO })
  afterTest(() => sim.close())
  const calls = []
  const onToolCall = ({ name, args }) => calls.push({ name, args: typeof args === 'string' ? JSON.parse(args) : args })
  const session = await many.registry.createSession({ mode: 'text', toolSearch: 'gate', onToolCall, ...options })
  return { sim, session, calls }
}

/** Each request declares what was found before it: the tool of a call is declared by the request that the call answers. */
function expectGrowth(declared) {
  expect(declared).toHaveLength(EXPECTED_CALLS.length + 1)
  expect(declared[0]).toEqual(Object.keys(META_TOOLS))
  for (const [index, { name }] of EXPECTED_CALLS.entries()) expect(declared[index]).toContain(name)
  for (const [index, { name }] of THREE_NEEDS.entries()) expect(declared[2 * index]).not.toContain(name)
  expect(declared.at(-1).length).toBeLessThanOrEqual(2 + 3 * THREE_NEEDS.length)
}

test.each(Object.entries(WIRES))('%s', async (_name, { play, namesIn }) => {
  const { sim, session, calls } = await open()
  expect(await play(sim, session)).toBe('Done with T-12.')
  expect(calls).toEqual(EXPECTED_CALLS)
  expectGrowth(sim.received.map(namesIn))
  expect(sim.anomalies).toEqual([])
})

test('OpenAI Realtime: the tools of the connection are updated before the search is answered', async () => {
  const sim = await startSimulator({ scenario: SCENARIO })
  afterTest(() => sim.close())
  const calls = []
  const socket = new WebSocket(`${sim.url.replace('http', 'ws')}/v1/realtime?model=any`)
  afterTest(() => socket.terminate())
  await once(socket, 'open')
  const send = event => socket.send(JSON.stringify(event))
  const transport = new OpenAIRealtimeTransport({ send })
  const declared = () => session.declared('openaiRealtime')
  const session = await many.registry.createSession({
    mode: 'voice',
    policy: { totalCalls: 20 },
    toolSearch: 'gate',
    onToolCall: ({ name, args }) => calls.push({ name, args: JSON.parse(args) }),
    onToolsFound: () => transport.updateTools(declared()),
  })
  const said = new Promise(resolve => {
    let text = ''
    socket.on('message', async data => {
      const event = JSON.parse(data)
      text += event.type === 'response.output_text.delta' ? event.delta : ''
      await answersTo(transport.receiveToolCalls(event), session, transport)
      if (event.type === 'response.done' && text !== '') resolve(text)
    })
  })
  send({
    type: 'session.update',
    session: {
      type: 'realtime',
      output_modalities: ['text'],
      audio: { input: { turn_detection: null } },
      tools: declared(),
    },
  })
  const content = [{ type: 'input_text', text: ASK }]
  send({ type: 'conversation.item.create', item: { type: 'message', role: 'user', content } })
  send({ type: 'response.create' })
  expect(await said).toBe('Done with T-12.')
  expect(calls).toEqual(EXPECTED_CALLS)
  expectGrowth(toolsAtEachResponse(sim))
  expect(sim.anomalies).toEqual([])
})

/** The names of the tools that the connection had when the model was asked to continue. */
function toolsAtEachResponse(sim) {
  let names = []
  return sim.received.flatMap(({ protocol, json }) => {
    if (protocol !== 'realtime') return []
    if (json.type === 'session.update') names = json.session.tools.map(({ name }) => name)
    return json.type === 'response.create' ? [names] : []
  })
}
