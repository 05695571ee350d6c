// An older agent with tools of its own: the shared registry, the unified functions, the prompts and the builder are about these.
import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { fileURLToPath } from 'node:url'

import { buildTools } from '../../index.js'
import { toGeminiNative, toOpenAI } from '../../tools/_build/tool-builder.js'
import { runModule } from '../support/child-process.mjs'
import { temporaryFolder, writeTools } from '../support/tool-set.mjs'

const ROOT = fileURLToPath(new URL('../../', import.meta.url))
const SHIPPED = 'the tools of `toolgate-tools` are loaded'

/** A project with the tool `order_find`, and the package installed. */
function projectWithTools() {
  const project = temporaryFolder()
  writeTools(path.join(project, 'tools'), { order_find: { kind: 'read', properties: { id: { type: 'string' } } } })
  mkdirSync(path.join(project, 'node_modules'))
  symlinkSync(ROOT, path.join(project, 'node_modules', 'toolgate'), 'dir')
  return project
}

/** Runs a program of the project in it. */
async function runIn(project, source, folder = '.') {
  const program = path.join(project, 'program.mjs')
  writeFileSync(program, source)
  const cwd = path.join(project, folder)
  mkdirSync(cwd, { recursive: true })
  return runModule(`await import(${JSON.stringify(program)})`, { cwd })
}

const PROGRAM = `
  import { toolRegistry } from 'toolgate/tools/_core/registry.js'
  import { executeUnifiedTool } from 'toolgate/unified'
  import { loadTextPrompt, loadVoicePrompt } from 'toolgate/voice-server/prompt-loader.js'
  await toolRegistry.load()
  const unified = await executeUnifiedTool('order_find', { id: 'a7' })
  const prompts = [loadTextPrompt(), loadVoicePrompt()]
  const says = words => prompts.map(prompt => prompt.includes(words))
  console.log(JSON.stringify({ tools: [...toolRegistry.tools.keys()], unified, tool: says('order_find'),
    demo: says('kb_search'), studio: says('this studio'), own: says('A shop for bicycles.') }))
  await toolRegistry.close()`

test('the project’s tool set is loaded, called and described, in silence', async () => {
  const project = projectWithTools()
  await buildTools({ toolsDir: path.join(project, 'tools') })
  const { stdout, stderr } = await runIn(project, PROGRAM, 'src/deep')
  expect(stderr).toBe('')
  expect(JSON.parse(stdout)).toEqual({
    tools: ['order_find'],
    unified: { success: true, data: { id: 'a7' } },
    tool: [true, true],
    demo: [false, false],
    studio: [false, false],
    own: [false, false],
  })
})

test('the project’s own prompt files take the place of the package’s, each for itself', async () => {
  const project = projectWithTools()
  await buildTools({ toolsDir: path.join(project, 'tools') })
  mkdirSync(path.join(project, 'prompts'))
  writeFileSync(path.join(project, 'prompts', 'core.md'), '# Who you are\n\nA shop for bicycles.\n')
  const { stdout } = await runIn(project, `${PROGRAM}\nconsole.log(loadVoicePrompt().includes('# How you speak'))`)
  const [said, speaks] = stdout.split('\n')
  expect([JSON.parse(said).own, speaks]).toEqual([[true, true], 'true'])
})

test('tools that are not built: the shipped set, and one line that says so', async () => {
  const { stdout, stderr } = await runIn(projectWithTools(), PROGRAM)
  expect(JSON.parse(stdout)).toMatchObject({ demo: [true, true], studio: [true, true], unified: { success: false } })
  expect(stderr.split('\n').filter(line => line.includes(SHIPPED))).toHaveLength(1)
})

test('an artifact that the host names is loaded', async () => {
  const project = projectWithTools()
  const outDir = path.join(project, 'dist')
  await buildTools({ toolsDir: path.join(project, 'tools'), outDir })
  const program = PROGRAM.replace('.load()', `.load({ artifact: ${JSON.stringify(`${outDir}/tool_registry.json`)} })`)
  const { stdout, stderr } = await runIn(project, program)
  expect([JSON.parse(stdout).tools, stderr]).toEqual([['order_find'], ''])
})

describe('tools/_build/tool-builder.js', () => {
  const BUILDER = `import { createRequire } from 'node:module'
    import { spawnSync } from 'node:child_process'
    const builder = createRequire(import.meta.url).resolve('toolgate/tools/_build/tool-builder.js')
    const { status, stdout, stderr } = spawnSync(process.execPath, [builder], { encoding: 'utf8' })
    console.log(JSON.stringify({ status, stdout, stderr }))`
  const shipped = () => readFileSync(path.join(ROOT, 'tools', 'tool_registry.json'), 'utf8')

  test.each([
    ['the folder `tools`', 'tools', undefined],
    ['the folders of package.json', 'dist', { out: 'dist' }],
  ])('builds the project’s tools: %s', async (_, out, toolgate) => {
    const before = shipped()
    const project = projectWithTools()
    if (toolgate) writeFileSync(path.join(project, 'package.json'), JSON.stringify({ toolgate }))
    const { stdout } = await runIn(project, BUILDER, 'scripts')
    expect(JSON.parse(stdout)).toMatchObject({ status: 0, stderr: '' })
    const built = JSON.parse(readFileSync(path.join(project, out, 'tool_registry.json'), 'utf8'))
    expect(built.tools.map(({ toolId }) => toolId)).toEqual(['order_find'])
    expect(shipped()).toBe(before)
  })

  test('builds nothing inside node_modules, and nothing without a folder', async () => {
    const project = temporaryFolder()
    const installed = path.join(project, 'node_modules', 'other')
    writeTools(path.join(installed, 'tools'), { order_find: {} })
    symlinkSync(ROOT, path.join(project, 'node_modules', 'toolgate'), 'dir')
    const inside = JSON.parse((await runIn(project, BUILDER, 'node_modules/other')).stdout)
    expect(inside).toMatchObject({ status: 2, stderr: expect.stringContaining('belongs to an installed package') })
    const outside = JSON.parse((await runIn(project, BUILDER)).stdout)
    expect(outside).toMatchObject({ status: 2, stderr: expect.stringContaining('no tools folder was found') })
  })

  test('declares a schema.json', () => {
    const schema = JSON.parse(readFileSync(path.join(ROOT, 'tools', 'kb_get', 'schema.json'), 'utf8'))
    const { description, parameters } = schema
    const declared = toOpenAI(schema).function
    expect(declared).toMatchObject({ name: 'kb_get', description })
    expect(Object.keys(declared.parameters.properties)).toEqual(Object.keys(parameters.properties))
    expect(toGeminiNative(schema)).toMatchObject({ name: 'kb_get', parameters: { type: 'OBJECT' } })
    expect(() => toOpenAI({ ...schema, parameters: { type: 'nothing' } })).toThrow(TypeError)
  })
})
