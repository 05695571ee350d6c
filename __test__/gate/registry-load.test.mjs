// Loading a tool set: what is wrong with it, each with its code and a message that helps.
import { readFileSync, renameSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { pathToFileURL } from 'node:url'

import { createRegistry, RegistryLoadError } from '../../index.js'
import { afterTest, temporaryFolder, toolSet } from '../support/tool-set.mjs'

const TOOLS = { echo: { properties: { text: { type: 'string' } } }, other: {} }

function registryOf(options) {
  const registry = createRegistry(options)
  afterTest(() => registry.close({ timeoutMs: 0 }))
  return registry
}

/** The artifact of TOOLS, changed by hand. */
async function changed(change) {
  const { artifact } = await toolSet(TOOLS)
  const content = JSON.parse(readFileSync(artifact, 'utf8'))
  change(content)
  writeFileSync(artifact, JSON.stringify(content))
  return artifact
}

async function failureOf(registry) {
  const error = await registry.load().then(
    () => {
      throw new Error('it loaded')
    },
    failure => failure,
  )
  expect(error).toBeInstanceOf(RegistryLoadError)
  expect(error).toBeInstanceOf(Error)
  expect(error.name).toBe('RegistryLoadError')
  return error
}

test('a compiled tool set loads, by path and by URL', async () => {
  const { artifact, version } = await toolSet(TOOLS)
  for (const location of [artifact, pathToFileURL(artifact), pathToFileURL(artifact).href]) {
    const registry = registryOf({ artifact: location })
    expect(await registry.load()).toBe(registry)
    expect(registry.getVersion()).toBe(version)
    expect([...registry.tools.keys()]).toEqual(['echo', 'other'])
    expect(registry.tools.size).toBe(2)
  }
})

test('a second load waits for the first, and changes nothing', async () => {
  const registry = registryOf({ artifact: (await toolSet(TOOLS)).artifact })
  const [first, second] = await Promise.all([registry.load(), registry.load()])
  expect(first).toBe(second)
  const before = registry.tools
  await registry.load()
  expect(registry.tools).toBe(before)
})

test('the folder of a tool set can be moved', async () => {
  const moved = path.join(temporaryFolder(), 'elsewhere')
  renameSync((await toolSet(TOOLS)).folder, moved)
  const registry = registryOf({ artifact: path.join(moved, 'tool_registry.json') })
  await registry.load()
  expect((await registry.executeTool('echo', { args: { text: 'hi' } })).data).toEqual({ text: 'hi' })
})

describe('what is not a tool set', () => {
  test('missing: says where, and how to build it', async () => {
    const artifact = path.join(temporaryFolder(), 'tool_registry.json')
    const error = await failureOf(registryOf({ artifact }))
    expect(error.code).toBe('ARTIFACT_MISSING')
    expect(error.message).toContain(`\`${artifact}\``)
    expect(error.message).toContain('npx toolgate build')
  })

  test('a folder in its place', async () => {
    expect(await failureOf(registryOf({ artifact: temporaryFolder() }))).toMatchObject({
      code: 'ARTIFACT_MISSING',
      message: expect.stringContaining("can't be read (Is a directory"),
    })
  })

  test.each([
    ['cut', text => text.slice(0, text.length / 2)],
    ['empty', () => ''],
    ['not JSON', () => 'module.exports = {}'],
    ['a tool without its fields', () => '{"artifactVersion":1,"version":"1.0.0","tools":[{"toolId":"echo"}]}'],
  ])('%s', async (_what, write) => {
    const { artifact } = await toolSet(TOOLS)
    writeFileSync(artifact, write(readFileSync(artifact, 'utf8')))
    const error = await failureOf(registryOf({ artifact }))
    expect(error.code).toBe('ARTIFACT_INVALID')
    expect(error.message).toMatch(/tool set|artifact/i)
    expect(error.message).toContain('build')
  })

  test.each([
    ['null', 'null'],
    ['a list', '[]'],
    ['an object of something else', '{"name":"toolgate"}'],
  ])('%s names no artifact version', async (_what, text) => {
    const { artifact } = await toolSet(TOOLS)
    writeFileSync(artifact, text)
    const error = await failureOf(registryOf({ artifact }))
    expect(error.code).toBe('ARTIFACT_VERSION')
    expect(error.message).toContain('npx toolgate build')
  })

  test('of another artifact version: names both', async () => {
    const artifact = await changed(content => {
      content.artifactVersion = 99
    })
    const error = await failureOf(registryOf({ artifact }))
    expect(error.code).toBe('ARTIFACT_VERSION')
    expect(error.message).toMatch(/version 99.*reads 1/)
  })

  test('declarations that are none: told when somebody asks for them', async () => {
    const { artifact } = await toolSet(TOOLS)
    const text = readFileSync(artifact, 'utf8')
    writeFileSync(artifact, text.replace('"providerSchemas":{"', '"providerSchemas":{{'))
    const registry = registryOf({ artifact })
    await registry.load()
    for (const ask of [() => registry.getProviderSchemas('openai'), () => registry.getToolMetadata('echo').lowering]) {
      expect(ask).toThrow(
        expect.objectContaining({
          code: 'TOOL_INVALID',
          message: expect.stringMatching(/`echo`.*declarations.*npx toolgate build/),
        }),
      )
    }
    expect((await registry.executeTool('echo', { args: { text: 'hi' } })).data).toEqual({ text: 'hi' })
    // Changed by hand to another length, the artifact is read as a whole.
    writeFileSync(artifact, text.replace('"providerSchemas":{', '"providerSchemas":{{'))
    expect((await failureOf(registryOf({ artifact }))).code).toBe('ARTIFACT_INVALID')
  })

  test('a schema that does not compile: names the tool', async () => {
    const artifact = await changed(content => {
      content.tools[0].jsonSchema.properties.text.pattern = '('
    })
    const error = await failureOf(registryOf({ artifact }))
    expect(error.code).toBe('TOOL_INVALID')
    expect(error.message).toContain('`echo`')
    expect(error.message).toContain('npx toolgate build')
  })

  test('a failed load can be tried again once the tool set is there', async () => {
    const { artifact } = await toolSet(TOOLS)
    const text = readFileSync(artifact, 'utf8')
    writeFileSync(artifact, '{')
    const registry = registryOf({ artifact })
    await failureOf(registry)
    expect(() => registry.getVersion()).toThrow('not loaded')
    writeFileSync(artifact, text)
    await registry.load()
    expect(registry.tools.size).toBe(2)
  })
})

describe('handlers', () => {
  const broken = async (source, given) => {
    const { artifact } = await toolSet({ echo: {} })
    writeFileSync(path.join(path.dirname(artifact), 'echo', 'handler.js'), source)
    return registryOf({ artifact, handlers: given })
  }

  test.each([
    ['that throws when it is imported', 'throw new Error("no database")', 'no database'],
    ['with a syntax error', 'export function execute( {', "can't be imported"],
    ['without execute', 'export const run = () => {}', 'exports no function `execute`'],
    ['whose execute is no function', 'export const execute = 7', 'exports no function `execute`'],
    [
      'of another major version',
      'export const responseSchemaVersion = "2.0.0"\nexport function execute() {}',
      'ToolResponse 2.0.0',
    ],
    ['that imports what is not there', 'import "./nowhere.js"\nexport function execute() {}', "can't be imported"],
  ])('one %s', async (_what, source, message) => {
    const error = await failureOf(await broken(source))
    expect(error.code).toBe('HANDLER_INVALID')
    expect(error.message).toContain('`echo`')
    expect(error.message).toContain(message)
  })

  test.each([
    ['null', null],
    ['nothing', undefined],
    ['a text', 'x'],
    ['an object without execute', {}],
  ])('given as %s', async (_what, given) => {
    const error = await failureOf(await broken('export function execute() {}', { echo: given }))
    expect(error).toMatchObject({ code: 'HANDLER_INVALID', message: expect.stringContaining('`echo`') })
  })

  test('of the same major version, as a default export, as a function, as CommonJS: all run', async () => {
    const { artifact, folder } = await toolSet({
      named: {
        source:
          'export const responseSchemaVersion = "1.7.0"\nexport function execute() { return { ok: true, data: "named" } }\n',
      },
      given: {},
      whole: {},
      cjs: {},
    })
    writeFileSync(path.join(folder, 'cjs', 'package.json'), '{ "type": "commonjs" }')
    writeFileSync(path.join(folder, 'cjs', 'handler.js'), 'exports.execute = () => ({ ok: true, data: "cjs" })')
    const registry = registryOf({
      artifact,
      handlers: {
        given: () => ({ ok: true, data: 'given' }),
        whole: { default: { execute: () => ({ ok: true, data: 'whole' }) } },
      },
    })
    await registry.load()
    const answers = await Promise.all(['named', 'given', 'whole', 'cjs'].map(name => registry.executeTool(name)))
    expect(answers.map(({ data }) => data)).toEqual(['named', 'given', 'whole', 'cjs'])
  })

  test('a handler keeps its own `this`', async () => {
    const { artifact } = await toolSet({ echo: {} })
    const registry = registryOf({
      artifact,
      handlers: {
        echo: {
          word: 'mine',
          execute() {
            return { ok: true, data: this.word }
          },
        },
      },
    })
    await registry.load()
    expect((await registry.executeTool('echo')).data).toBe('mine')
  })
})

describe('misuse of the registry', () => {
  test.each([
    'getVersion',
    'getGitCommit',
    'getSummaries',
    'getProviderSchemas',
    'getMetrics',
    'lock',
    'snapshot',
    'watch',
  ])('%s before load throws and says what to do', name => {
    expect(() => registryOf()[name]('x')).toThrow(/not loaded; `await registry.load\(\)` first/)
  })

  test.each(['reload', 'executeTool', 'createSession'])('%s before load rejects and says what to do', async name => {
    await expect(registryOf()[name]('echo')).rejects.toThrow(/not loaded/)
  })

  test.each([
    ['an unknown option', { artefact: 'x' }, /unknown registry option `artefact`; it takes artifact, /],
    ['no object', null, /options must be an object/],
    ['another store', { store: 'postgres' }, /unknown store `postgres`/],
    ['another environment', { environment: 'staging' }, /unknown environment `staging`/],
    ['an audit that is none', { audit: 7 }, /`audit` must be/],
    ['an audit file without a name', { audit: { file: '' } }, /`audit` must be/],
    ['handlers that are null', { handlers: null }, /`handlers` must be an object/],
    ['a listener that is none', { onHandlerError: 'log' }, /`onHandlerError` must be a function/],
    ['an unknown limit', { limits: { maxBytes: 1 } }, /maxBytes/],
    ['a limit that is no number', { limits: { maxArgsBytes: 'x' } }, /limits|maxArgsBytes|usize/],
    ['a mode with the name of a row of metrics', { modes: { total: {} } }, /can't be named `total`/],
    ['another one', { modes: { '(none)': { totalCalls: 3 } } }, /can't be named `\(none\)`/],
    ['an unknown number of a mode', { modes: { voice: { retrievals: 1 } } }, /retrievals/],
  ])('%s is a TypeError', async (_what, options, message) => {
    const artifact = (await toolSet(TOOLS)).artifact
    const load = async () => registryOf(options === null ? null : { artifact, ...options }).load()
    const error = await load().then(
      () => {
        throw new Error('it loaded')
      },
      failure => failure,
    )
    expect(error).toBeInstanceOf(TypeError)
    expect(error.message).toMatch(message)
  })

  test.each([
    ['createRegistry', () => createRegistry({ artefact: 'x' })],
    ['load', () => createRegistry().load({ artefact: 'x' })],
  ])('a misspelt option of %s is told before anything is read', async (_what, make) => {
    await expect((async () => make())()).rejects.toThrow(/unknown registry option `artefact`/)
  })

  test('an unwritable audit file says so', async () => {
    const load = registryOf({
      artifact: (await toolSet(TOOLS)).artifact,
      audit: { file: path.join(temporaryFolder(), 'no', 'audit.jsonl') },
    }).load()
    await expect(load).rejects.toThrow(/audit file/)
  })
})
