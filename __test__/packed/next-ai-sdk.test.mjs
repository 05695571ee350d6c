// The example of Next.js and the AI SDK, from the packed packages: started by its one command, and used as its page does.
import { spawn } from 'node:child_process'
import { cp, readFile } from 'node:fs/promises'
import path from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { DefaultChatTransport, readUIMessageStream } from 'ai'
import { createProject, packPackage } from './project.mjs'

const EXAMPLE = fileURLToPath(new URL('../../examples/next-ai-sdk/', import.meta.url))
const FILES = ['main.mjs', 'next.config.mjs', 'app', 'tools', 'scenario.json']
const OWN = ['toolgate', 'toolgate-simulator']

let packed
let project
let server
let url

beforeAll(async () => {
  packed = [await packPackage(), await packPackage(['-w', 'toolgate-simulator'])]
  const { dependencies, ...manifest } = JSON.parse(await readFile(path.join(EXAMPLE, 'package.json'), 'utf8'))
  const others = Object.fromEntries(Object.entries(dependencies).filter(([name]) => !OWN.includes(name)))
  project = await createProject({
    tarball: packed[0].tarball,
    dependencies: { ...others, 'toolgate-simulator': `file:${packed[1].tarball}` },
    manifest: { scripts: manifest.scripts, toolgate: manifest.toolgate },
  })
  for (const name of FILES) await cp(path.join(EXAMPLE, name), path.join(project.folder, name), { recursive: true })
  url = await start()
}, 600_000)

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

const user = (id, text) => ({ id, role: 'user', parts: [{ type: 'text', text }] })
const textOf = ({ parts }) => parts.flatMap(part => (part.type === 'text' ? [part.text] : [])).join('')

/** Sends the messages as `useChat` does; resolves with the assistant's message. */
async function send(chatId, messages) {
  const transport = new DefaultChatTransport({ api: `${url}/api/chat` })
  const stream = await transport.sendMessages({ chatId, messages, trigger: 'submit-message' })
  const last = messages.at(-1)
  const message = last.role === 'assistant' ? structuredClone(last) : undefined
  let answer
  for await (const state of readUIMessageStream({ stream, message })) answer = state
  return answer
}

test('the page is served, and a question is answered from a tool', async () => {
  const page = await fetch(url)
  expect([page.status, await page.text()]).toEqual([200, expect.stringContaining('When does order A-17 arrive?')])
  expect(textOf(await send('chat-find', [user('u1', 'When does order A-17 arrive?')]))).toBe('It arrives on Friday.')
}, 60_000)

test.each([
  [true, 'A-17 is cancelled.'],
  [false, 'Nothing was cancelled.'],
])(
  'a write waits for its approval; answered with %j',
  async (approved, text) => {
    const chatId = `chat-cancel-${approved}`
    const question = user('u1', 'Please cancel A-17.')
    const asked = await send(chatId, [question])
    const call = asked.parts.find(({ type }) => type === 'tool-cancel_order')
    expect([call.state, call.input, textOf(asked)]).toEqual(['approval-requested', { number: 'A-17' }, ''])
    Object.assign(call, { state: 'approval-responded', approval: { ...call.approval, approved } })
    expect(textOf(await send(chatId, [question, asked]))).toBe(text)
  },
  60_000,
)

test('it has less than 100 lines of its own code', async () => {
  const code = ['main.mjs', 'next.config.mjs', 'app/layout.jsx', 'app/page.jsx', 'app/api/chat/route.js'].concat(
    ['find_order', 'cancel_order'].map(tool => `tools/${tool}/tool.js`),
  )
  const texts = await Promise.all(code.map(file => readFile(path.join(EXAMPLE, file), 'utf8')))
  expect(texts.flatMap(text => text.split('\n')).filter(line => line.trim() !== '').length).toBeLessThan(100)
})
