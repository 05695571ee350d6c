// Registries of random tools, whose handlers return their arguments.
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'

import { buildTools, compileTool, createRegistry } from '../index.js'
import { DRAFTS } from './drafts.mjs'
import { randomSchema } from './schemas.mjs'

const HANDLER = 'export function execute({ args }) { return { ok: true, data: args } }\n'

/**
 * A tool whose schema, in draft 2020-12, a tool folder can have; null if the generated one has errors.
 * @param {import('./random.cjs').Random} random
 */
export function randomTool(random) {
  const schema = randomSchema(random, random.pick(DRAFTS), { hasDefaults: true })
  const parameters = { ...schema, type: 'object', additionalProperties: false }
  const compiled = compileTool({ name: 'fuzz', description: 'A random schema.', parameters })
  return compiled.jsonSchema?.additionalProperties === false ? compiled : null
}

/**
 * Compiles one tool for each schema (`tool_0`, `tool_1`, …), and loads them.
 * @param {any[]} schemas
 * @param {(registry: any) => Promise<void>} use
 */
export async function withRegistry(schemas, use) {
  const folder = mkdtempSync(path.join(tmpdir(), 'toolgate-fuzz-'))
  try {
    const artifact = await buildFolder(folder, schemas)
    const registry = createRegistry({ artifact, audit: 'none', repair: false })
    await registry.load()
    await use(registry)
    await registry.close()
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

/** Compiles one tool for each schema in the folder. @param {string} folder @param {any[]} schemas @returns the artifact's path */
export async function buildFolder(folder, schemas) {
  schemas.forEach((schema, index) => writeTool(path.join(folder, `tool_${index}`), `tool_${index}`, schema))
  const report = await buildTools({ toolsDir: folder, providers: ['mcp'] })
  if (!report.ok)
    throw new Error(JSON.stringify(report.diagnostics.filter(({ severity }) => severity === 'error').slice(0, 3)))
  return path.join(folder, 'tool_registry.json')
}

/** @param {string} home @param {string} toolId @param {any} parameters */
function writeTool(home, toolId, parameters) {
  mkdirSync(home)
  const definition = {
    toolId,
    version: '1.0.0',
    description: 'A random schema.',
    category: 'utility',
    sideEffects: 'none',
    idempotent: true,
    requiresConfirmation: false,
    allowedModes: ['text'],
    latencyBudgetMs: 600_000,
    parameters,
  }
  writeFileSync(path.join(home, 'schema.json'), JSON.stringify(definition))
  writeFileSync(path.join(home, 'handler.js'), HANDLER)
  writeFileSync(path.join(home, 'guide.md'), `# ${toolId}\n\nA random schema.\n`)
}
