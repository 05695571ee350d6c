'use strict'

// The common parts of all templates: the form of a handler, and a test through the gate.

/**
 * Fields in the order of the documentation.
 * @param {{ toolId: string, description: string } & import('../../shared-types.js').JsonObject} fields
 */
const schema = ({ toolId, description, ...fields }) => ({ toolId, version: '0.1.0', description, ...fields })

/** @param {'module' | 'commonjs'} kind @param {string} body from `async function execute` on */
const handler = (kind, body) =>
  kind === 'module' ? `export ${body}` : `'use strict'\n\n${body}\nmodule.exports = { execute }\n`

/**
 * @typedef {{ toolId: string, kind: 'module' | 'commonjs' }} TemplateInput
 */

/**
 * A test that needs only Node and the package. It builds into the tools folder, because handler paths are relative to
 * the artifact, and there is no relative path to another drive.
 * @param {{ toolId: string, does: string, body: string }} test `does`: the test's title; `body`: calls of `session` and
 *   assertions
 */
const test = ({ toolId, does, body }) => `import assert from 'node:assert/strict'
import { mkdtemp, rm } from 'node:fs/promises'
import path from 'node:path'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'

import { buildTools, createRegistry, formatReport } from 'toolgate'

const toolsDir = fileURLToPath(new URL('..', import.meta.url))

/** Builds the tools and opens a session. */
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
