// The conversations that an adapter's framework plays through the gate, from the packed package. Frameworks are installed in folders
// of their own, not in the repository: each has hundreds of packages.
import { cp, readFile, rm } from 'node:fs/promises'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { installPeers } from '../peers/install.mjs'
import { createProject, packPackage } from './project.mjs'

export const TOOLS = fileURLToPath(new URL('../../examples/openai-agents/tools/', import.meta.url))

/** A write that records each of its runs. */
export const CANCEL_ORDER = `
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
export const HEAD = `
import { createRegistry } from 'toolgate'

const [rounds, replies] = process.argv.slice(2).map(text => JSON.parse(text))
const registry = await createRegistry({ audit: 'none' }).load()
const session = await registry.createSession({ mode: 'text' })
const answers = []
const previews = []
const progress = []
`

/** After it: what came of the calls. */
export const TAIL = `
const pending = (await session.listPending()).length
await registry.close()
const brief = answers.map(({ ok, data, error }) => (ok ? data : error.type))
console.log('RESULT' + JSON.stringify({ answers: brief, previews, pending, ...(progress.length > 0 && { progress }) }))
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
export const conversations = {
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
 * @param {Record<string, Record<string, string>>} adapter.dependencies the framework, by what its versions are
 * @param {Record<string, string>} [adapter.others] packages that each of its versions needs
 * @param {string} adapter.program plays `rounds` and `replies` with the tools of `session`; fills `answers` and `previews`
 * @param {Record<string, object>} [adapter.results] by conversation, where this framework's differs
 * @param {Record<string, object>} [adapter.own] conversations of this framework alone
 * @param {Record<string, string>} [adapter.files] more files of the project, such as tools for them
 */
export function testAgentConversations({ dependencies, ...adapter }) {
  describe.each(Object.entries(dependencies))('%s version', (_which, packages) => {
    testVersion({ packages, ...adapter })
  })
}

function testVersion({ packages, others = {}, program, results = {}, own = {}, files = {} }) {
  let packed
  let project

  beforeAll(async () => {
    packed = await packPackage()
    project = await createProject({
      tarball: packed.tarball,
      dependencies: { zod: '^4.0.0' },
      place: await installPeers({ ...packages, ...others }),
      files: { 'play.mjs': HEAD + program + TAIL },
    })
    await cp(TOOLS, path.join(project.folder, 'tools'), { recursive: true })
    await project.write({ 'tools/cancel_order/tool.js': CANCEL_ORDER, ...files })
    await project.run('npx', ['toolgate', 'build'])
  }, 1_200_000)

  afterAll(async () => {
    await project?.remove()
    await packed?.remove()
  })

  const play = async ({ rounds, replies }) => {
    const ledger = path.join(project.folder, 'ledger.txt')
    await rm(ledger, { force: true })
    const stdout = await project.run('node', ['play.mjs', JSON.stringify(rounds), JSON.stringify(replies)])
    const ran = await readFile(ledger, 'utf8').catch(() => '')
    return { ...JSON.parse(/^RESULT(.*)$/m.exec(stdout)[1]), ran: ran.split('\n').filter(Boolean) }
  }

  test.each(Object.entries({ ...conversations, ...own }))('%s', async (name, conversation) => {
    expect(await play(conversation)).toEqual({ ...conversation.result, ...results[name] })
  })
}
