// One write, `pay`, which takes no arguments, and its use with a store that may be faulty: each operation ends in time, with
// an answer or a typed error.
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'

import { buildTools, createRegistry } from '../index.js'

const CLOSE_MS = 100
const MAX_OPERATION_MS = 1000

const DEFINITION = {
  toolId: 'pay',
  version: '1.0.0',
  description: 'Pays a fixed amount.',
  category: 'action',
  sideEffects: 'writes',
  idempotent: false,
  requiresConfirmation: false,
  lintAccepted: ['writes-without-confirmation'],
  allowedModes: ['text'],
  latencyBudgetMs: 600_000,
  parameters: { type: 'object', additionalProperties: false, properties: {} },
}

/**
 * Compiles it.
 * @param {object} [fields] of its definition, to set
 * @returns the artifact's path; the file is removed when the process ends
 */
export async function artifactOf(fields = {}) {
  const folder = mkdtempSync(path.join(tmpdir(), 'toolgate-fuzz-'))
  process.once('exit', () => rmSync(folder, { recursive: true, force: true }))
  const home = path.join(folder, 'pay')
  mkdirSync(home)
  writeFileSync(path.join(home, 'schema.json'), JSON.stringify({ ...DEFINITION, ...fields }))
  writeFileSync(path.join(home, 'handler.js'), 'export function execute() { return { ok: true } }\n')
  writeFileSync(path.join(home, 'guide.md'), '# pay\n\nPays a fixed amount.\n')
  const report = await buildTools({ toolsDir: folder, providers: ['mcp'] })
  if (!report.ok) throw new Error(JSON.stringify(report.diagnostics))
  return path.join(folder, 'tool_registry.json')
}

/** @type {string | undefined} */
let artifact

/** Loads a registry, and pays in the session `fuzz`. @param {any} store @returns {Promise<string>} the outcome */
export async function payWith(store) {
  artifact ??= await artifactOf()
  const handlers = { pay: () => ({ ok: true }) }
  const registry = createRegistry({ artifact, store, audit: 'none', onLog() {}, handlers })
  try {
    return await pay(registry)
  } finally {
    await registry.close({ timeoutMs: CLOSE_MS })
  }
}

/** @param {any} registry */
async function pay(registry) {
  const loaded = await inTime('load', () => registry.load())
  if (loaded.error !== undefined) return `load ${loaded.error}`
  const made = await inTime('createSession', () => registry.createSession({ sessionId: 'fuzz', mode: 'text' }))
  if (made.error !== undefined) return `createSession ${made.error}`
  const call = { id: 'call_fuzz_0001', name: 'pay', args: {} }
  const { value } = await inTime('execute', () => made.value.execute(call))
  if (typeof value?.ok !== 'boolean') throw new Error('a call has no answer')
  return value.ok ? 'answered' : value.error.type
}

/** @param {string} name @param {() => Promise<any>} operation */
async function inTime(name, operation) {
  const start = performance.now()
  const result = await operation().then(
    value => ({ value, error: undefined }),
    error => ({ value: undefined, error: typedError(error) }),
  )
  const ms = Math.round(performance.now() - start)
  if (ms > MAX_OPERATION_MS) throw new Error(`${name} took ${ms} ms`)
  return result
}

/** The error's code or type; an error without one is a fault. @param {any} error */
function typedError(error) {
  if (typeof error.code === 'string' && error.name === 'RegistryLoadError') return error.code
  if (typeof error.type === 'string') return error.type
  if (error.name === 'RegistryVersionMismatch') return error.name
  throw error
}
