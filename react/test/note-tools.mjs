// One tool, built by the real compiler.
import assert from 'node:assert/strict'
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { buildTools, formatReport } from 'toolgate'

const SCHEMA = {
  toolId: 'leave_note',
  version: '1.0.0',
  title: 'Leave a note',
  description: 'Leaves a note.',
  category: 'action',
  sideEffects: 'writes',
  idempotent: false,
  requiresConfirmation: true,
  allowedModes: ['text'],
  latencyBudgetMs: 1000,
  parameters: { type: 'object', additionalProperties: false, properties: { text: { type: 'string' } } },
}

/** Gives the artifact's path; removed with the test. */
export async function noteTools(t) {
  const folder = await mkdtemp(join(tmpdir(), 'toolgate-react-'))
  t.after(() => rm(folder, { recursive: true }))
  const tool = join(folder, 'tools', 'leave_note')
  await mkdir(tool, { recursive: true })
  await writeFile(join(folder, 'tools', 'package.json'), '{"type":"module"}')
  await writeFile(join(tool, 'schema.json'), JSON.stringify(SCHEMA))
  await writeFile(join(tool, 'guide.md'), '# leave_note\n\nLeaves a note.\n')
  await writeFile(join(tool, 'handler.js'), 'export const execute = async () => ({ ok: true, data: {} })\n')
  const report = await buildTools({ toolsDir: join(folder, 'tools'), outDir: join(folder, 'out') })
  assert.ok(report.ok, formatReport(report))
  return join(folder, 'out', 'tool_registry.json')
}
