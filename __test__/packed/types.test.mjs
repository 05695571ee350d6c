// The types and the entry points of the packed package, as its users resolve them.
import { execFile } from 'node:child_process'
import { readFile } from 'node:fs/promises'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { publint } from 'publint'
import { createProject, packPackage } from './project.mjs'

const root = fileURLToPath(new URL('../../', import.meta.url))
const run = promisify(execFile)
const bin = name => path.join(root, 'node_modules', '.bin', name)

const USE = `import { createRegistry, defineTool, success, type Session } from 'toolgate'
import { withToolgate } from 'toolgate/next'
import { GeminiLiveTransport } from 'toolgate/transports/gemini-live-transport.js'

export const tool = defineTool({
  description: 'Count.',
  sideEffects: 'none',
  parameters: { type: 'object' },
  execute: ({ args }) => success(Object.keys(args).length),
})
export const config: { output: string } = withToolgate({ output: 'standalone' })
export const opened: Promise<Session> = createRegistry().load().then(registry => registry.createSession({ mode: 'text' }))
export const transport = GeminiLiveTransport
// @ts-expect-error: the types are there, and are not \`any\`
createRegistry({ artifact: 7 })
`

let packed
let project

beforeAll(async () => {
  packed = await packPackage()
  project = await createProject({
    tarball: packed.tarball,
    dependencies: { '@types/node': '20' },
    files: { 'use.ts': USE, 'use.cts': USE },
  })
}, 240_000)

afterAll(async () => {
  await project?.remove()
  await packed?.remove()
})

test('publint finds nothing in the package', async () => {
  const { messages } = await publint({ pkgDir: path.join(project.folder, 'node_modules', 'toolgate'), pack: false })
  // The voice server's package.json is packed for its module type; its entry points are those of its own package.
  const found = messages.filter(({ code }) => code !== 'NESTED_PACKAGE_JSON_FIELD_IGNORED')
  expect(found).toEqual([])
})

test('every entry point has types for CommonJS, for ES modules and for bundlers', async () => {
  // Into a file: the program ends before a pipe has taken all that it writes.
  const report = path.join(project.folder, 'attw.json')
  const command = '"$0" "$1" --profile node16 --format json > "$2"'
  await run('sh', ['-c', command, bin('attw'), packed.tarball, report]).catch(error => error)
  const { problems, analysis } = JSON.parse(await readFile(report, 'utf8'))
  const found = (analysis.problems ?? Object.values(problems).flat()).filter(
    ({ resolutionKind }) => resolutionKind !== 'node10',
  )
  expect(found).toEqual([])
  expect(Object.keys(analysis.entrypoints)).toEqual(
    expect.arrayContaining([
      '.',
      './ai-sdk',
      './openai-agents',
      './langchain',
      './adk',
      './mastra',
      './genkit',
      './livekit',
      './tool-call',
      './mcp',
      './next',
    ]),
  )
}, 120_000)

test.each([
  ['node16', 'node16'],
  ['nodenext', 'nodenext'],
  ['bundler', 'esnext'],
])(
  'a program resolves the types with moduleResolution %s',
  async (moduleResolution, module) => {
    const flags = ['--noEmit', '--strict', '--target', 'es2023', '--types', 'node']
    const args = [...flags, '--module', module, '--moduleResolution', moduleResolution]
    // A bundler's program has no CommonJS modules.
    const files = moduleResolution === 'bundler' ? ['use.ts'] : ['use.ts', 'use.cts']
    expect(await project.run(bin('tsc'), [...args, ...files])).toBe('')
  },
  120_000,
)
