// What a library takes of generated values, beside what the gate takes of a tool with the library's schema.
import path from 'node:path'

import * as ark from 'arktype'
import * as effect from 'effect'
import * as typebox from 'typebox'
import { Compile } from 'typebox/compile'
import * as v from 'valibot'
import { z } from 'zod'

import { buildTools, createRegistry, formatReport } from '../../../index.js'
import { project } from '../project.mjs'
import { valuesFor } from './values.mjs'

const LIBRARIES = {
  zod: { imports: "import { z } from 'zod'", names: { z }, object: one => `z.object({ v: ${one} })` },
  valibot: { imports: "import * as v from 'valibot'", names: { v }, object: one => `v.object({ v: ${one} })` },
  arktype: {
    imports: "import { type } from 'arktype'",
    names: { type: ark.type },
    object: one => `type({ v: ${one} })`,
  },
  effect: {
    imports: "import { Schema } from 'effect'",
    names: { Schema: effect.Schema },
    object: one =>
      `Schema.toStandardSchemaV1(Schema.toStandardJSONSchemaV1(Schema.toCodecJson(Schema.Struct({ v: ${one} }))))`,
  },
  typebox: {
    imports: "import { Type } from 'typebox'\nimport { Compile } from 'typebox/compile'",
    names: { Type: typebox.Type, Compile },
    object: one => `Compile(Type.Object({ v: ${one} }))`,
  },
}

/** The schema of all arguments. @param {import('./libraries.mjs').SchemaCase} one */
function argumentsOf({ library, source }) {
  const { names, object } = LIBRARIES[library]
  return new Function(...Object.keys(names), `return ${object(source)}`)(...Object.values(names))
}

function takerOf(schema) {
  if (typeof schema.Check === 'function') return args => schema.Check(args)
  return args => {
    const result = schema['~standard'].validate(args)
    if (result instanceof Promise) throw new Error('a schema that waits')
    return !result.issues
  }
}

const moduleOf = ({ library, source }) => `import { defineTool } from 'toolgate'
${LIBRARIES[library].imports}
export default defineTool({ description: 'Take a value. Use it in tests.', sideEffects: 'none',
  parameters: ${LIBRARIES[library].object(source)}, execute: () => ({ ok: true }) })\n`

/**
 * @param {import('./libraries.mjs').SchemaCase[]} cases
 * @param {{ count: number, seed: number }} options values for each
 * @returns {Promise<{ compared: number, taken: number, differences: { library: string, source: string, value: unknown,
 *   isTaken: boolean, issues: unknown }[] }>} `taken`: by the library, as `isTaken`; `issues`: the gate's
 */
export async function compare(cases, { count, seed }) {
  const { tools, write } = project()
  for (const [index, one] of cases.entries()) write(`tools/take_${index}/tool.js`, moduleOf(one))
  const report = await buildTools({ toolsDir: tools })
  if (!report.ok) throw new Error(formatReport(report))
  const registry = await createRegistry({ artifact: path.join(tools, 'tool_registry.json'), repair: false }).load()
  const found = { compared: 0, taken: 0, differences: [] }
  try {
    for (const [index, one] of cases.entries())
      await compareOne(registry, `take_${index}`, one, { count, seed: seed + index, found })
  } finally {
    registry.close()
  }
  return found
}

async function compareOne(registry, toolId, { library, source, make }, { count, seed, found }) {
  const takes = takerOf(argumentsOf({ library, source }))
  const argsOf = value => (value === undefined ? {} : { v: value })
  const values = valuesFor(make, value => takes(argsOf(value)), { count, seed })
  const answers = await Promise.all(values.map(value => registry.executeTool(toolId, { args: argsOf(value) })))
  for (const [index, { ok, error }] of answers.entries()) {
    const value = values[index]
    const isTaken = takes(argsOf(value))
    found.compared += 1
    if (isTaken) found.taken += 1
    if (ok !== isTaken)
      found.differences.push({ library, source, value, isTaken, issues: error?.details ?? error?.message })
  }
}
