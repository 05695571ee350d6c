// The package as a host takes it: the same names by `require` and by `import`, and the older import paths over them.
import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import path from 'node:path'
import { fileURLToPath } from 'node:url'

import * as imported from '../../index.js'
import * as errorTypes from '../../tools/_core/error-types.js'
import * as coreRegistry from '../../tools/_core/registry.js'
import * as stateController from '../../tools/_core/state-controller.js'
import * as coreResponse from '../../tools/_core/tool-response.js'
import * as toolBuilder from '../../tools/_build/tool-builder.js'
import { packedFiles } from '../../scripts/packed-files.mjs'
import { declaredValues } from '../support/declared-exports.mjs'
import { runModule } from '../support/child-process.mjs'
import { temporaryFolder } from '../support/tool-set.mjs'
import { HIDDEN_TOOLS_LINE } from '../support/hidden-tools-line.mjs'

const required = createRequire(import.meta.url)('../../index.js')
const ROOT = fileURLToPath(new URL('../../', import.meta.url))
const expected = declaredValues()

/** Runs a module of a project that has the package installed. */
async function inAProject(source, file) {
  const project = temporaryFolder()
  mkdirSync(path.join(project, 'node_modules'))
  symlinkSync(ROOT, path.join(project, 'node_modules', 'toolgate'), 'dir')
  const program = path.join(project, file)
  writeFileSync(program, source)
  const ran = await runModule(`await import(${JSON.stringify(program)})`)
  expect(ran).toMatchObject({ code: 0, stderr: expect.stringMatching(HIDDEN_TOOLS_LINE) })
  return JSON.parse(ran.stdout)
}

test('require gives what index.d.ts declares, and nothing else', () => {
  expect(Object.keys(required).sort()).toEqual(expected)
})

test('import gives the same objects under the same names', () => {
  for (const name of expected) expect(imported[name]).toBe(required[name])
})

test('an installed package is required by name', async () => {
  const names = await inAProject("console.log(JSON.stringify(Object.keys(require('toolgate')).sort()))", 'main.cjs')
  expect(names).toEqual(expected)
})

test('an installed package is imported by name, with every name as a named export', async () => {
  const source = `import * as all from 'toolgate'\nimport { ${expected.join(', ')} } from 'toolgate'
    const named = { ${expected.join(', ')} }
    console.log(JSON.stringify(Object.keys(named).filter(name => named[name] === all.default[name]).sort()))`
  expect(await inAProject(source, 'main.mjs')).toEqual(expected)
})

test('import and require of one process share one process-wide registry', async () => {
  const source = `import { createRequire } from 'node:module'\nimport { toolRegistry } from 'toolgate'
    const other = createRequire(import.meta.url)('toolgate').toolRegistry
    await toolRegistry.load()
    console.log(JSON.stringify({ same: other === toolRegistry, tools: [...other.tools.keys()] }))`
  const { same, tools } = await inAProject(source, 'main.mjs')
  expect(same).toBe(true)
  // Read by default: the shipped tool set.
  expect(tools).toEqual(
    expect.arrayContaining(['end_voice_session', 'ignore_user', 'kb_get', 'kb_search', 'start_voice_session']),
  )
})

test('what the README links to is in the package', () => {
  const files = packedFiles()
  const readme = readFileSync(path.join(ROOT, 'README.md'), 'utf8')
  const linked = [...readme.matchAll(/(?:\]\(|(?:src|srcset)=")(?!\w+:|#)([^)#\s"]+)/g)].map(([, target]) => target)
  expect(linked).toContain('docs/next.md')
  expect(linked.filter(target => !files.includes(target))).toEqual([])
})

test.each([
  ['tools/_core/registry.js', coreRegistry, ['createRegistry', 'toolRegistry']],
  [
    'tools/_core/error-types.js',
    errorTypes,
    ['ErrorType', 'IntentType', 'ToolError', 'httpStatus', 'validateToolResponse'],
  ],
  [
    'tools/_core/tool-response.js',
    coreResponse,
    ['IntentType', 'TOOL_RESPONSE_SCHEMA_VERSION', 'failure', 'success', 'toolResponseSchema', 'validateToolResponse'],
  ],
  ['tools/_core/state-controller.js', stateController, ['createStateController']],
])('%s hands on the same objects', (_path, module, names) => {
  expect(Object.keys(module).sort()).toEqual(expect.arrayContaining(names))
  for (const name of Object.keys(module)) expect(module[name]).toBe(required[name])
})

test('the builder hands on `buildTools`, and its declarations', () => {
  expect(toolBuilder.buildTools).toBe(required.buildTools)
  expect(Object.keys(toolBuilder).sort()).toEqual(['buildTools', 'toGeminiNative', 'toOpenAI'])
})

test('the older paths resolve through the installed package', async () => {
  const source = `import { toolRegistry } from 'toolgate/tools/_core/registry.js'\nimport * as all from 'toolgate'
    console.log(JSON.stringify(toolRegistry === all.toolRegistry))`
  expect(await inAProject(source, 'main.mjs')).toBe(true)
})

describe('the error table', () => {
  const statuses = {
    VALIDATION: 400,
    NOT_FOUND: 404,
    MODE_RESTRICTED: 403,
    BUDGET_EXCEEDED: 429,
    LOOP_DETECTED: 429,
    CONFIRMATION_REQUIRED: 428,
    CONFIRMATION_EXPIRED: 410,
    AUTH: 401,
    RATE_LIMIT: 429,
    SESSION_INACTIVE: 409,
    SESSION_ACTIVE: 409,
    CONFLICT: 409,
    TRANSIENT: 503,
    PERMANENT: 422,
    CANCELLED: 499,
    INTERNAL: 500,
  }

  test('each type is its own name and has its HTTP status', () => {
    expect(required.ErrorType).toEqual(Object.fromEntries(Object.keys(statuses).map(type => [type, type])))
    for (const [type, status] of Object.entries(statuses)) expect(required.httpStatus(type)).toBe(status)
    expect(Object.isFrozen(required.ErrorType) && Object.isFrozen(required.IntentType)).toBe(true)
  })

  test.each(['', 'NOPE', 'toString', '__proto__', undefined, null])(
    'the status of %p, which is no type, is 500',
    type => {
      expect(required.httpStatus(type)).toBe(500)
    },
  )

  test('a ToolError carries what it was made with', () => {
    const cause = new Error('why')
    const options = {
      retryable: false,
      partialSideEffects: true,
      idempotencyRequired: true,
      details: { a: 1 },
      suggestion: 's',
      retryAfterMs: 5,
    }
    const error = new required.ToolError('TRANSIENT', 'gone', { ...options, cause })
    expect(error).toBeInstanceOf(Error)
    expect(error).toMatchObject({ name: 'ToolError', type: 'TRANSIENT', message: 'gone', ...options })
    expect(error.cause).toBe(cause)
  })

  test.each([
    ['TRANSIENT', true],
    ['RATE_LIMIT', true],
    ['PERMANENT', false],
    ['CONFLICT', false],
  ])('a bare %s is retryable: %p', (type, retryable) => {
    expect(new required.ToolError(type, 'm')).toMatchObject({ retryable, partialSideEffects: false })
  })

  test.each(['NOPE', 'constructor', undefined])(
    'a ToolError or failure of type %p is refused, naming the types',
    type => {
      expect(() => new required.ToolError(type, 'm')).toThrow(/unknown error type `.*`; it must be one of VALIDATION, /)
      expect(() => required.failure(type, 'm')).toThrow(TypeError)
    },
  )
})

describe('what a model may see', () => {
  const asked = {
    ok: false,
    intents: [],
    meta: {},
    error: {
      type: 'CONFIRMATION_REQUIRED',
      confirmation_request: { token: 'tgc_x', expires: 1, tool: 't', args: {}, preview: 'p' },
    },
  }

  test('the token is left out, and the answer itself keeps it', () => {
    const seen = required.toModelResponse(asked)
    expect(JSON.stringify(seen)).not.toContain('tgc_x')
    expect(seen.error.confirmation_request).toEqual({ expires: 1, tool: 't', args: {}, preview: 'p' })
    expect(asked.error.confirmation_request.token).toBe('tgc_x')
  })

  test.each([[{ ok: true, data: 1, intents: [], meta: {} }], [null], [undefined]])('%j passes as it is', value => {
    expect(required.toModelResponse(value, { meta: 'full' })).toBe(value)
  })
})

describe('validateToolResponse', () => {
  const meta = {
    toolId: 't',
    toolVersion: null,
    registryVersion: '1.0.00000000',
    duration: 0,
    timestamp: '2026-01-01T00:00:00Z',
    responseSchemaVersion: '1.0.0',
  }
  const error = { type: 'PERMANENT', message: 'm', retryable: false, partialSideEffects: false }

  test.each([
    [{ ok: true, intents: [], meta }],
    [{ ok: true, data: null, intents: [], meta }],
    [{ ok: false, error, intents: [], meta }],
  ])('takes %j', value => {
    expect(required.validateToolResponse(value)).toBe(true)
    expect(required.validateToolResponse(value, { strict: true })).toBe(true)
  })

  test.each([
    ['no intents', { ok: true, meta }],
    ['no meta', { ok: true, intents: [] }],
    ['neither', { ok: true, data: 1 }],
    ['an error without retryable', { ok: false, error: { type: 'PERMANENT', message: 'm' } }],
    ['success()', required.success([1])],
    ['failure()', required.failure('NOT_FOUND', 'm', { suggestion: 's' })],
    ['a retryAfter', { ok: false, error: { type: 'RATE_LIMIT', message: 'm', retryAfter: 2 } }],
    ['another version', { ok: true, intents: [], meta: { ...meta, responseSchemaVersion: '2.0.0' } }],
  ])('takes what a handler returns with %s, and no such answer', (_what, value) => {
    expect(required.validateToolResponse(value)).toBe(true)
    expect(() => required.validateToolResponse(value, { strict: true })).toThrow(/^not a ToolResponse: ./)
  })

  const cycle = { ok: true, intents: [], meta }
  cycle.data = cycle
  test.each([
    ['nothing', undefined],
    ['null', null],
    ['a text', 'ok'],
    ['a list', []],
    ['no ok', { intents: [], meta }],
    ['ok that is a text', { ok: 'true', intents: [], meta }],
    ['an error beside ok', { ok: true, error, intents: [], meta }],
    ['data beside a failure', { ok: false, data: 1, error, intents: [], meta }],
    ['a failure without error', { ok: false, intents: [], meta }],
    ['an unknown member', { ok: true, stream: true }],
    ['an unknown error type', { ok: false, error: { ...error, type: 'NOPE' }, intents: [], meta }],
    ['an error without message', { ok: false, error: { type: 'PERMANENT' }, intents: [], meta }],
    ['an unknown intent', { ok: true, intents: [{ type: 'REBOOT' }], meta }],
    ['a cycle', cycle],
    ['a BigInt', { ok: true, data: 1n, intents: [], meta }],
  ])('throws a TypeError for %s', (_what, value) => {
    expect(() => required.validateToolResponse(value)).toThrow(TypeError)
    expect(() => required.validateToolResponse(value)).toThrow(/^not a ToolResponse: ./)
  })
})
