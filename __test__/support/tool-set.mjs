// Tool sets of the tests: small folders in a temporary directory, compiled by the real compiler. What a tool says beside
// its defaults stands in the test.
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'

import { buildTools, formatReport } from '../../index.js'

/** What one kind of tool has in common; a latency budget that no machine exceeds keeps warnings out of answers. */
const COMMON = {
  version: '1.0.0',
  description: 'A tool of the tests.',
  requiresConfirmation: false,
  allowedModes: ['text', 'voice'],
  latencyBudgetMs: 600_000,
}
const KINDS = {
  pure: { category: 'utility', sideEffects: 'none', idempotent: true },
  read: { category: 'retrieval', sideEffects: 'read_only', idempotent: true },
  write: {
    category: 'action',
    sideEffects: 'writes',
    idempotent: false,
    lintAccepted: ['writes-without-confirmation'],
  },
}

export const ECHO_HANDLER = 'export function execute({ args }) { return { ok: true, data: args } }\n'

/** A directory that lasts as long as the test. */
export function temporaryFolder() {
  const folder = mkdtempSync(path.join(tmpdir(), 'toolgate-test-'))
  afterTest(() => rmSync(folder, { recursive: true, force: true }))
  return folder
}

const waiting = []
/** Runs when the test is over, the latest first. */
export function afterTest(undo) {
  waiting.push(undo)
}

afterEach(async () => {
  while (waiting.length > 0) await waiting.pop()()
})

/**
 * Writes tool folders.
 * @param {string} folder
 * @param {Record<string, object>} tools by toolId: `kind`, `properties`, `required`, `source` of its handler, and fields of
 *   schema.json to set
 */
export function writeTools(folder, tools) {
  for (const [
    toolId,
    { kind = 'pure', properties = {}, required = [], source = ECHO_HANDLER, execute: _, ...fields },
  ] of Object.entries(tools)) {
    const home = path.join(folder, toolId)
    mkdirSync(home, { recursive: true })
    const parameters = { type: 'object', additionalProperties: false, properties, required }
    const document = { toolId, ...COMMON, ...KINDS[kind], parameters, ...fields }
    // Most tests call a write more than once, and are about something else. `undefined` leaves the field out.
    if (document.sideEffects === 'writes' && !document.idempotent && !('duplicate' in fields))
      document.duplicate = false
    writeFileSync(path.join(home, 'schema.json'), JSON.stringify(document))
    writeFileSync(path.join(home, 'guide.md'), guide(toolId, Object.keys(properties)))
    writeFileSync(path.join(home, 'handler.js'), source)
  }
  writeFileSync(path.join(folder, 'package.json'), '{ "type": "module", "private": true }\n')
}

const guide = (toolId, parameters) =>
  `# ${toolId}\n\nServes the tests as ${toolId}.\n\n## Parameters\n\n${parameters.map(name => `- \`${name}\`: a value.\n`).join('')}\n## Examples\n\nNone.\n`

/** Compiles a folder of tools. @returns {Promise<{ artifact: string, version: string }>} */
export async function compileTools(folder) {
  const report = await buildTools({ toolsDir: folder })
  if (!report.ok) throw new Error(formatReport(report))
  return { artifact: path.join(folder, 'tool_registry.json'), version: report.version }
}

/** Writes and compiles. @returns {Promise<{ folder: string, artifact: string, version: string }>} */
export async function toolSet(tools) {
  const folder = temporaryFolder()
  writeTools(folder, tools)
  return { folder, ...(await compileTools(folder)) }
}
