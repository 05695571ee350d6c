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
 * @typedef {{ toolId: string, kind: 'module' | 'commonjs', runner: import('./project-manifest.js').TestRunner }} TemplateInput
 */

/**
 * A test through the gate, for the project's runner: of that it takes `test` only. It builds into the tools folder, because handler
 * paths are relative to the artifact, and there is no relative path to another drive.
 * @param {{ toolId: string, runner: import('./project-manifest.js').TestRunner, does: string, body: string }} test `does`: the
 *   test's title; `body`: calls of `session` and assertions
 */
const test = ({ toolId, runner, does, body }) => `import assert from 'node:assert/strict'
import { mkdtemp, rm } from 'node:fs/promises'
import path from 'node:path'
import { fileURLToPath } from 'node:url'

import { test } from '${runner.module}'
import { buildTools, createRegistry, formatReport } from 'toolgate'

const toolsDir = fileURLToPath(new URL('..', import.meta.url))

/** Builds the tools, and uses a session on them. */
async function withSession(use) {
  const outDir = await mkdtemp(path.join(toolsDir, '.test-'))
  try {
    const report = await buildTools({ toolsDir, outDir })
    assert.ok(report.ok, formatReport(report))
    const registry = createRegistry({ artifact: path.join(outDir, 'tool_registry.json') })
    try {
      await registry.load()
      await use(await registry.createSession({ mode: 'text' }))
    } finally {
      await registry.close()
    }
  } finally {
    await rm(outDir, { recursive: true, force: true })
  }
}

test('${does}', () =>
  withSession(async session => {
${body.replaceAll(/^(?=.)/gm, '  ')}  }))

test('arguments that the schema rejects never reach the handler', () =>
  withSession(async session => {
    const response = await session.execute({ name: '${toolId}', args: { unknown: true } })
    assert.equal(response.error.type, 'VALIDATION')
  }))
`

module.exports = { handler, schema, test }
