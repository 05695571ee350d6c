// What careless authors write, from parts. A source without changes has no finding.

export const IMPORTS = "import { defineTool } from 'toolgate'\nimport { z } from 'zod'\n"
export const REQUIRES = "const { defineTool } = require('toolgate')\nconst { z } = require('zod')\n"

/** One field a line: `description` is in line 5 of a one-file tool, `sideEffects` in 6, `parameters` in 7, `execute` in 8. */
const FIELDS = {
  description: "'Show the text. Use it to repeat what the user wrote.'",
  sideEffects: "'none'",
  parameters: "z.object({ text: z.string().describe('What is shown.') })",
  execute: 'async ({ args }) => ({ ok: true, data: args.text })',
}

/** @param {Record<string, string | undefined>} [changes] fields as source text; `undefined` leaves one out */
export const definition = (changes = {}) =>
  `{\n${Object.entries({ ...FIELDS, ...changes })
    .filter(([, code]) => code !== undefined)
    .map(([name, code]) => `  ${name}: ${code},\n`)
    .join('')}}`

/** A tool in one ES module. @param {Record<string, string | undefined>} [changes] */
export const oneFile = changes => `${IMPORTS}\nexport default defineTool(${definition(changes)})\n`

/** A tool in one CommonJS module. @param {Record<string, string | undefined>} [changes] */
export const oneFileCommonJs = changes => `${REQUIRES}\nmodule.exports = defineTool(${definition(changes)})\n`

/** One field a line in schema.json: `toolId` is in line 2, `parameters` in 11. */
const SCHEMA = {
  toolId: 'echo',
  version: '1.0.0',
  description: 'Show the text. Use it to repeat what the user wrote.',
  category: 'utility',
  sideEffects: 'none',
  idempotent: true,
  requiresConfirmation: false,
  allowedModes: ['text'],
  latencyBudgetMs: 100,
  parameters: parameters(),
}

/** @param {object} [changes] keywords of the schema; `undefined` leaves one out */
export function parameters(changes) {
  return {
    type: 'object',
    properties: { text: { type: 'string' } },
    required: ['text'],
    additionalProperties: false,
    ...changes,
  }
}

/** @param {object} [changes] fields; `undefined` leaves one out */
export const schemaJson = changes =>
  `{\n${Object.entries({ ...SCHEMA, ...changes })
    .filter(([, value]) => value !== undefined)
    .map(([name, value]) => `  ${JSON.stringify(name)}: ${JSON.stringify(value)}`)
    .join(',\n')}\n}\n`

export const WRITES = { category: 'action', sideEffects: 'writes', idempotent: false, duplicate: false }
export const CONFIRMED = { ...WRITES, requiresConfirmation: true }

export const HANDLER = 'export async function execute({ args }) {\n  return { ok: true, data: args.text }\n}\n'
export const GUIDE =
  '# echo\n\nShows the text.\n\n## Parameters\n\n- `text` (string, required): what is shown.\n\n## Examples\n\nNone.\n'

/**
 * The three files of a tool folder.
 * @param {Record<string, string | undefined>} [changes] files by name; `undefined` leaves one out
 */
export const folder = (changes = {}) =>
  Object.fromEntries(
    Object.entries({ 'schema.json': schemaJson(), 'handler.js': HANDLER, 'guide.md': GUIDE, ...changes })
      .filter(([, text]) => text !== undefined)
      .map(([name, text]) => [`tools/echo/${name}`, text]),
  )
