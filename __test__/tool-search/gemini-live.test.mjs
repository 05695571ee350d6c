// A conversation over Gemini Live that needs three of 500 tools. A connection keeps the tools of its setup, so the host
// connects again after a turn that found tools, with the handle of the session.
import { GoogleGenAI, Modality } from '@google/genai'

import { startSimulator } from '../../simulator/src/index.js'
import { THREE_NEEDS } from '../../bench/search/many-tools.mjs'
import { GeminiLiveTransport } from '../../js/transports/gemini-live-transport.js'
import { afterTest } from '../support/tool-set.mjs'
import { META_TOOLS, openManyTools } from './many-tools-gate.mjs'
import { answersTo } from './play.mjs'

const RULES = THREE_NEEDS.flatMap(({ query, name, args }) => [
  {
    when: { user: { contains: `Is there a tool to ${query}?` } },
    steps: [
      { emit: [{ call: { name: 'reg_search', args: { query, limit: 1 } } }] },
      { emit: [{ say: 'There is {{result.data.tools.0.toolId}}.' }] },
    ],
  },
  {
    when: { user: { contains: `Then ${query}.` }, declared: [name] },
    steps: [{ emit: [{ call: { name, args } }] }, { emit: [{ say: 'Done with {{result.data.number}}.' }] }],
  },
])

let many
beforeAll(async () => {
  many = await openManyTools()
})
afterAll(() => many.close())

/** One connection: `say` sends a turn, and resolves with what the model said once the turn is complete. */
async function connect(sim, session, handle) {
  const words = []
  const connection = { handle }
  let turnEnded
  // Messages may come before `connect` resolves.
  const transport = new GeminiLiveTransport()
  const ai = new GoogleGenAI({ apiKey: 'any', httpOptions: { baseUrl: sim.url } })
  const live = await ai.live.connect({
    model: 'any',
    config: {
      responseModalities: [Modality.TEXT],
      sessionResumption: handle === undefined ? {} : { handle },
      tools: [{ functionDeclarations: session.declared('geminiJson') }],
    },
    callbacks: { onmessage: message => receive(message) },
  })
  transport.attach(live)
  afterTest(() => live.close())
  async function receive(message) {
    words.push(...(message.serverContent?.modelTurn?.parts ?? []).map(({ text = '' }) => text))
    connection.handle = message.sessionResumptionUpdate?.newHandle ?? connection.handle
    await answersTo(transport.receiveToolCalls(message), session, transport)
    // The handle of a turn follows its end.
    if (message.sessionResumptionUpdate && words.length > 0) turnEnded?.(words.splice(0).join(''))
  }
  connection.say = text => {
    const said = new Promise(resolve => {
      turnEnded = resolve
    })
    live.sendClientContent({ turns: text })
    return said
  }
  connection.close = () => live.close()
  return connection
}

test('tools that one connection found are declared by the next one of the session', async () => {
  const sim = await startSimulator({ scenario: { settings: { label: '' }, rules: RULES } })
  afterTest(() => sim.close())
  const calls = []
  let hasNewTools = false
  const session = await many.registry.createSession({
    mode: 'voice',
    toolSearch: 'gate',
    onToolCall: ({ name, args }) => calls.push({ name, args: typeof args === 'string' ? JSON.parse(args) : args }),
    onToolsFound: () => {
      hasNewTools = true
    },
  })
  const said = []
  let connection = await connect(sim, session)
  for (const { query } of THREE_NEEDS) {
    for (const text of [`Is there a tool to ${query}?`, `Then ${query}.`]) {
      await session.beginTurn()
      if (hasNewTools) {
        connection.close()
        connection = await connect(sim, session, connection.handle)
        hasNewTools = false
      }
      said.push(await connection.say(text))
    }
  }
  expect(said).toEqual(THREE_NEEDS.flatMap(({ name, args }) => [`There is ${name}.`, `Done with ${args.number}.`]))
  expect(calls).toEqual(
    THREE_NEEDS.flatMap(({ query, name, args }) => [
      { name: 'reg_search', args: { query, limit: 1 } },
      { name, args },
    ]),
  )
  const declared = sim.live.connections.map(({ setup }) => setup.tools[0].functionDeclarations.map(({ name }) => name))
  const meta = Object.keys(META_TOOLS)
  const found = THREE_NEEDS.map(({ name }) => name)
  expect(declared.map(names => names.toSorted())).toEqual(
    [0, 1, 2, 3].map(count => [...meta, ...found.slice(0, count)].toSorted()),
  )
  expect(sim.anomalies).toEqual([])
})
