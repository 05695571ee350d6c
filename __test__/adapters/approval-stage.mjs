// Two gates on one store, whose tools differ: as of a server that is replaced while its users are asked.
import { join } from 'node:path'

import { RegistryProcess } from '../acts/support/registry-process.mjs'
import { createRegistry } from '../../index.js'
import { temporaryFolder, toolSet } from '../support/tool-set.mjs'

const MONEY = { to: { type: 'string', maxLength: 20 }, amount: { type: 'integer', minimum: 1, maximum: 999_999 } }
const ASKS = { kind: 'write', requiresConfirmation: true, properties: MONEY, required: ['to', 'amount'] }
const SESSION_LONG = { key: ['/to', '/amount'], windowMs: 600_000, scope: 'session', on: 'ask' }
const text = preview => ({ confirmation: { preview } })

/** The tools of each gate: the same, with another text, with another argument, and one that asks about what it has done alone. */
const toolsOf = place => ({
  move: { ...ASKS, duplicate: SESSION_LONG, ...text('Move {amount} to {to}') },
  pay: { ...ASKS, duplicate: SESSION_LONG, ...text(place === 0 ? 'Pay {amount} to {to}' : 'Send {amount} to {to}') },
  book: {
    ...ASKS,
    ...text('Book {amount} for {to}'),
    ...(place === 1 && { properties: { ...MONEY, express: { type: 'boolean', default: true } } }),
  },
  log: { ...ASKS, requiresConfirmation: false, duplicate: SESSION_LONG, ...text('Log {amount} of {to}') },
})
export const TOOLS = Object.keys(toolsOf(0))

/** Changed arguments as either gate runs them: its definition fills in what they lack. @param {string} tool @param {object} args */
export const filledIn = (tool, args) =>
  [0, 1].map(place => {
    const defaults = Object.entries(toolsOf(place)[tool].properties).filter(([, schema]) => 'default' in schema)
    return { ...Object.fromEntries(defaults.map(([name, schema]) => [name, schema.default])), ...args }
  })

/**
 * @param {1 | 2} processes of two, the first gate is one of its own
 * @returns {Promise<{ runs: Map<string, object[]>, registries: object[], attach(place: number, sessionId: string): Promise<object>, close(): Promise<void> }>}
 *   `runs`: by session
 */
export async function openStage(processes) {
  const runs = new Map()
  const store = { file: join(temporaryFolder(), 'sessions.sqlite') }
  const artifacts = [(await toolSet(toolsOf(0))).artifact, (await toolSet(toolsOf(1))).artifact]
  const registries = await Promise.all(artifacts.map(artifact => openRegistry(artifact, store, runs)))
  const opened = { artifact: artifacts[0], store, tools: TOOLS, environment: 'production' }
  const child = processes === 2 ? await RegistryProcess.start(opened, (id, run) => runs.get(id).push(run)) : null
  /** A session of the other process has its declarations from a registry of the same tools here. */
  const attach = async (place, sessionId) => {
    const registry = registries[place]
    const given = { mode: 'text', sessionId, principal: 'ada', policy: { totalCalls: 10_000 } }
    if (place === 1 || child === null) return registry.createSession(given)
    const methods = await child.createSession(given)
    return { ...methods, registry, sessionId, mode: 'text', roles: [], services: [], isDeclared: () => true }
  }
  const close = async () => {
    await child?.close()
    await Promise.all(registries.map(registry => registry.close({ timeoutMs: 0 })))
  }
  return { runs, registries, attach, close }
}

/** @param {string} artifact @param {object} store @param {Map<string, object[]>} runs by session */
function openRegistry(artifact, store, runs) {
  const execute =
    tool =>
    ({ args, session }) => {
      runs.get(session.sessionId).push({ tool, ...args })
      return { ok: true, data: args }
    }
  const handlers = Object.fromEntries(TOOLS.map(tool => [tool, execute(tool)]))
  return createRegistry({ artifact, handlers, store, environment: 'production', audit: 'none' }).load()
}
