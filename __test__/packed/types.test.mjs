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

/** The paths of the older layer are ES modules. */
const PATHS = `import { ErrorType, ToolError } from 'toolgate/tools/_core/error-types.js'
import { toolRegistry } from 'toolgate/tools/_core/registry.js'
import { createStateController } from 'toolgate/tools/_core/state-controller.js'
import { success } from 'toolgate/tools/_core/tool-response.js'
import { buildTools, toOpenAI } from 'toolgate/tools/_build/tool-builder.js'
import toGeminiNative from 'toolgate/tools/_build/provider-adapters/gemini-native.js'
import { embeddedServices } from 'toolgate/tools/_services/embedded.js'
import { embeddedServices as ownServices } from 'toolgate-tools/_services/embedded.js'
import type { CalendarService } from 'toolgate/tools/_services/service-types.js'
import { createImageService } from 'toolgate/tools/_services/image-service.js'
import { createPlaceholderImages } from 'toolgate/tools/_services/placeholder-images.js'
import { VOICE_BUDGET } from 'toolgate/voice-server/config.js'
import { loadVoicePrompt } from 'toolgate/voice-server/prompt-loader.js'
import { OpenAITransport } from 'toolgate/voice-server/providers/openai-transport.js'

export const GET = async () => {
  await toolRegistry.load({ services: await embeddedServices({ timeZone: 'Europe/Vienna' }) })
  const image = createImageService(createPlaceholderImages()).get('img_1')
  const transport: OpenAITransport = new OpenAITransport({})
  const limits: number[] = [VOICE_BUDGET.MAX_TOP_K, VOICE_BUDGET.totalCalls, image?.bytes.length ?? 0]
  const declared = [toOpenAI({ toolId: 'a', parameters: { type: 'object' } }), toGeminiNative({ name: 'b' })]
  const state = createStateController({ mode: 'text' }).getSnapshot().isActive
  const text: string = loadVoicePrompt()
  return Response.json({ limits, declared, state, text, answer: success(transport.problem), built: typeof buildTools })
}
export const failed = new ToolError(ErrorType.AUTH, 'no')
// @ts-expect-error: the types are there, and are not \`any\`
embeddedServices({ timeZone: 7 })
// @ts-expect-error
ownServices({ timeZone: 7 })
// @ts-expect-error
export const calendar: CalendarService = 7
// @ts-expect-error
VOICE_BUDGET.maxTopK
`

let packed
let tools
let project

beforeAll(async () => {
  packed = await packPackage()
  tools = await packPackage(['-w', 'toolgate-tools'])
  project = await createProject({
    tarball: packed.tarball,
    dependencies: { '@types/node': '20', 'toolgate-tools': `file:${tools.tarball}` },
    files: { 'use.ts': USE, 'use.cts': USE, 'paths.ts': PATHS },
  })
})

afterAll(async () => {
  await project?.remove()
  await packed?.remove()
  await tools?.remove()
})

test.each(['toolgate', 'toolgate-tools'])('publint finds nothing in %s', async name => {
  const { messages } = await publint({ pkgDir: path.join(project.folder, 'node_modules', name), pack: false })
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
      './web',
    ]),
  )
})

test.each([
  ['node16', 'node16'],
  ['nodenext', 'nodenext'],
  ['bundler', 'esnext'],
])('a program resolves the types with moduleResolution %s', async (moduleResolution, module) => {
  const flags = ['--noEmit', '--strict', '--target', 'es2023', '--types', 'node']
  const args = [...flags, '--module', module, '--moduleResolution', moduleResolution]
  // A bundler's program has no CommonJS modules.
  const files = moduleResolution === 'bundler' ? ['use.ts', 'paths.ts'] : ['use.ts', 'use.cts', 'paths.ts']
  expect(await project.run(bin('tsc'), [...args, ...files])).toBe('')
})
