// What the measurements of growth have in common: a registry with few tools on a store, and calls that are timed in turns.
import { compileToolSet } from '../tool-set.mjs'
import { latenciesOf, median } from '../statistics.mjs'
import { toolgate } from '../toolgate.mjs'

const textOf = maxLength => ({
  type: 'object',
  properties: { text: { type: 'string', maxLength, description: 'The text of the note.' } },
  required: ['text'],
  additionalProperties: false,
})

/** `schema.json` of a write that runs at once. */
export const note = {
  toolId: 'note',
  version: '1.0.0',
  description: 'Keeps a note.',
  category: 'action',
  sideEffects: 'writes',
  requiresConfirmation: false,
  idempotent: false,
  allowedModes: ['text'],
  latencyBudgetMs: 1000,
  lintAccepted: ['writes-without-confirmation'],
  parameters: textOf(200),
}

const longNote = {
  ...note,
  toolId: 'long_note',
  description: 'Keeps a long note after its user has agreed.',
  requiresConfirmation: true,
  lintAccepted: [],
  parameters: textOf(2 ** 21),
}

/** Budgets are lifted: a session has thousands of calls. */
export const policy = { retrievalCalls: 1e9, totalCalls: 1e9 }

/**
 * Runs with a registry of the two notes.
 *
 * @template T
 * @param {{ store?: import('../../index.js').StoreChoice, maxSessions?: number }} options
 * @param {(registry: import('../../index.js').ToolRegistry) => Promise<T>} run
 * @returns {Promise<T>}
 */
export async function withNotes({ store = 'memory', maxSessions }, run) {
  const toolSet = await compileToolSet([note, longNote])
  const handlers = Object.fromEntries(
    [note, longNote].map(({ toolId }) => [toolId, async ({ args }) => ({ ok: true, data: args.text.length })]),
  )
  const limits = { maxArgsBytes: 2 ** 22, ...(maxSessions === undefined ? {} : { maxSessions }) }
  const registry = toolgate.createRegistry({ artifact: toolSet.path, handlers, audit: 'none', store, limits })
  try {
    await registry.load()
    return await run(registry)
  } finally {
    await registry.close()
    toolSet.remove()
  }
}

/** A call of a session, recorded under a hash of its content. @param {number | string} id @param {string} [text] */
export const noteCall = (id, text = `a note about account ${id}`) => ({
  name: 'note',
  args: { text },
})

/** Its answer must be a success. @param {import('../../index.js').Session} session @param {object} call */
export async function succeed(session, call) {
  const answer = await session.execute(call)
  if (!answer.ok) throw new Error(`${answer.error.type}: ${answer.error.message}`)
}

/**
 * @typedef {{ few: import('../statistics.mjs').Latencies, many: import('../statistics.mjs').Latencies, ratio: number }} Growth
 *   the latencies of an operation with few and with many of something, and the middle ratio of the medians of each round
 */

/**
 * Times an operation in a session with few and in one with many of something, in turns, so that both meet the same machine.
 *
 * @param {{ rounds: number, samples: number, open(kind: 'few' | 'many', round: number): Promise<(n: number) => Promise<unknown>> }} options
 *   `open` prepares a session and returns its operation
 * @returns {Promise<Growth>}
 */
export async function compareInTurns({ rounds, samples, open }) {
  const all = { few: [], many: [] }
  const ratios = []
  for (let round = 0; round < rounds; round++) {
    const operations = { few: await open('few', round), many: await open('many', round) }
    const times = { few: [], many: [] }
    for (let n = 0; n < samples; n++)
      for (const kind of n % 2 === 0 ? ['few', 'many'] : ['many', 'few']) {
        const started = performance.now()
        await operations[kind](n)
        times[kind].push(performance.now() - started)
      }
    ratios.push(median(times.many) / median(times.few))
    all.few.push(...times.few)
    all.many.push(...times.many)
  }
  return { few: latenciesOf(all.few), many: latenciesOf(all.many), ratio: median(ratios) }
}
