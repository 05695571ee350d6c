// The conversations that an adapter's framework plays through the gate, from the packed package. Frameworks are installed in folders
// of their own, not in the repository: each has hundreds of packages.
import { cp, readFile } from 'node:fs/promises'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { installPeers } from '../peers/install.mjs'
import { installFrameworks } from './install-frameworks.mjs'
import { createProject, packPackage } from './project.mjs'

const TOOLS = fileURLToPath(new URL('../../examples/openai-agents/tools/', import.meta.url))

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

/** Before a framework's program: the session, and what its program reads and fills. */
const HEAD = `
import { createRegistry } from 'toolgate'

const { rounds, replies } = globalThis.conversation
const registry = await createRegistry({ audit: 'none' }).load()
const session = await registry.createSession({ mode: 'text' })
const answers = []
const previews = []
const progress = []
`

/** After it: what came of the calls. */
const TAIL = `
const pending = (await session.listPending()).length
await registry.close()
const brief = answers.map(({ ok, data, error }) => (ok ? data : error.type))
export const result = { answers: brief, previews, pending, ...(progress.length > 0 && { progress }) }
`

/** Plays each conversation in a module of its own, in one process: most of its time goes into loading the framework. */
const PLAY_ALL = `
import { readFileSync, writeFileSync } from 'node:fs'

const results = {}
for (const [name, conversation] of Object.entries(JSON.parse(process.argv[2]))) {
  writeFileSync('ledger.txt', '')
  globalThis.conversation = conversation
  const played = await import('./conversation.mjs?' + encodeURIComponent(name)).catch(error => ({ result: { failed: error.stack } }))
  results[name] = { ...played.result, ran: readFileSync('ledger.txt', 'utf8').split('\\n').filter(Boolean) }
}
writeFileSync('results.json', JSON.stringify(results))
process.exit()
`

const cancel = { id: 'call_cancel_0001', name: 'cancel_order', args: { number: 'A-17' } }
const previews = ['Cancel the order A-17']
const cancelled = { cancelled: 'A-17' }
/** The answer to an equal call: its user is asked once. */
const EQUAL = 'CONFIRMATION_REQUIRED'

/**
 * What the model calls in each of its replies, what the user replies to each question, and what must come of it. A reply is
 * `{ approved, reason }`; `ran` are the writes that ran.
 */
const conversations = {
  'calls go through the gate as the model sent them': {
    rounds: [
      [
        { id: 'call_find_0001', name: 'find_order', args: { number: 'A-17' } },
        { id: 'call_find_0002', name: 'find_order', args: { number: ['A-17', 'A-18'] } },
      ],
    ],
    replies: [],
    result: { answers: [{ number: 'A-17', arrives: 'on Friday' }, 'VALIDATION'], previews: [], pending: 0, ran: [] },
  },
  'a call that the model repeats after its approval runs once': {
    rounds: [[cancel], [cancel]],
    replies: [{ approved: true }],
    result: { answers: [cancelled, cancelled], previews, pending: 0, ran: ['A-17'] },
  },
  'of several calls that wait, each has its reply': {
    rounds: [[cancel, { ...cancel, id: 'call_cancel_0002', args: { number: 'B-18' } }]],
    replies: [{ approved: true }, { approved: true }],
    result: {
      answers: [cancelled, { cancelled: 'B-18' }],
      previews: [...previews, 'Cancel the order B-18'],
      pending: 0,
      ran: ['A-17', 'B-18'],
    },
  },
  'equal calls of one message are one question, and a yes runs one': {
    rounds: [[cancel, { ...cancel, id: 'call_cancel_0002' }]],
    replies: [{ approved: true }],
    result: { answers: [cancelled, EQUAL], previews, pending: 0, ran: ['A-17'] },
  },
  'equal calls of one message are one question, and a no runs none': {
    rounds: [[cancel, { ...cancel, id: 'call_cancel_0002' }]],
    replies: [{ approved: false }],
    result: { answers: ['CANCELLED', EQUAL], previews, pending: 0, ran: [] },
  },
  'a refusal runs nothing': {
    rounds: [[cancel]],
    replies: [{ approved: false, reason: 'not today' }],
    result: { answers: ['CANCELLED'], previews, pending: 0, ran: [] },
  },
  'a call without a reply stays pending': {
    rounds: [[cancel]],
    replies: [],
    result: { answers: [], previews, pending: 1, ran: [] },
  },
  'a reply that is no decision asks again': {
    rounds: [[cancel]],
    replies: ['yes', { approved: true }],
    result: { answers: [cancelled], previews: [...previews, ...previews], pending: 0, ran: ['A-17'] },
  },
}

/**
 * Declares the tests of an adapter.
 *
 * @param {object} adapter
 * @param {Record<string, Record<string, string>>} adapter.dependencies the framework: its `lowest` version
 * @param {Record<string, string>} [adapter.others] packages that its lowest version needs
 * @param {string} adapter.program plays `rounds` and `replies` with the tools of `session`; fills `answers` and `previews`
 * @param {Record<string, object>} [adapter.results] by conversation, where this framework's differs
 * @param {Record<string, object>} [adapter.own] conversations of this framework alone
 * @param {Record<string, string>} [adapter.files] more files of the project, such as tools for them
 */
export function testAgentConversations({ dependencies, others = {}, ...adapter }) {
  describe('lowest version', () => {
    testVersion({ install: () => installPeers({ ...dependencies.lowest, ...others }), ...adapter })
  })
  describe('newest version', () => testVersion({ install: installFrameworks, ...adapter }))
}

function testVersion({ install, program, results = {}, own = {}, files = {} }) {
  const all = { ...conversations, ...own }
  let played

  beforeAll(async () => {
    const packed = await packPackage()
    const project = await createProject({
      tarball: packed.tarball,
      dependencies: { zod: '^4.0.0' },
      place: await install(),
      files: { 'conversation.mjs': HEAD + program + TAIL, 'play-all.mjs': PLAY_ALL },
    })
    try {
      await cp(TOOLS, path.join(project.folder, 'tools'), { recursive: true })
      await project.write({ 'tools/cancel_order/tool.js': CANCEL_ORDER, ...files })
      await project.run('npx', ['toolgate', 'build'])
      await project.run('node', ['play-all.mjs', JSON.stringify(all)])
      played = JSON.parse(await readFile(path.join(project.folder, 'results.json'), 'utf8'))
    } finally {
      await project.remove()
      await packed.remove()
    }
  }, 1_200_000)

  test.each(Object.entries(all))('%s', (name, { result }) => {
    expect(played[name]).toEqual({ ...result, ...results[name] })
  })
}
