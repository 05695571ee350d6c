// A library's schema at call time: what its handler gets, what is refused before it, and what no answer shows.
import { rmSync, writeFileSync } from 'node:fs'
import path from 'node:path'

import { buildTools, createRegistry, defineTool, formatReport } from '../../index.js'
import { runNode } from '../support/command.mjs'
import { project } from '../support/project.mjs'

const JSON_SCHEMA = {
  type: 'object',
  properties: { word: { type: 'string' }, pin: { type: 'string', 'x-sensitive': true }, wait: { type: 'string' } },
}
/** A library of its own: Standard Schema and Standard JSON Schema. */
const OWN_LIBRARY = `export const own = validate => ({ '~standard': {
  version: 1, vendor: 'own', validate,
  jsonSchema: { input: () => (${JSON.stringify(JSON_SCHEMA)}) } } })
const refused = (message, ...path) => ({ issues: [{ message, path }] })
export const schema = own(({ word, pin, wait }) => {
  if (word === 'throw') throw new Error('a defect of the schema')
  if (word === 'odd') return null
  if (word === 'bad') return refused('is bad', { key: 'word' })
  if (word === 'repeat') return refused('not ' + pin, 'word')
  if (pin === 'weak') return refused('weak is weak', 'pin')
  if (word === 'whole') return refused('as a whole')
  if (wait !== undefined) return new Promise((resolve, reject) => {
    if (wait === 'reject') reject(new Error('a late defect'))
    if (wait === 'short') setImmediate(() => resolve({ value: { word: 'waited' } }))
  })
  return { value: { word: word?.toUpperCase() ?? 'NONE' } }
})
export const started = globalThis.startedHandlers ??= []
`
const TOOL = `import { defineTool } from 'toolgate'
import { schema, started } from '../../own.js'
export default defineTool({ description: 'Keep a word. Use it in tests.', sideEffects: 'writes', requiresConfirmation: false, parameters: schema,
  timeoutMs: 1000, lintAccepted: ['writes-without-confirmation'],
  execute({ args }) { started.push(args.word); return { ok: true, data: args } } })\n`

async function built(files) {
  const made = project()
  made.write('own.js', OWN_LIBRARY)
  for (const [name, text] of Object.entries(files)) made.write(name, text)
  const report = await buildTools({ toolsDir: made.tools })
  return { ...made, report, artifact: path.join(made.tools, 'tool_registry.json') }
}
async function loaded(files, options = {}) {
  const { report, artifact } = await built(files)
  if (!report.ok) throw new Error(formatReport(report))
  return createRegistry({ artifact, ...options }).load()
}

describe('a tool that writes', () => {
  let registry
  const reported = []
  const call = async args => {
    const before = globalThis.startedHandlers?.length ?? 0
    const { data, error } = await registry.executeTool('keep', { args })
    const { type, message, details, partialSideEffects } = error ?? {}
    const ran = (globalThis.startedHandlers?.length ?? 0) > before
    return data ?? { type, message, details, partialSideEffects, ran }
  }
  beforeAll(async () => {
    registry = await loaded(
      { 'tools/keep/tool.js': TOOL },
      { onHandlerError: (error, { toolId }) => reported.push(`${toolId}: ${error.message}`) },
    )
  })
  afterAll(() => registry.close())

  test('its handler gets the output of a schema that answers at once, or later', async () => {
    expect(await call({ word: 'yes' })).toEqual({ word: 'YES' })
    expect(await call({})).toEqual({ word: 'NONE' })
    expect(await call({ wait: 'short' })).toEqual({ word: 'waited' })
  })

  test('a refusal is VALIDATION at its path, and nothing was done', async () => {
    expect(await call({ word: 'bad' })).toEqual({
      type: 'VALIDATION',
      message: 'the arguments of `keep` do not fit: `/word`: is bad',
      details: [
        { instancePath: '/word', schemaPath: '#', keyword: 'schema-code', params: {}, message: '`/word`: is bad' },
      ],
      partialSideEffects: false,
      ran: false,
    })
  })

  test.each([
    ['at the place of a sensitive value', { pin: 'weak' }, "`/pin`: the tool's own check refuses it"],
    ['that repeats one', { word: 'repeat', pin: '1234' }, "`/word`: the tool's own check refuses it"],
    ['about the whole that has one', { word: 'whole', pin: '1234' }, "the tool's own check refuses it"],
    ['without one', { word: 'whole' }, 'as a whole'],
  ])('a message %s', async (_what, args, shown) => {
    expect((await call(args)).message).toBe(`the arguments of \`keep\` do not fit: ${shown}`)
  })

  test.each([
    ['throws', { word: 'throw' }, 'keep: a defect of the schema'],
    ['answers with nothing', { word: 'odd' }, expect.stringMatching(/^keep: Cannot /)],
    ['rejects', { wait: 'reject' }, 'keep: a late defect'],
    [
      'never answers',
      { wait: 'ever' },
      expect.stringMatching(/^keep: the schema of `keep` did not answer within \d+ ms$/),
    ],
  ])('a schema that %s is INTERNAL, and the host hears of it', async (_what, args, cause) => {
    reported.length = 0
    expect(await call(args)).toMatchObject({ type: 'INTERNAL', ran: false })
    expect(reported).toEqual([cause])
  })
})

describe('where the schema comes from', () => {
  const fields = { toolId: 'say', version: '1.0.0', description: 'Say a word. Use it in tests.', category: 'utility' }
  const others = { sideEffects: 'none', idempotent: true, requiresConfirmation: false, allowedModes: ['text'] }
  const layout = {
    'tools/say/schema.js': `import { schema } from '../../own.js'
export default { ...${JSON.stringify({ ...fields, ...others, latencyBudgetMs: 100, lintAccepted: ['parameter-undocumented'] })}, parameters: schema }\n`,
    'tools/say/guide.md': '# say\n\nSays.\n\n## Parameters\n\n- `word`, `pin`, `wait`\n\n## Examples\n\nNone.\n',
    'tools/say/handler.js': 'export const execute = ({ args }) => ({ ok: true, data: args })\n',
  }
  const said = async registry => {
    const { data } = await registry.executeTool('say', { args: { word: 'hi' } })
    await registry.close()
    return data
  }

  test('the schema module beside a handler', async () => {
    expect(await said(await loaded(layout))).toEqual({ word: 'HI' })
  })

  test('`parameters` of the handler itself, before the module', async () => {
    const handler = `import { own } from '../../own.js'
export const parameters = own(() => ({ value: { word: 'of the handler' } }))\n`
    const files = { ...layout, 'tools/say/handler.js': handler + layout['tools/say/handler.js'] }
    expect(await said(await loaded(files))).toEqual({ word: 'of the handler' })
  })

  test('a given handler brings its own', async () => {
    const execute = ({ args }) => ({ ok: true, data: args })
    const parameters = { '~standard': { validate: () => ({ value: { word: 'given' } }) } }
    const say = defineTool({ description: 'd', sideEffects: 'none', parameters, execute })
    expect(await said(await loaded(layout, { handlers: { say } }))).toEqual({ word: 'given' })
    expect(await said(await loaded(layout, { handlers: { say: execute } }))).toEqual({ word: 'hi' })
  })

  test('a module whose library is absent stops the load; without the module the JSON Schema counts', async () => {
    const { home, artifact } = await built(layout)
    rmSync(path.join(home, 'own.js'))
    writeFileSync(path.join(home, 'tools/say/schema.js'), "import 'a-library-that-is-absent'\nexport default {}\n")
    await expect(createRegistry({ artifact }).load()).rejects.toMatchObject({
      code: 'HANDLER_INVALID',
      message: expect.stringMatching(/^`schema\.js` of `say` can't be imported: .*a-library-that-is-absent/),
    })
    rmSync(path.join(home, 'tools/say/schema.js'))
    expect(await said(await createRegistry({ artifact }).load())).toEqual({ word: 'hi' })
  })
})

test('a confirmation shows and binds the JSON, and the handler gets the output', async () => {
  const registry = await loaded({
    'tools/keep/tool.js': TOOL.replace('requiresConfirmation: false', 'requiresConfirmation: true'),
  })
  const call = options => registry.executeTool('keep', { args: { word: 'yes' }, ...options })
  const { confirmation_request: question } = (await call()).error
  expect(question.args).toEqual({ word: 'yes' })
  const { data } = await call({ confirmationToken: question.token })
  expect(data).toEqual({ word: 'YES' })
  await registry.close()
})

// In Node itself: the loader of a test runner keeps a module whatever its query is.
test('a reload takes the new code of a tool in one file: its handler and its schema', async () => {
  const { home, write } = await built({ 'tools/keep/tool.js': TOOL })
  const changed = TOOL.replace('parameters: schema', "parameters: own(() => ({ value: { word: 'new' } }))")
    .replace('{ schema,', '{ own,')
    .replace('data: args', 'data: { again: args.word }')
  write(
    'reload.mjs',
    `import { writeFileSync } from 'node:fs'
import { buildTools, createRegistry } from 'toolgate'
const registry = await createRegistry().load()
const said = async () => (await registry.executeTool('keep', { args: { word: 'a' } })).data
const before = await said()
writeFileSync('tools/keep/tool.js', ${JSON.stringify(changed)})
await buildTools({ toolsDir: 'tools' })
await registry.reload()
console.log(JSON.stringify([before, await said()]))
await registry.close()\n`,
  )
  const { stdout } = await runNode(['reload.mjs'], { cwd: home })
  expect(JSON.parse(stdout)).toEqual([{ word: 'A' }, { again: 'new' }])
})
