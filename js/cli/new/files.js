'use strict'

// What the new tools of all categories have in common: the shape of a handler, and a test through the real gate.

/** Fields in the order of the documentation. */
const schema = ({ toolId, description, ...fields }) => ({ toolId, version: '0.1.0', description, ...fields })

/** @param {'module' | 'commonjs'} kind @param {string} body from `async function execute` on */
const handler = (kind, body) =>
  kind === 'module' ? `export ${body}` : `'use strict'\n\n${body}\nmodule.exports = { execute }\n`

/**
 * A test that needs nothing but Node and the package. It builds beside the tools: handlers are named relative to the artifact,
 * which no path does from another drive.
 * @param {{ toolId: string, does: string, body: string }} test `body`: what is asked and expected of `session`
 */
const test = ({ toolId, does, body }) => `import assert from 'node:assert/strict'
import { mkdtemp, rm } from 'node:fs/promises'
import path from 'node:path'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'

import { buildTools, createRegistry, formatReport } from 'toolgate'

const toolsDir = fileURLToPath(new URL('..', import.meta.url))

/** A session over the tools as they are now. */
async function openSession(t) {
  const outDir = await mkdtemp(path.join(toolsDir, '.test-'))
  t.after(() => rm(outDir, { recursive: true, force: true }))
  const report = await buildTools({ toolsDir, outDir })
  assert.ok(report.ok, formatReport(report))
  const registry = createRegistry({ artifact: path.join(outDir, 'tool_registry.json') })
  await registry.load()
  t.after(() => registry.close())
  return registry.createSession({ mode: 'text' })
}

test('${does}', async t => {
  const session = await openSession(t)
${body}})

test('arguments that the schema rejects never reach the handler', async t => {
  const session = await openSession(t)
  const response = await session.execute({ name: '${toolId}', args: { unknown: true } })
  assert.equal(response.error.type, 'VALIDATION')
})
`

module.exports = { handler, schema, test }
