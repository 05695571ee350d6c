// Random histories of a session over two registries on one file, of one process or of two: calls, edits, grants, revocations,
// forgeries, double answers, approvers, expiries and reloads, beside a sequential model. What runs must be what the model says, act by act.
import assert from 'node:assert/strict'
import { dirname, join } from 'node:path'

import { compileToolSet } from '../../../bench/tool-set.mjs'
import { toolgate } from '../../../bench/toolgate.mjs'
import { History } from './history.mjs'
import { RegistryProcess } from './registry-process.mjs'

const TEXT = { type: 'string', maxLength: 20, description: 'Who gets it.' }
const AMOUNT = { type: 'integer', minimum: 1, maximum: 999_999, description: 'How much.' }
const tool = (toolId, confirmation) => ({
  toolId,
  version: '1.0.0',
  category: 'action',
  description: `Moves money as ${toolId} does. Use it when the user asks for it.`,
  sideEffects: 'writes',
  idempotent: false,
  requiresConfirmation: true,
  duplicate: false,
  allowedModes: ['text'],
  latencyBudgetMs: 600_000,
  parameters: {
    type: 'object',
    additionalProperties: false,
    properties: { to: TEXT, amount: AMOUNT },
    required: ['to', 'amount'],
  },
  confirmation: { preview: 'Pay {amount} to {to}', ...confirmation },
})
const TOOLS = [
  tool('pay', { grantable: 'tool' }),
  tool('move', { approvers: { roles: ['manager'], count: 2 } }),
  // A user does not answer within a millisecond: each of its questions expires.
  tool('flash', { ttlMs: 1 }),
]

/** Histories that are played at once; of every fifth lot, one registry is closed, or its process killed, and opened again in the middle. */
const AT_ONCE = 8
const LOTS_PER_REOPENING = 5

/**
 * @param {{ seed: number, histories: number, steps?: number, processes?: 1 | 2 }} options
 * @returns {Promise<Record<string, number>>} how many of each act there were; `unshown`: runs of what was neither shown nor granted
 * @throws Error that names seed, history and acts, if an answer or a run is not the model's
 */
export async function runHistories({ seed, histories, steps = 14, processes = 1 }) {
  const toolSet = await compileToolSet(TOOLS)
  const stage = { runs: new Map(), counts: {}, registries: [] }
  const open = place => (place < processes - 1 ? startRegistry : openRegistry)(toolSet.path, stage.runs)
  try {
    stage.registries = [await open(0), await open(1)]
    for (let first = 0; first < histories; first += AT_ONCE) {
      const numbers = Array.from({ length: Math.min(AT_ONCE, histories - first) }, (_, place) => first + place)
      const lot = numbers.map(number => new History(stage, seed, number))
      await Promise.all(lot.map(history => history.play(steps / 2)))
      const lotNumber = first / AT_ONCE
      if (lotNumber % LOTS_PER_REOPENING === 0) await reopen(stage, lot, lotNumber % 2, open)
      await Promise.all(lot.map(history => history.play(steps / 2)))
      await Promise.all(lot.map(history => history.end()))
    }
    assert.equal(stage.counts.unshown ?? 0, 0)
    return { histories, ...stage.counts, unshown: 0 }
  } finally {
    await Promise.all(stage.registries.map(registry => registry.close({ timeoutMs: 0 })))
    toolSet.remove()
  }
}

/** @param {string} artifact @param {Map<string, object[]>} runs by session */
function openRegistry(artifact, runs) {
  const execute =
    name =>
    ({ args, session }) => {
      runs.get(session.sessionId).push({ tool: name, ...args })
      return { ok: true, data: args }
    }
  const handlers = Object.fromEntries(TOOLS.map(({ toolId }) => [toolId, execute(toolId)]))
  return toolgate.createRegistry({ artifact, handlers, store: storeOf(artifact), audit: 'none' }).load()
}

/** A registry in a process of its own. @param {string} artifact @param {Map<string, object[]>} runs by session */
function startRegistry(artifact, runs) {
  const opened = { artifact, store: storeOf(artifact), tools: TOOLS.map(({ toolId }) => toolId) }
  return RegistryProcess.start(opened, (sessionId, run) => runs.get(sessionId).push(run))
}

const storeOf = artifact => ({ file: join(dirname(artifact), 'sessions.sqlite') })

async function reopen({ registries }, lot, place, open) {
  const { [place]: registry } = registries
  await (registry instanceof RegistryProcess ? registry.kill() : registry.close())
  registries[place] = await open(place)
  await Promise.all(lot.map(history => history.attach(place)))
}
