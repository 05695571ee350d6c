// What a library's issues say of a call with sensitive values: nothing of them, in whatever form, and no name of them.
import path from 'node:path'

import { buildTools, createRegistry, formatReport } from '../../index.js'
import { project } from '../support/project.mjs'

const SECRET = 'Pa"ss/w0rd ü~9'
const secret = { type: 'string', 'x-sensitive': true }
const JSON_SCHEMA = {
  type: 'object',
  additionalProperties: false,
  properties: {
    how: { type: 'string' },
    pin: secret,
    login: { type: 'object', additionalProperties: false, properties: { user: { type: 'string' }, password: secret } },
    vault: { type: 'object', 'x-sensitive': true, additionalProperties: { type: 'string' } },
    notes: { type: 'object', additionalProperties: { type: 'string' } },
    list: { type: 'array', items: { type: 'object', additionalProperties: false, properties: { key: secret } } },
    after: { type: 'string' },
  },
}
const TOOL = `import { defineTool } from 'toolgate'
const say = (message, ...path) => ({ issues: [{ message, path }] })
const secretOf = args => args.pin ?? args.login?.password ?? Object.keys(args.vault ?? args.notes ?? {})[0] ?? args.list?.[0].key
const forms = {
  whole: secret => say(secret, 'how'),
  json: secret => say(JSON.stringify(secret), 'how'),
  uri: secret => say(encodeURIComponent(secret), 'how'),
  base64: secret => say(Buffer.from(secret).toString('base64'), 'how'),
  part: secret => say('ends with ' + secret.slice(-6), 'how'),
  begin: secret => say('begins with ' + secret.slice(0, 4)),
  case: secret => say(secret.toUpperCase(), 'how'),
  spaced: secret => say([...secret].join(' '), 'after'),
  path: secret => say('no', secret),
  below: secret => say('no', 'vault', secret, 'x'),
  within: secret => say('no', 'login', 'password', secret),
  element: secret => say('no', 'list', 0, 'key', 3, secret),
  note: secret => say('no', 'notes', secret),
  key: secret => say('no', { key: 'notes' }, { key: secret }),
  words: () => say('is too early', 'after'),
}
export default defineTool({ description: 'Check. Use it in tests.', sideEffects: 'none',
  parameters: { '~standard': { version: 1, vendor: 'own', validate: args => forms[args.how](secretOf(args)),
    jsonSchema: { input: () => (${JSON.stringify(JSON_SCHEMA)}) } } },
  execute: () => ({ ok: true }) })\n`

let registry
const lines = []
beforeAll(async () => {
  const made = project()
  made.write('tools/check/tool.js', TOOL)
  const report = await buildTools({ toolsDir: made.tools })
  if (!report.ok) throw new Error(formatReport(report))
  const artifact = path.join(made.tools, 'tool_registry.json')
  registry = await createRegistry({ artifact, audit: line => lines.push(line) }).load()
})
afterAll(() => registry.close())

const FORMS = 'whole json uri base64 part begin case spaced path below within element note key'.split(' ')
const PLACES = [
  { pin: SECRET },
  { login: { user: 'ada', password: SECRET } },
  { vault: { [SECRET]: SECRET } },
  { list: [{ key: SECRET }] },
]
/** The secret, its parts of three characters, and what escapes make of them. */
const traces = [
  ...Array.from({ length: SECRET.length - 2 }, (_, at) => SECRET.slice(at, at + 3)),
  'w0rd',
  'W0RD',
  'P a',
  encodeURIComponent(SECRET).slice(-8),
  Buffer.from(SECRET).toString('base64').slice(0, 8),
]

test.each(FORMS.flatMap(how => PLACES.map(place => [how, Object.keys(place)[0], place])))(
  'an issue of the form %s about %s shows nothing of it',
  async (how, _place, place) => {
    const answer = await registry.executeTool('check', { args: { how, ...place } })
    expect(answer.error.type).toBe('VALIDATION')
    const told = JSON.stringify(answer) + lines.join('')
    expect(traces.filter(trace => told.includes(trace) || told.includes(JSON.stringify(trace).slice(1, -1)))).toEqual(
      [],
    )
  },
)

test('names that the schema does not declare are left out of paths; declared ones lead to the place', async () => {
  const pathOf = async args => (await registry.executeTool('check', { args })).error.details[0].instancePath
  expect(await pathOf({ how: 'note', notes: { [SECRET]: 'x' } })).toBe('/notes')
  expect(await pathOf({ how: 'below', vault: { [SECRET]: 'x' } })).toBe('/vault')
  expect(await pathOf({ how: 'element', list: [{ key: SECRET }] })).toBe('/list/0/key')
  expect(await pathOf({ how: 'within', login: { password: SECRET } })).toBe('/login/password')
})

test("without a sensitive value in the call the library's words are told", async () => {
  const { error } = await registry.executeTool('check', { args: { how: 'words', after: 'x', login: { user: 'ada' } } })
  expect(error.message).toBe('the arguments of `check` do not fit: `/after`: is too early')
})
