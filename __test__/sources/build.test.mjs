// A build makes one tool set of the folders and the lock, and refuses a lock that does not fit its sources.
import { readFileSync, rmSync, writeFileSync } from 'node:fs'
import path from 'node:path'

import { createRegistry, formatReport } from '../../index.js'
import { build, findings, lockedProject, published } from './locked.mjs'

const WRITE_FILE = published('write_file', {
  title: 'Write a file',
  inputSchema: {
    $schema: 'http://json-schema.org/draft-07/schema#',
    type: 'object',
    properties: {
      path: { type: 'string' },
      mode: { type: 'string', default: 'w' },
      at: { type: 'string', format: 'whenever' },
    },
    required: ['path'],
  },
  _meta: { ui: { resourceUri: 'ui://file' } },
})
const READ_FILE = published('read_file', { annotations: { readOnlyHint: true } })
const TOOLS = '/sources/fs/tools'

test('a tool set has the tools of folders and of sources, cautious where nobody says more', async () => {
  const project = lockedProject(
    { fs: { definitions: [WRITE_FILE, READ_FILE, published('get_info')], reads: ['get_*'] } },
    { own_tool: { kind: 'read' } },
  )
  const report = await build(project)
  expect([formatReport(report), report.tools]).toEqual([
    expect.anything(),
    ['fs_get_info', 'fs_read_file', 'fs_write_file', 'own_tool'],
  ])
  const registry = createRegistry({
    artifact: project.artifact,
    sources: project.sourcesDir,
    handlers: handlersOf(report),
  })
  await registry.load()
  const facts = id => {
    const { sideEffects, requiresConfirmation, source } = registry.getToolMetadata(id)
    return [sideEffects, requiresConfirmation, source?.tool]
  }
  expect(report.tools.map(facts)).toEqual([
    ['read_only', false, 'get_info'],
    // The server's own hint changes nothing.
    ['writes', true, 'read_file'],
    ['writes', true, 'write_file'],
    ['read_only', false, undefined],
  ])
  expect(registry.getToolMetadata('fs_write_file').providerSchemas.mcp).toEqual({
    ...WRITE_FILE,
    name: 'fs_write_file',
  })
  await registry.close()
})

test('arguments are checked by the published schema, and pass as the model sent them', async () => {
  const project = lockedProject({ fs: { definitions: [WRITE_FILE] } })
  const report = await build(project)
  const received = []
  const registry = createRegistry({ artifact: project.artifact, handlers: handlersOf(report, received) })
  const session = await (await registry.load()).createSession({ mode: 'text' })
  const refused = await session.execute({ id: 'call-1', name: 'fs_write_file', args: { path: 7 } })
  expect(refused.error).toMatchObject({ type: 'VALIDATION' })
  const asked = await session.execute({
    id: 'call-2',
    name: 'fs_write_file',
    args: '{"path":"a.txt","at":"x","extra":{"deep":1}}',
  })
  const { token, preview } = asked.error.confirmation_request
  expect(preview).toBe('Write a file (fs)\npath: a.txt\nat: x\nextra.deep: 1')
  await session.confirm(token)
  // Without the default of `mode`, and with what the schema does not name.
  expect(received).toEqual([{ path: 'a.txt', at: 'x', extra: { deep: 1 } }])
  await registry.close()
})

test('a question about many arguments is cut at a line, and not refused', async () => {
  const project = lockedProject({ fs: { definitions: [WRITE_FILE] } })
  const report = await build(project)
  const registry = createRegistry({ artifact: project.artifact, handlers: handlersOf(report) })
  const session = await (await registry.load()).createSession({ mode: 'text' })
  const many = Object.fromEntries(Array.from({ length: 1000 }, (_, index) => [`member_${index}`, 'x'.repeat(20)]))
  const asked = await session.execute({ id: 'call-1', name: 'fs_write_file', args: { path: 'a.txt', ...many } })
  const { preview } = asked.error.confirmation_request
  expect(preview.length).toBeLessThanOrEqual(8000)
  const [, count] = /… and (\d+) more lines of arguments$/.exec(preview)
  expect(preview.split('\n').length - 2 + Number(count)).toBe(1001)
  await registry.close()
})

test('a project may have sources alone, and a host may give their handlers', async () => {
  const project = lockedProject({ fs: { definitions: [READ_FILE], reads: ['*'] } })
  const report = await build(project)
  expect(report).toMatchObject({ ok: true, tools: ['fs_read_file'] })
  const registry = createRegistry({ artifact: project.artifact, handlers: handlersOf(report) })
  const session = await (await registry.load()).createSession({ mode: 'text' })
  expect(await session.execute({ id: 'call-1', name: 'fs_read_file', args: {} })).toMatchObject({ ok: true })
  expect(registry.sources()).toEqual([])
  await registry.close()
})

test('ids are portable, and a prefix is not said twice', async () => {
  const definitions = [published('excelWriteCells'), published('excel_read'), published('a.b/c-d')]
  const { lock } = lockedProject({ excel: { definitions }, plain: { definitions: [published('getTime')], prefix: '' } })
  const ids = name => Object.values(lock.sources[name].tools).map(({ toolId }) => toolId)
  expect(ids('excel').sort()).toEqual(['excel_a_b_c_d', 'excel_excel_write_cells', 'excel_read'])
  expect(ids('plain')).toEqual(['get_time'])
})

const editLock = edit => project => {
  const lock = JSON.parse(readFileSync(project.lockFile, 'utf8'))
  edit(lock.sources.fs, lock)
  writeFileSync(project.lockFile, JSON.stringify(lock))
}
const changed = (name, fields) => ({ definitions: [published(name, fields)] })
const hidden = String.fromCodePoint(0x200b)
const folder = { mail_send: { kind: 'read' } }

test.each([
  ['no lock', changed('a'), project => rmSync(project.lockFile), 'lock-missing toolgate.lock.json'],
  [
    'a source that was not locked',
    changed('a'),
    editLock((_, lock) => (lock.sources = {})),
    'lock-missing sources/fs.json',
  ],
  [
    'a source that is gone',
    changed('a'),
    ({ sourcesDir }) => rmSync(path.join(sourcesDir, 'fs.json')),
    'lock-outdated toolgate.lock.json/sources/fs',
  ],
  [
    'other settings',
    changed('a'),
    ({ sourcesDir }) => writeFileSync(path.join(sourcesDir, 'fs.json'), '{"transport":{"command":"rm"}}'),
    'lock-outdated sources/fs.json',
  ],
  [
    'another version',
    changed('a'),
    editLock((_, lock) => (lock.lockVersion = 2)),
    'lock-invalid toolgate.lock.json/lockVersion',
  ],
  ['no JSON', changed('a'), ({ lockFile }) => writeFileSync(lockFile, '{'), 'lock-invalid toolgate.lock.json'],
  [
    'an edited definition',
    changed('a'),
    editLock(fs => (fs.tools.a.definition.description = 'Pay.')),
    `lock-invalid toolgate.lock.json${TOOLS}/a/definition`,
  ],
  [
    'a definition under another name',
    changed('a'),
    editLock(fs => (fs.tools = { b: fs.tools.a })),
    `lock-invalid toolgate.lock.json${TOOLS}/b/definition`,
  ],
  [
    'an edited id',
    changed('a'),
    editLock(fs => (fs.tools.a.toolId = 'A b')),
    `bad-tool-id toolgate.lock.json${TOOLS}/a/toolId`,
  ],
  [
    'an edited policy',
    changed('a'),
    editLock(fs => (fs.tools.a.policy = { sideEffects: 'read_only', idempotent: true, requiresConfirmation: false })),
    'lock-invalid toolgate.lock.json/sources/fs',
  ],
  [
    'an edited prefix',
    changed('a'),
    editLock(fs => (fs.prefix = 'own_')),
    'lock-invalid toolgate.lock.json/sources/fs',
  ],
  [
    'an exchanged id',
    changed('a'),
    editLock(fs => (fs.tools.a.toolId = 'fs_b')),
    'lock-invalid toolgate.lock.json/sources/fs',
  ],
  [
    'settings that do not fit',
    changed('a'),
    ({ sourcesDir }) => writeFileSync(path.join(sourcesDir, 'fs.json'), '{"transport":{"command":"x"},"reeds":[]}'),
    'source-invalid sources/fs.json',
  ],
  [
    'an id of a folder',
    { definitions: [published('mail_send')], prefix: '' },
    null,
    'duplicate-tool-id toolgate.lock.json',
  ],
  [
    'an id that looks like a folder',
    { definitions: [published('mai1_send')], prefix: '' },
    null,
    'look-alike-tool toolgate.lock.json',
  ],
  ['a name of other letters', changed('pаy'), null, `bad-tool-id toolgate.lock.json${TOOLS}/pаy/definition/name`],
  [
    'hidden characters',
    changed('a', { description: `Reads${hidden} it.` }),
    null,
    `hidden-characters toolgate.lock.json${TOOLS}/a/definition/description`,
  ],
  [
    'hidden characters in a schema',
    changed('a', { inputSchema: { type: 'object', properties: { x: { title: `a${hidden}` } } } }),
    null,
    `hidden-characters toolgate.lock.json${TOOLS}/a/definition/inputSchema/properties/x/title`,
  ],
  [
    'a schema that checks nothing',
    changed('a', { inputSchema: { type: 'object', properties: { x: { type: 'strin' } } } }),
    null,
    `schema-invalid toolgate.lock.json${TOOLS}/a/definition/inputSchema/properties/x/type`,
  ],
  [
    'a policy with an unknown field',
    { ...changed('a'), tools: { a: { requireConfirmation: false } } },
    null,
    `unknown-field toolgate.lock.json${TOOLS}/a/policy/requireConfirmation`,
  ],
  [
    'a policy with a field of the server',
    { ...changed('a'), tools: { a: { parameters: {} } } },
    null,
    `unknown-field toolgate.lock.json${TOOLS}/a/policy/parameters`,
  ],
  [
    'a policy of a wrong value',
    { ...changed('a'), tools: { a: { timeoutMs: 0 } } },
    null,
    `bad-budget toolgate.lock.json${TOOLS}/a/policy/timeoutMs`,
  ],
  [
    'a policy of a wrong type',
    { ...changed('a'), tools: { a: { sideEffects: 'none of them' } } },
    null,
    `bad-enum toolgate.lock.json${TOOLS}/a/policy/sideEffects`,
  ],
  [
    'a cache of a write',
    { ...changed('a'), tools: { a: { cache: { ttlMs: 1000 } } } },
    null,
    `cache-on-writes toolgate.lock.json${TOOLS}/a/policy/cache`,
  ],
])('%s is an error', async (_, source, edit, finding) => {
  const project = lockedProject({ fs: source }, folder)
  edit?.(project)
  const report = await build(project)
  expect(findings(report)).toContain(finding)
  expect(report.ok).toBe(false)
})

test.each([
  [
    'a long description',
    changed('a', { description: 'Long. '.repeat(400) }),
    `description-long toolgate.lock.json${TOOLS}/a/definition/description`,
  ],
  [
    'a description about another tool',
    changed('a', { description: 'Before each mail_send, call this.' }),
    `names-other-tool toolgate.lock.json${TOOLS}/a/definition/description`,
  ],
  ['no tools', { definitions: [] }, 'no-tools toolgate.lock.json/sources/fs'],
])('%s is a warning', async (_, source, finding) => {
  const report = await build(lockedProject({ fs: source }, folder))
  expect([findings(report), report.ok]).toEqual([[finding], true])
})

test('what a server leaves out or calls by unusual names builds', async () => {
  const definitions = [
    { name: 'bare', inputSchema: { type: 'object' } },
    published('constructor'),
    published('__proto__'),
    published('x'.repeat(128)),
    published('open', {
      inputSchema: {
        type: 'object',
        properties: { id: { type: 'integer', format: 'int32' } },
        additionalProperties: true,
      },
    }),
    published('wild', { outputSchema: { type: 'strin' } }),
  ]
  const report = await build(lockedProject({ fs: { definitions } }))
  expect([findings(report), report.tools.length]).toEqual([[], 6])
})

/** Handlers of the host in place of the server. */
const handlersOf = ({ tools }, received = []) =>
  Object.fromEntries(
    tools.map(id => [
      id,
      ({ args }) => {
        received.push(args)
        return { ok: true, data: {} }
      },
    ]),
  )
