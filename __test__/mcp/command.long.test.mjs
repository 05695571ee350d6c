// `toolgate mcp` on standard input and output, as a client starts it.
import { once } from 'node:events'
import { cpSync, existsSync, mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import path from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'

import { StdioClientTransport } from '@modelcontextprotocol/client/stdio'

import { MAIN, runNode, startToolgate, toolgate } from '../support/command.mjs'
import { eventually } from '../support/gate.mjs'
import { project } from '../support/project.mjs'
import { afterTest, temporaryFolder } from '../support/tool-set.mjs'
import { connectClient, envelopeOf } from './support.mjs'

const ROOT = fileURLToPath(new URL('../../', import.meta.url))

/** Prints in every way that there is, before it is asked and while it runs. */
const CHATTY = `
import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { writeSync } from 'node:fs'
import { Worker } from 'node:worker_threads'
console.log('loaded')
export async function execute({ args }) {
  console.log('a log'); console.info('an info'); console.table([{ a: 1 }]); console.dir({ b: 2 })
  process.stdout.write('a write')
  process.stdout.write(new Uint8Array([104, 105, 10]))
  writeSync(1, 'to descriptor 1\\n')
  execFileSync('echo', ['a child'], { stdio: 'inherit' })
  execFileSync('sh', ['-c', 'for fd in 3 4 5 6 7 8 9; do echo "through $fd" >&$fd; done 2>/dev/null; true'], { stdio: 'inherit' })
  const worker = new Worker("console.log('a thread'); require('node:fs').writeSync(1, 'by itself')", { eval: true })
  await once(worker, 'exit')
  spawn('sh', ['-c', 'sleep 0.2; echo later'], { stdio: ['ignore', 'inherit', 'inherit'], detached: true }).unref()
  return { ok: true, data: args }
}
`
/** Begins, writes down that it has, and goes on for a while. */
const SLOW = `
import { appendFileSync } from 'node:fs'
export async function execute({ args }) {
  appendFileSync(args.file, 'begun')
  await new Promise(resolve => setTimeout(resolve, 300))
  return { ok: true, data: 'slow' }
}
`

const STRAY = `
export async function execute() {
  setTimeout(() => { throw new Error('a stray error') }, 1)
  await new Promise(resolve => setTimeout(resolve, 30))
  return { ok: true, data: 'fine' }
}
`

const TOOLS = {
  chatty: { source: CHATTY },
  throws_later: { source: STRAY },
  slow: { kind: 'read', source: SLOW, properties: { file: { type: 'string' } } },
  needy: {
    requires: ['crm'],
    source: 'export const execute = async ({ crm }) => ({ ok: true, data: await crm.name() })\n',
  },
  kiosk_only: { allowedModes: ['kiosk'] },
  admins: { requiredRoles: ['admin'] },
}

async function built(manifest) {
  const made = project({ tools: TOOLS, manifest: { toolgate: { modes: ['kiosk'] }, ...manifest } })
  const { code, stderr } = await toolgate(['build'], { cwd: made.home })
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
  return made
}

/** A client that starts the command itself. */
async function started(words, cwd, user) {
  const transport = new StdioClientTransport({
    command: process.execPath,
    args: [MAIN, 'mcp', ...words],
    cwd,
    stderr: 'pipe',
  })
  const told = { stderr: '' }
  transport.stderr.setEncoding?.('utf8')
  transport.stderr.on('data', text => {
    told.stderr += text
  })
  return { ...(await connectClient(transport, user)), told, transport }
}

test('the shipped tools work as they are', async () => {
  const cwd = temporaryFolder()
  const { client, told } = await started([path.join(ROOT, 'tools')], cwd)
  const { tools } = await client.listTools()
  expect(tools.map(({ name }) => name)).toEqual(
    expect.arrayContaining(['calendar_get_availability', 'kb_get', 'kb_search']),
  )
  const found = await client.callTool({ name: 'kb_search', arguments: { query: 'invoice approval' } })
  expect(found.structuredContent.results.length).toBeGreaterThan(0)
  const range = { start_date: '2027-01-04T08:00:00Z', end_date: '2027-01-04T18:00:00Z' }
  expect(envelopeOf(await client.callTool({ name: 'calendar_get_availability', arguments: range })).ok).toBe(true)
  expect(told.stderr).toMatch(
    /^toolgate: \d+ tools of version 1\.0\.[0-9a-f]{8}, mode text, on standard input and output\ntoolgate: not served, because a service is missing: get_dashboard_stats, image_generate; [^\n]+\n$/,
  )
})

test('what handlers, their children and threads print goes to standard error, and breaks nothing', async () => {
  const { home } = await built()
  const { client, told } = await started([], home)
  for (let time = 0; time < 3; time += 1) expect(envelopeOf(await client.callTool({ name: 'chatty' })).ok).toBe(true)
  const printed = ['loaded', 'a log', 'an info', '│ 0', 'b: 2', 'a write', 'hi\n']
  const written = ['to descriptor 1\n', 'a child\n', 'a thread\n', 'by itself', 'later\n']
  for (const text of [...printed, ...written]) {
    await eventually(() => told.stderr.includes(text), `\`${text}\` on standard error`)
  }
})

test('a handler that imports the linked package has the package of the command', async () => {
  const { home, write } = project()
  write(
    'tools/linked/tool.js',
    `import { defineTool } from 'toolgate'
    export default defineTool({ description: 'Say where the package is. Use it in tests.', sideEffects: 'none',
      parameters: { type: 'object', properties: {}, additionalProperties: false },
      execute: () => ({ ok: true, data: import.meta.resolve('toolgate') }) })\n`,
  )
  await toolgate(['build'], { cwd: home })
  const { client } = await started([], home)
  const { data } = envelopeOf(await client.callTool({ name: 'linked', arguments: {} }))
  expect(data).toBe(pathToFileURL(path.join(ROOT, 'index.js')).href)
})

test('a stray error of a handler is told, and the server answers on', async () => {
  const { client, told } = await started([], (await built()).home)
  const calls = [1, 2, 3].map(() => client.callTool({ name: 'throws_later' }))
  for (const result of await Promise.all(calls)) expect(envelopeOf(result).data).toBe('fine')
  await eventually(() => told.stderr.includes('the handler of `throws_later` threw: Error: a stray error'), 'the error')
  expect(envelopeOf(await client.callTool({ name: 'throws_later' })).ok).toBe(true)
})

test('services, roles, modes and the audit', async () => {
  const { home, write } = await built()
  write(
    'services.mjs',
    "console.log('making services')\nexport default async () => ({ crm: { name: () => 'a crm' } })\n",
  )
  const bare = await started([], home)
  await eventually(() => bare.told.stderr.includes('not served'), 'a word about what is missing')
  expect(bare.told.stderr).toContain(
    'not served, because a service is missing: needy; name a module that exports `crm` with --services\n',
  )
  expect(envelopeOf(await bare.client.callTool({ name: 'admins' })).error.type).toBe('AUTH')
  const { client } = await started(
    ['--services', 'services.mjs', '--roles', 'admin,staff', '--audit', 'audit.jsonl'],
    home,
  )
  expect(envelopeOf(await client.callTool({ name: 'needy' })).data).toBe('a crm')
  expect(envelopeOf(await client.callTool({ name: 'admins' })).ok).toBe(true)
  await client.close()
  const lines = readFileSync(path.join(home, 'audit.jsonl'), 'utf8')
    .trimEnd()
    .split('\n')
    .map(line => JSON.parse(line))
  expect(lines.map(({ event }) => event)).toEqual(
    expect.arrayContaining(['session_started', 'tool_execution', 'session_ended']),
  )
  const kiosk = await started(['--mode', 'kiosk'], home)
  expect((await kiosk.client.listTools()).tools.map(({ name }) => name)).toEqual(['kiosk_only'])
})

const REQUESTS = [
  {
    jsonrpc: '2.0',
    id: 1,
    method: 'initialize',
    params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'a', version: '1' } },
  },
  { jsonrpc: '2.0', method: 'notifications/initialized' },
]
const lined = requests => requests.map(request => `${JSON.stringify(request)}\n`).join('')

/** The command with its output kept. */
function running(words, cwd) {
  const child = startToolgate(['mcp', ...words], { cwd, stdin: 'pipe' })
  const told = { stdout: '', stderr: '' }
  for (const name of Object.keys(told))
    child[name].setEncoding('utf8').on('data', text => {
      told[name] += text
    })
  return {
    child,
    told,
    frames: () =>
      told.stdout
        .trimEnd()
        .split('\n')
        .map(line => JSON.parse(line)),
  }
}

test.each([
  ['its input ends', child => child.stdin.end()],
  ['it is told to end', child => child.kill('SIGTERM')],
  ['Ctrl-C is pressed', child => child.kill('SIGINT')],
])('when %s, what runs is answered and audited', async (_what, end) => {
  const { home } = await built()
  const begun = path.join(home, 'begun')
  const { child, told, frames } = running(['--audit', 'audit.jsonl'], home)
  child.stdin.write(
    lined([
      ...REQUESTS,
      { jsonrpc: '2.0', id: 2, method: 'tools/call', params: { name: 'slow', arguments: { file: begun } } },
    ]),
  )
  await eventually(() => existsSync(begun), 'a start')
  end(child)
  const [code, signal] = await once(child, 'close')
  expect({ code, signal, stderr: told.stderr }).toEqual({
    code: 0,
    signal: null,
    stderr: expect.stringMatching(/^loaded\ntoolgate: \d+ tools .*\n.*not served.*\n$/),
  })
  expect(frames().map(({ id }) => id)).toEqual([1, 2])
  expect(envelopeOf(frames()[1].result).data).toBe('slow')
  const events = readFileSync(path.join(home, 'audit.jsonl'), 'utf8')
    .trimEnd()
    .split('\n')
    .map(line => JSON.parse(line).event)
  expect(events.slice(-1)).toEqual(['session_ended'])
  expect(events).toContain('tool_execution')
})

test('a reader that goes away ends it, with every line of the audit', async () => {
  const { home } = await built()
  const { child } = running(['--audit', 'audit.jsonl'], home)
  child.stdin.write(lined(REQUESTS))
  await once(child.stdout, 'data')
  child.stdout.destroy()
  child.stderr.destroy()
  // The answer has no recipient.
  child.stdin.write(lined([{ jsonrpc: '2.0', id: 2, method: 'tools/call', params: { name: 'chatty' } }]))
  const [code, signal] = await once(child, 'close')
  expect({ code, signal }).toEqual({ code: 0, signal: null })
  expect(readFileSync(path.join(home, 'audit.jsonl'), 'utf8')).toMatch(
    /"event":"tool_execution"[^]*"event":"session_ended"/,
  )
})

test('what can not be served is told on standard error, in a line and a hint', async () => {
  const { home, write } = await built()
  const port = await takenPort()
  write('broken.mjs', 'export default 7\n')
  write('wrong.mjs', "export default () => { throw new Error('no connection\\nat all') }\n")
  write('nothing.txt', 'nothing')
  const fails = (words, code, told) => [words, { code, stdout: '', stderr: `toolgate: ${told}\n` }]
  const table = [
    fails(
      ['nowhere'],
      1,
      'there is no folder `nowhere`\nname the tools folder, or write a first tool with `toolgate init`',
    ),
    fails(['--artifact', 'nowhere.json'], 1, '`nowhere.json` is not there\nbuild it with `toolgate build`'),
    fails(
      ['--artifact', 'nothing.txt'],
      1,
      '`nothing.txt` is no tool set: it is not JSON\nbuild it with `toolgate build`',
    ),
    fails(['--mode', 'kisok'], 2, 'there is no mode `kisok`\ndid you mean `kiosk`?'),
    fails(['--port', '1'], 2, '`--port` needs `--http`\ngive both, or neither'),
    fails(
      ['--http', '--port', '70000'],
      2,
      'option `--port <number>` argument `70000` is invalid: a port is a number from 0 to 65535\nsee `toolgate mcp --help`',
    ),
    fails(
      ['--turn-gap', 'soon'],
      2,
      'option `--turn-gap <ms>` argument `soon` is invalid: give milliseconds, 0 or more\nsee `toolgate mcp --help`',
    ),
    fails(['--services', 'wrong.mjs'], 1, "the services of `wrong.mjs` can't be loaded: no connection"),
    fails(
      ['--services', 'broken.mjs'],
      1,
      '`broken.mjs` has no services\nexport them as default: `export default { kb: … }`, or a function that makes them',
    ),
    fails(
      ['--http', '--port', String(port)],
      1,
      `port ${port} of \`127.0.0.1\` is in use\nchoose another with --port; 0 selects a free one`,
    ),
    fails(
      ['--http', '--host', '192.0.2.1', '--allow-anonymous'],
      1,
      '`192.0.2.1` is no address of this machine\nleave --host out, for this machine alone',
    ),
  ]
  for (const [words, expected] of table) {
    const { code, stdout, stderr } = await toolgate(['mcp', ...words], { cwd: home })
    // The handlers may have been loaded by then.
    expect({ words, code, stdout: stdout.replace(/^loaded\n/, ''), stderr: stderr.replace(/^loaded\n/, '') }).toEqual({
      words,
      ...expected,
    })
  }
})

async function takenPort() {
  const taken = createServer().listen(0, '127.0.0.1')
  await once(taken, 'listening')
  afterTest(() => taken.close())
  return taken.address().port
}

test('tools that are not built, or built before their last change', async () => {
  const { home, write } = await built()
  write('tools/chatty/handler.js', `${CHATTY}\n// changed\n`)
  const { told, client } = await started([], home)
  await client.ping()
  expect(told.stderr).toMatch(/^toolgate: the tool set is out of date: .*; build it again: `toolgate build`\n/)
  rmSync(path.join(home, 'tools', 'tool_registry.json'))
  const { code, stdout, stderr } = await toolgate(['mcp'], { cwd: home })
  expect({ code, stdout, stderr }).toEqual({
    code: 1,
    stdout: '',
    stderr: `toolgate: \`${path.join(home, 'tools', 'tool_registry.json')}\` is not there\nbuild it: \`toolgate build\`\n`,
  })
})

test('without the SDK it says what to install, and the other commands work', async () => {
  const home = temporaryFolder()
  const installed = path.join(home, 'node_modules')
  const own = path.join(installed, 'toolgate')
  mkdirSync(own, { recursive: true })
  for (const name of ['package.json', 'index.js', 'native.js', 'js', 'tools', 'schemas', 'prompts'])
    cpSync(path.join(ROOT, name), path.join(own, name), { recursive: true })
  const { napi, dependencies } = JSON.parse(readFileSync(path.join(ROOT, 'package.json'), 'utf8'))
  for (const file of addons(napi.binaryName)) symlinkSync(path.join(ROOT, file), path.join(own, file))
  for (const name of Object.keys(dependencies)) {
    mkdirSync(path.dirname(path.join(installed, name)), { recursive: true })
    symlinkSync(path.join(ROOT, 'node_modules', name), path.join(installed, name), 'dir')
  }
  writeFileSync(
    path.join(home, 'embed.cjs'),
    "try { require('toolgate/mcp').createMcpServer({ getProviderSchemas() {} }) } catch ({ code, message }) { console.log(code, message) }",
  )
  const main = path.join(own, 'js', 'cli', 'main.js')
  const [served, listed, embedded] = await Promise.all(
    [[main, 'mcp', path.join(own, 'tools')], [main, 'list', path.join(own, 'tools')], ['embed.cjs']].map(words =>
      runNode(words, { cwd: home }),
    ),
  )
  expect({ code: served.code, stdout: served.stdout, stderr: served.stderr }).toEqual({
    code: 1,
    stdout: '',
    stderr:
      'toolgate: `toolgate mcp` needs the package `@modelcontextprotocol/server`\ninstall it: `npm install @modelcontextprotocol/server`\n',
  })
  expect(listed.code).toBe(0)
  expect(embedded.stdout).toBe(
    'MCP_SDK_MISSING an MCP server needs the package `@modelcontextprotocol/server`; install it: `npm install @modelcontextprotocol/server`\n',
  )
})

const addons = name =>
  ['linux-x64-gnu', 'linux-arm64-gnu', 'darwin-x64', 'darwin-arm64', 'win32-x64-msvc']
    .map(platform => `${name}.${platform}.node`)
    .filter(file => existsSync(path.join(ROOT, file)))
