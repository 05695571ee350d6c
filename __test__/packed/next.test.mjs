// A new Next.js app with two tools, as docs/next.md says, from the packed package: built, copied elsewhere, started, called.
import { spawn } from 'node:child_process'
import { cp, mkdtemp, readFile, rm } from 'node:fs/promises'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { createProject, packPackage } from './project.mjs'

const guide = await readFile(new URL('../../docs/next.md', import.meta.url), 'utf8')
const [config, route] = [...guide.matchAll(/```js\n([^]*?)```/g)].map(([, code]) => code)
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
const STARTED_WITHIN_MS = 30_000
let packed

beforeAll(async () => {
  packed = await packPackage()
}, 120_000)
afterAll(() => packed.remove())

const APPS = [
  ['Next 16, Turbopack', '16', []],
  ['Next 16, webpack', '16', ['--webpack']],
  ['Next 15, webpack', '15', []],
]

test.each(APPS)(
  '%s',
  async (_, version, flags) => {
    const project = await createProject({
      tarball: packed.tarball,
      dependencies: {
        next: version,
        react: '19',
        'react-dom': '19',
        ms: '2',
        typescript: '5',
        '@types/node': '20',
        '@types/react': '19',
      },
      files: {
        'app/layout.jsx': 'export default ({ children }) => <html lang="en"><body>{children}</body></html>\n',
        'app/page.jsx': 'export default () => <p>app</p>\n',
        'app/api/call/route.js': route,
        'app/api/older/route.ts': OLDER_ROUTE,
        'next.config.mjs': config.replace("{ output: 'standalone' }", "{ output: 'standalone' }, { packages: ['ms'] }"),
      },
    })
    try {
      await project.run('npx', ['toolgate', 'new', 'search_orders'])
      await project.write(
        tool(
          'how_long',
          "import ms from 'ms'\nexport const execute = ({ args }) => ({ ok: true, data: { text: ms(args.ms) } })\n",
        ),
      )
      await project.run('npx', ['toolgate', 'build'])
      await project.run('npx', ['next', 'build', ...flags])
      const answers = await answersOf(path.join(project.folder, '.next/standalone'))
      expect(answers).toEqual([{ text: '1m' }, 'VALIDATION', 'NOT_FOUND'])
    } finally {
      await project.remove()
    }
  },
  400_000,
)

/** A tool with one numeric argument. */
function tool(name, handler) {
  const schema = {
    toolId: name,
    version: '1.0.0',
    description: 'Write a number of milliseconds in words.',
    category: 'utility',
    sideEffects: 'none',
    idempotent: true,
    requiresConfirmation: false,
    allowedModes: ['text'],
    latencyBudgetMs: 100,
    parameters: {
      type: 'object',
      additionalProperties: false,
      required: ['ms'],
      properties: { ms: { type: 'number', description: 'Milliseconds.' } },
    },
  }
  const guide = `# ${name}\n\nWrite a number of milliseconds in words.\n\n## Parameters\n\n- \`ms\` (number, required)\n\n## Examples\n\n\`\`\`json\n{ "ms": 60000 }\n\`\`\`\n`
  return {
    [`tools/${name}/schema.json`]: JSON.stringify(schema),
    [`tools/${name}/guide.md`]: guide,
    [`tools/${name}/handler.js`]: handler,
  }
}

/** Starts the standalone server from a copy in another folder, and calls the route. */
async function answersOf(standalone) {
  const folder = await mkdtemp(path.join(tmpdir(), 'toolgate-standalone-'))
  await cp(standalone, folder, { recursive: true, verbatimSymlinks: true })
  const port = await freePort()
  const env = { PATH: process.env.PATH, PORT: String(port), HOSTNAME: '127.0.0.1', NODE_ENV: 'production' }
  const server = spawn(process.execPath, ['server.js'], { cwd: folder, env })
  let log = ''
  for (const stream of [server.stdout, server.stderr]) stream.on('data', piece => (log += piece))
  try {
    const call = body => post(`http://127.0.0.1:${port}/api/call`, body)
    await started(`http://127.0.0.1:${port}/`, () => log)
    const right = await call({ name: 'how_long', args: { ms: 60_000 } })
    const wrong = await call({ name: 'how_long', args: { ms: 'long' } })
    const unknown = await call({ name: 'how_far', args: {} })
    if (!right.ok) throw new Error(`${JSON.stringify(right)}\n${log}`)
    return [right.data, wrong.error.type, unknown.error.type]
  } finally {
    server.kill()
    await new Promise(resolve => (server.exitCode === null ? server.once('exit', resolve) : resolve()))
    await rm(folder, { recursive: true, force: true, maxRetries: 3 })
  }
}

async function post(url, body) {
  const response = await fetch(url, { method: 'POST', body: JSON.stringify(body) })
  const text = await response.text()
  try {
    return JSON.parse(text)
  } catch {
    return { ok: false, status: response.status, text: text.slice(0, 500) }
  }
}

async function started(url, log) {
  const limit = AbortSignal.timeout(STARTED_WITHIN_MS)
  while (!limit.aborted) {
    const answer = await fetch(url).catch(() => null)
    if (answer?.ok) return
    await new Promise(resolve => setTimeout(resolve, 100))
  }
  throw new Error(`the server did not start: ${log()}`)
}

function freePort() {
  return new Promise(resolve => {
    const server = createServer().listen(0, '127.0.0.1', () => {
      const { port } = server.address()
      server.close(() => resolve(port))
    })
  })
}
