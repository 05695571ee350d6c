// The artifact of one write, `pay`, which takes no arguments.
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'

import { buildTools } from '../index.js'

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

/** Compiles it. @returns its path; the file is removed when the process ends */
export async function artifactOfPayment() {
  const folder = mkdtempSync(path.join(tmpdir(), 'toolgate-fuzz-'))
  process.once('exit', () => rmSync(folder, { recursive: true, force: true }))
  const home = path.join(folder, 'pay')
  mkdirSync(home)
  writeFileSync(path.join(home, 'schema.json'), JSON.stringify(DEFINITION))
  writeFileSync(path.join(home, 'handler.js'), 'export function execute() { return { ok: true } }\n')
  writeFileSync(path.join(home, 'guide.md'), '# pay\n\nPays a fixed amount.\n')
  const report = await buildTools({ toolsDir: folder, providers: ['mcp'] })
  if (!report.ok) throw new Error(JSON.stringify(report.diagnostics))
  return path.join(folder, 'tool_registry.json')
}
