// What a schema library takes, the gate takes: a format or pattern that is narrower than the library's is left out of what is
// checked before it.
import path from 'node:path'

import * as v from 'valibot'
import { z } from 'zod'

import { buildTools, createRegistry, formatReport } from '../../index.js'
import { project } from '../support/project.mjs'
import { afterTest } from '../support/tool-set.mjs'

const LIBRARIES = { z, v }
const IMPORTS = { z: "import { z } from 'zod'", v: "import * as v from 'valibot'" }

/** A schema, and values of which the library takes some. */
const ROWS = [
  ['z', 'z.string().regex(/^ab$/i)', ['ab', 'AB', 'x']],
  ['z', 'z.string().regex(/^a/).regex(/b$/i)', ['ab', 'aB', 'bB']],
  ['z', 'z.string().regex(/^b$/m)', ['b', 'a\nb', 'a']],
  ['z', 'z.email({ pattern: /^.+@intranet$/ })', ['ada@intranet', 'ada@example.com', 'ada']],
  ['z', 'z.iso.duration()', ['P1D', 'PT0.5S', 'P1Y2M3DT4H5M6.5S', 'PT0,5S', 'P1W', 'P', 'PT', '1D']],
  ['z', 'z.ipv6()', ['::1', '::ffff:1.2.3.4', '2001:DB8::1', 'fe80::1%eth0', '1.2.3.4']],
  ['z', 'z.hostname()', ['example.com', 'example.com.', 'EXAMPLE.com', 'localhost', '-a.com', 'a..b']],
  ['z', 'z.iso.datetime({ local: true })', ['2026-02-01T10:00', '2026-02-01T10:00:00Z', '2026-02-30T10:00']],
  ['z', 'z.iso.time()', ['10:00', '10:00:00.5', '24:00']],
  ['v', 'v.pipe(v.string(), v.isoDateTime())', ['2026-02-01T10:00', '2026-02-01 10:00', '2026-02-01T10:00:00Z', 'x']],
  ['v', 'v.pipe(v.string(), v.isoTime())', ['10:00', '10:00:00', '25:00']],
  ['v', 'v.pipe(v.string(), v.regex(/^ab$/i))', ['ab', 'AB', 'x']],
  ['v', 'v.pipe(v.string(), v.isoDate())', ['2026-02-30', '2026-2-1']],
  ['v', 'v.pipe(v.string(), v.url())', ['https://bücher.example/ü', 'https://example.com/a b', 'a b']],
  ['z', 'z.url()', ['https://bücher.example/ü', ' https://example.com', 'https://a/|', 'example.com']],
  ['z', 'z.httpUrl()', ['HTTPS://EXAMPLE.COM', 'https://bücher.example', 'ftp://example.com']],
  ['z', 'z.string().min(2).max(2)', ['🙂', '🙂🙂', 'ab', 'a', 'abc']],
  ['v', 'v.pipe(v.string(), v.length(3))', ['a🙂', 'abc', 'ab']],
  ['v', 'v.looseObject({ n: v.number() })', [{ n: 1, m: 2 }, { m: 2 }]],
  [
    'v',
    'v.intersect([v.looseObject({ n: v.number() }), v.looseObject({ m: v.number() })])',
    [{ n: 1, m: 2, x: 3 }, { n: 1 }],
  ],
  ['z', 'z.looseObject({ n: z.number() }).and(z.looseObject({ m: z.number() }))', [{ n: 1, m: 2, x: 3 }, { n: 1 }]],
]

test.each(ROWS)('%s: %s', async (library, schema, texts) => {
  const { tools, write } = project()
  write(
    'tools/take/tool.js',
    `import { defineTool } from 'toolgate'
${IMPORTS[library]}
export default defineTool({ description: 'Take a text. Use it in tests.', sideEffects: 'none',
  parameters: ${library}.object({ text: ${schema} }), execute: ({ args }) => ({ ok: true, data: args.text }) })\n`,
  )
  const report = await buildTools({ toolsDir: tools })
  if (!report.ok) throw new Error(formatReport(report))
  const registry = await createRegistry({ artifact: path.join(tools, 'tool_registry.json') }).load()
  afterTest(() => registry.close())
  const own = new Function('z', 'v', `return ${schema}`)(LIBRARIES.z, LIBRARIES.v)
  const takes = text => !own['~standard'].validate(text).issues
  const answers = await Promise.all(texts.map(text => registry.executeTool('take', { args: { text } })))
  expect(answers.map(({ ok }) => ok)).toEqual(texts.map(takes))
  expect(texts.some(takes)).toBe(true)
})
