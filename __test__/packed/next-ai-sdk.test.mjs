// The example of Next.js and the AI SDK, from the packed packages: started by its one command, and used as its page does.
import { spawn } from 'node:child_process'
import { cp, readFile } from 'node:fs/promises'
import path from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { overHttp } from '../support/agent.mjs'
import { createProject, packPackage } from './project.mjs'

const EXAMPLE = fileURLToPath(new URL('../../examples/next-ai-sdk/', import.meta.url))
const FILES = ['main.mjs', 'next.config.mjs', 'app', 'lib', 'tools', 'scenario.json']
const OWN = ['toolgate', 'toolgate-react', 'toolgate-simulator']

let packed
let project
let server
let url

beforeAll(async () => {
  packed = [
    await packPackage(),
    await packPackage(['-w', 'toolgate-simulator']),
    await packPackage(['-w', 'toolgate-react']),
  ]
  const { dependencies, ...manifest } = JSON.parse(await readFile(path.join(EXAMPLE, 'package.json'), 'utf8'))
  const others = Object.fromEntries(Object.entries(dependencies).filter(([name]) => !OWN.includes(name)))
  project = await createProject({
    tarball: packed[0].tarball,
    dependencies: {
      ...others,
      'toolgate-simulator': `file:${packed[1].tarball}`,
      'toolgate-react': `file:${packed[2].tarball}`,
    },
    manifest: { scripts: manifest.scripts, toolgate: manifest.toolgate },
  })
  for (const name of FILES) await cp(path.join(EXAMPLE, name), path.join(project.folder, name), { recursive: true })
  url = await start()
}, 1_200_000)

afterAll(async () => {
  if (server && server.exitCode === null) {
    const ended = new Promise(resolve => server.once('close', resolve))
    process.kill(-server.pid)
    await ended
  }
  await project?.remove()
  for (const one of packed ?? []) await one.remove()
})

/** Runs the start command, in a process group of its own; resolves with the address that it prints. */
async function start() {
  const env = { ...process.env, PORT: '0', OPENAI_API_KEY: '', NODE_OPTIONS: '', NEXT_TELEMETRY_DISABLED: '1' }
  delete env.NODE_ENV
  server = spawn('npm', ['start', '--silent'], { cwd: project.folder, env, detached: true })
  let log = ''
  server.stderr.on('data', piece => (log += piece))
  for await (const line of createInterface({ input: server.stdout })) {
    log += `${line}\n`
    const [, address] = /^listening on (http:.*)/.exec(line) ?? []
    if (address) return address
  }
  throw new Error(`the example did not start: ${log}`)
}

test('the page is served, and a question is answered from a tool', async () => {
  const page = await fetch(url)
  expect([page.status, await page.text()]).toEqual([200, expect.stringContaining('When does order A-17 arrive?')])
  expect(await overHttp(url).say('When does order A-17 arrive?')).toBe('It arrives on Friday.')
})

test.each([
  ['approve', 'A-17 is cancelled.'],
  ['deny', 'Nothing was cancelled.'],
])('a write waits for its approval; answered with %s', async (decision, text) => {
  const page = overHttp(url)
  expect(await page.say('Please cancel A-17.')).toBe('It waits for your answer.')
  expect(page.cards).toMatchObject([{ tool: 'cancel_order', preview: 'Cancel the order A-17' }])
  expect((await page.decide(page.cards[0], decision)).status).toBe(200)
  expect(await page.goOn()).toBe(text)
})

test('it has less than 100 lines of its own code', async () => {
  const app = ['app/layout.jsx', 'app/page.jsx', 'app/api/agent/[...path]/route.js', 'lib/agent.js']
  const tools = ['find_order', 'cancel_order'].map(tool => `tools/${tool}/tool.js`)
  const code = ['main.mjs', 'next.config.mjs', ...app, ...tools]
  const texts = await Promise.all(code.map(file => readFile(path.join(EXAMPLE, file), 'utf8')))
  expect(texts.flatMap(text => text.split('\n')).filter(line => line.trim() !== '').length).toBeLessThan(100)
})
