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
 * @typedef {import('./project-manifest.js').TestRunner} TestRunner
 * @typedef {{ toolId: string, kind: 'module' | 'commonjs', runner: TestRunner }} TemplateInput
 */

/** The head of a test that is an ES module. @param {TestRunner} runner */
const moduleHead = runner => `import assert from 'node:assert/strict'
import { mkdtemp, rm } from 'node:fs/promises'
import path from 'node:path'
import { fileURLToPath } from 'node:url'

import { test } from '${runner.module}'
import { buildTools, createRegistry, formatReport } from 'toolgate'

const toolsDir = fileURLToPath(new URL('..', import.meta.url))
`

/** The head of a test that skips itself in a run that can't import the handlers. @param {TestRunner} runner */
const skippingHead = runner => `const assert = require('node:assert/strict')
const { mkdtemp, rm } = require('node:fs/promises')
const path = require('node:path')
const vm = require('node:vm')

const globals = require('${runner.module}')
const { buildTools, createRegistry, formatReport } = require('toolgate')

const toolsDir = path.dirname(__dirname)

// The gate imports handlers as ES modules, which Jest can with this flag only.
const canImport = vm.SourceTextModule !== undefined
const test = canImport ? globals.test : globals.test.skip
if (!canImport) {
  const file = path.relative(process.cwd(), __filename)
  process.stderr.write(\`skipped \${file}: run jest with NODE_OPTIONS=--experimental-vm-modules\\n\`)
}
`

/**
 * A test through the gate, for the project's runner: of that it takes `test` only. It builds into the tools folder, because handler
 * paths are relative to the artifact, and there is no relative path to another drive.
 * @param {{ toolId: string, runner: TestRunner, does: string, body: string }} test `does`: the test's title; `body`: calls of
 *   `session` and assertions
 * @returns {Record<string, string>} its text by its file name
 */
const testFile = ({ toolId, runner, does, body }) => ({
  [`handler.test.${runner.extension}`]: `${(runner.extension === 'cjs' ? skippingHead : moduleHead)(runner)}
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
`,
})

module.exports = { handler, schema, testFile }
