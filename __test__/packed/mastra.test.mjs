// The tools of a session in Mastra, from the packed package: its own agent, over a scripted model. Mastra is installed here,
// not in the repository: it has hundreds of packages.
import { cp, readFile, rm } from 'node:fs/promises'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { createProject, packPackage } from './project.mjs'

/** A write that records each of its runs. */
const CANCEL_ORDER = `
import { appendFileSync } from 'node:fs'
import { defineTool, success } from 'toolgate'
import { z } from 'zod'

export default defineTool({
  description: 'Cancel an order by its number. Use it only when the user asks for it.',
  sideEffects: 'writes',
  confirmation: { preview: 'Cancel the order {number}' },
  parameters: z.object({ number: z.string().min(1).max(20).describe('The number of the order.') }),
  execute({ args }) {
    appendFileSync('ledger.txt', args.number + '\\n')
    return success({ cancelled: args.number })
  },
})
`

const TOOLS = fileURLToPath(new URL('../../examples/openai-agents/tools/', import.meta.url))

/** Plays rounds of calls and the user's replies; prints the answers as JSON. */
const PROGRAM = `
import { Agent } from '@mastra/core/agent'
import { Mastra } from '@mastra/core'
import { InMemoryStore } from '@mastra/core/storage'
import { createRegistry } from 'toolgate'
import { toMastraTools } from 'toolgate/mastra'

const [calls, replies] = process.argv.slice(2).map(text => JSON.parse(text))
const usage = { inputTokens: 1, outputTokens: 1, totalTokens: 2 }
const toPart = ({ id, name, args }) => ({ type: 'tool-call', toolCallId: id, toolName: name, input: JSON.stringify(args) })
const rounds = calls.map(round => round.map(toPart))
const model = {
  specificationVersion: 'v2',
  provider: 'scripted',
  modelId: 'scripted',
  supportedUrls: {},
  async doStream() {
    const parts = rounds.shift()
    const text = ['text-start', 'text-delta', 'text-end'].map(type => ({ type, id: 't', delta: 'done' }))
    const stream = ReadableStream.from([
      { type: 'stream-start', warnings: [] },
      ...(parts ?? text),
      { type: 'finish', finishReason: parts ? 'tool-calls' : 'stop', usage },
    ])
    return { stream }
  },
}
model.doGenerate = () => Promise.reject(new Error('the agent is streamed'))
const registry = await createRegistry({ audit: 'none' }).load()
const session = await registry.createSession({ mode: 'text' })
const orders = new Agent({ id: 'orders', name: 'orders', instructions: 'Help.', model, tools: toMastraTools(session) })
const agent = new Mastra({ agents: { orders }, storage: new InMemoryStore(), logger: false }).getAgent('orders')
const answers = []
const previews = []
const read = async ({ fullStream, runId }) => {
  let asked = null
  for await (const { type, payload } of fullStream) {
    if (type === 'tool-result') answers.push(payload.result)
    if (type === 'tool-error') answers.push({ error: { type: String(payload.error) } })
    if (type === 'tool-call-suspended') asked = { runId, ...payload }
  }
  return asked
}
let asked = await read(await agent.stream('go'))
while (asked !== null) {
  previews.push(asked.suspendPayload.request.preview)
  const reply = replies.shift()
  if (reply === undefined) break
  asked = await read(await agent.resumeStream(reply, { runId: asked.runId, toolCallId: asked.toolCallId }))
}
const pending = (await session.listPending()).map(({ callId }) => callId)
await registry.close()
const brief = answers.map(({ ok, data, error }) => (ok ? data : error.type))
console.log('RESULT' + JSON.stringify({ answers: brief, previews, pending }))
process.exit()
`

let packed
let project

beforeAll(async () => {
  packed = await packPackage()
  project = await createProject({
    tarball: packed.tarball,
    dependencies: { '@mastra/core': '^1.0.0', zod: '^4.0.0' },
    files: { 'play.mjs': PROGRAM },
  })
  await cp(TOOLS, path.join(project.folder, 'tools'), { recursive: true })
  await project.write({ 'tools/cancel_order/tool.js': CANCEL_ORDER })
  await project.run('npx', ['toolgate', 'build'])
}, 400_000)

afterAll(async () => {
  await project?.remove()
  await packed?.remove()
})

const play = async (rounds, replies) => {
  const ledger = path.join(project.folder, 'ledger.txt')
  await rm(ledger, { force: true })
  const stdout = await project.run('node', ['play.mjs', JSON.stringify(rounds), JSON.stringify(replies)])
  const ran = await readFile(ledger, 'utf8').catch(() => '')
  return { ...JSON.parse(/^RESULT(.*)$/m.exec(stdout)[1]), ran: ran.split('\n').filter(Boolean) }
}
const cancel = { id: 'call_cancel_0001', name: 'cancel_order', args: { number: 'A-17' } }
const previews = ['Cancel the order A-17']
const cancelled = { cancelled: 'A-17' }

test.each([
  [
    'calls go through the gate as the model sent them',
    [
      [
        { id: 'call_find_0001', name: 'find_order', args: { number: 'A-17' } },
        { id: 'call_find_0002', name: 'find_order', args: { number: 17 } },
      ],
    ],
    [],
    { answers: [{ number: 'A-17', arrives: 'on Friday' }, 'VALIDATION'], previews: [], pending: [], ran: [] },
  ],
  [
    'a call that the model repeats after its approval runs once',
    [[cancel], [cancel]],
    [{ approved: true }],
    { answers: [cancelled, cancelled], previews, pending: [], ran: ['A-17'] },
  ],
  [
    'a refusal runs nothing',
    [[cancel]],
    [{ approved: false, reason: 'not today' }],
    { answers: ['CANCELLED'], previews, pending: [], ran: [] },
  ],
  [
    'a call without a reply stays pending',
    [[cancel]],
    [],
    { answers: [], previews, pending: ['call_cancel_0001'], ran: [] },
  ],
  [
    'a reply that is no decision asks again',
    [[cancel]],
    ['yes', { approved: true }],
    { answers: [cancelled], previews: [...previews, ...previews], pending: [], ran: ['A-17'] },
  ],
])(
  '%s',
  async (_, rounds, replies, result) => {
    expect(await play(rounds, replies)).toEqual(result)
  },
  60_000,
)
