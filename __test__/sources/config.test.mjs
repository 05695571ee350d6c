// `sources/<name>.json`: its schema, its faults, its variables.
import { readFileSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import path from 'node:path'

import { temporaryFolder } from '../support/tool-set.mjs'

const require = createRequire(import.meta.url)
const { readSourceConfigs, requireVariables } = require('../../js/sources/source-config.js')
const schema = name => JSON.parse(readFileSync(new URL(`../../schemas/${name}.schema.json`, import.meta.url), 'utf8'))

const LIMITS = {
  messageBytes: 4_194_304,
  listBytes: 4_194_304,
  tools: 500,
  pages: 64,
  unaskedPerSecond: 200,
  stderrBytes: 65_536,
  calls: 16,
  connections: 64,
  connectMs: 15_000,
  idleMs: 1_800_000,
}

function read(files) {
  const folder = temporaryFolder()
  for (const [name, value] of Object.entries(files))
    writeFileSync(path.join(folder, name), typeof value === 'string' ? value : JSON.stringify(value))
  const { configs, problems } = readSourceConfigs(folder)
  return {
    configs: Object.fromEntries(configs),
    problems: problems.map(({ file, ...problem }) => ({ file: path.relative(folder, file), ...problem })),
  }
}

test('defaults are filled in, and variables are not expanded', () => {
  const transport = { command: 'npx', args: ['-y', 'files'], env: { TOKEN: '${FILES_TOKEN}' }, cwd: '/srv' }
  const { configs, problems } = read({
    'files.json': { $schema: '../x', transport, prefix: '', limits: { calls: 1 }, tools: { write: false } },
    'web.json': { transport: { url: 'https://mcp.example/${PATH_OF_IT}', headers: { a: '${A}${B}' } }, shared: true },
    'notes.txt': 'not a source',
  })
  expect(problems).toEqual([])
  const defaults = {
    shared: false,
    reads: [],
    elicitation: 'ask',
    sampling: false,
    roots: false,
    limits: LIMITS,
    tools: {},
  }
  expect(configs.files).toEqual({
    ...defaults,
    transport,
    prefix: '',
    limits: { ...LIMITS, calls: 1 },
    tools: { write: false },
  })
  expect(configs.web).toMatchObject({ shared: true, limits: LIMITS })
  expect(requireVariables(configs.files, {})).toEqual(['FILES_TOKEN'])
  expect(requireVariables(configs.web, { A: '', PATH_OF_IT: 'x' })).toEqual(['B'])
  expect(read({})).toEqual({ configs: {}, problems: [] })
  expect(readSourceConfigs('/does/not/exist').configs.size).toBe(0)
})

test.each([
  ['Files.json', {}, '', /the file's name is the source's name/],
  ['a.json', '{"transport": secret', '', /^the file is not JSON( \(at position \d+\))?$/],
  ['a.json', '[]', '', /must be an object/],
  ['a.json', {}, '', /`transport` is missing/],
  ['a.json', { transport: 'npx' }, '/transport', /must be an object/],
  ['a.json', { transport: {} }, '/transport', /`command` is missing/],
  ['a.json', { transport: { url: 'https://x', command: 'y' } }, '/transport', /no property `command`/],
  ['a.json', { transport: { url: 'ftp://x' } }, '/transport/url', /./],
  ['a.json', { transport: { command: 'x', args: ['${1}'] } }, '/transport/args/0', /`\$\{NAME\}`/],
  ['a.json', { transport: { command: 'x', env: { 'a/b': '${A-B}' } } }, '/transport/env/a~1b', /`\$\{NAME\}`/],
  ['a.json', { transport: { command: 'x', shell: true } }, '/transport', /no property `shell`/],
  ['a.json', { transport: { command: 'x' }, limits: { calls: 0 } }, '/limits/calls', /at least 1/],
  ['a.json', { transport: { command: 'x' }, elicitation: 'yes' }, '/elicitation', /"decline"/],
  ['a.json', { transport: { command: 'x' }, tools: { t: true } }, '/tools/t', /must be an object/],
  ['a.json', { transport: { command: 'x' }, tools: { t: { sideEffects: 'no' } } }, '/tools/t/sideEffects', /read_only/],
  ['a.json', { transport: { command: 'x' }, tools: { t: { parameters: {} } } }, '/tools/t', /no property `parameters`/],
])('%s %j', (file, value, pointer, message) => {
  const { configs, problems } = read({ [file]: value, 'good.json': { transport: { command: 'x' } } })
  expect(Object.keys(configs)).toEqual(['good'])
  expect(problems).toEqual([{ file, pointer, message: expect.stringMatching(message) }])
})

test('all faults of all files are found', () => {
  const wrong = { transport: { command: 'x' }, limits: { calls: 0, pages: 'many' }, more: 1 }
  const { problems } = read({ 'a.json': wrong, 'b.json': wrong })
  expect(problems.map(({ file, pointer }) => `${file} ${pointer}`).sort()).toEqual([
    'a.json ',
    'a.json /limits/calls',
    'a.json /limits/pages',
    'b.json ',
    'b.json /limits/calls',
    'b.json /limits/pages',
  ])
})

test('a policy says what schema.json says: the two schemas have the same properties', () => {
  const [tool, source] = [schema('tool'), schema('source')]
  const policy = source.$defs.Policy.properties
  // The lock's proposal stands for what a policy leaves out.
  const withoutDefault = ({ default: _, ...property }) => property
  for (const [name, property] of Object.entries(policy)) expect(property).toEqual(withoutDefault(tool.properties[name]))
  const { Stdio: _, Http: __, Limits: ___, Policy: ____, ...shared } = source.$defs
  for (const [name, definition] of Object.entries(shared)) expect(definition).toEqual(tool.$defs[name])
  const ofTheServer = [
    'toolId',
    'version',
    'clamp',
    'loweringAccepted',
    'repair',
    'timeRules',
    'title',
    'description',
    'parameters',
    'resultSchema',
    'examples',
    'requires',
  ]
  expect(Object.keys(policy).sort()).toEqual(
    Object.keys(tool.properties)
      .filter(name => name !== '$schema' && !ofTheServer.includes(name))
      .sort(),
  )
})

test('the schema names the defaults that are filled in', () => {
  const { Limits } = schema('source').$defs
  const defaults = Object.entries(Limits.properties).map(([name, property]) => [name, property.default])
  expect(Object.fromEntries(defaults)).toEqual(LIMITS)
})
