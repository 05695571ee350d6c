// The tools beside this file, built by the real compiler.
import assert from 'node:assert/strict'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { buildTools, formatReport } from 'toolgate'

/** Builds `test/tools` into a folder of its own, removed with the test; gives the artifact's path. */
export async function buildTestTools(t) {
  const outDir = await mkdtemp(join(tmpdir(), 'toolgate-web-'))
  t.after(() => rm(outDir, { recursive: true }))
  const report = await buildTools({ toolsDir: fileURLToPath(new URL('tools', import.meta.url)), outDir })
  assert.ok(report.ok, formatReport(report))
  return join(outDir, 'tool_registry.json')
}
