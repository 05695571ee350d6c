// The conversation of docs/transports.md, as it is written there, against the simulator.
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import OpenAI from 'openai'
import { startSimulator } from '../../simulator/src/index.js'
import { openGate } from '../support/gate.mjs'

const { OpenAITransport } = createRequire(import.meta.url)('../../js/transports/openai-transport.js')

const page = readFileSync(new URL('../../docs/transports.md', import.meta.url), 'utf8')
const [, code] = page.match(/## A conversation\n[\s\S]*?```js\n([\s\S]*?)```/)

const steps = (name, args) => [
  { emit: [{ say: 'One moment. ' }, { call: { name, args } }] },
  { emit: [{ say: '{{result.ok}} {{result.error.type|}}' }] },
]
const rules = [
  { when: { user: 'list' }, steps: steps('list', {}) },
  { when: { user: 'add' }, steps: steps('add', { n: 1 }) },
]

test.each([
  ['one transport', false],
  ['a transport and a session object per request', true],
])('twelve user messages, some with a write that is asked about, some denied: %s', async (_how, isPerRequest) => {
  const runs = []
  const gate = await openGate({
    list: { kind: 'read', properties: {}, execute: () => ({ ok: true, data: {} }) },
    add: {
      kind: 'write',
      properties: { n: { type: 'integer' } },
      requiresConfirmation: true,
      execute: ({ args }) => {
        runs.push(args)
        return { ok: true, data: {} }
      },
    },
  })
  const sim = await startSimulator({ scenario: { settings: { label: '' }, rules } })
  try {
    const openai = new OpenAI({ apiKey: 'any', baseURL: `${sim.url}/v1` })
    const reply = new Function('openai', 'model', `${code}; return reply`)(openai, 'any')
    const messages = []
    const asked = []
    let session
    let transport
    for (let count = 0; count < 12; count += 1) {
      if (session === undefined || isPerRequest) {
        await session?.detach()
        session = await gate.session({ sessionId: 'conversation' })
        transport = new OpenAITransport()
      }
      const showQuestion = async preview => asked.push(preview) !== 2
      const userMessage = { id: `message-${count}`, text: count % 4 === 3 ? 'add' : 'list' }
      await reply({ session, transport, messages, userMessage, showQuestion })
    }
    const said = messages
      .filter(({ role, tool_calls }) => role === 'assistant' && !tool_calls)
      .map(m => m.content.trim())
    expect(said.filter(text => text !== 'true')).toEqual(['false CONFIRMATION_REQUIRED'])
    expect([asked.length, runs.length, sim.anomalies]).toEqual([3, 2, []])
  } finally {
    await sim.close()
  }
})
