// MCP over streamable HTTP: sessions, who may speak, and the command that serves it.
import { once } from 'node:events'

import { jest } from '@jest/globals'
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/client'

import { startToolgate, toolgate } from '../support/command.mjs'
import { eventually, gateway } from '../support/gate.mjs'
import { project } from '../support/project.mjs'
import { afterTest } from '../support/tool-set.mjs'
import { ACCEPT, INITIALIZE, LIST, connected, posted, served as servedTools } from './http-support.mjs'
import { connectClient, envelopeOf } from './support.mjs'

const TOOLS = {
  note: {
    kind: 'write',
    requiresConfirmation: true,
    properties: { text: { type: 'string' } },
    confirmation: { preview: 'Note {text}' },
  },
  look: { kind: 'read', properties: { at: { type: 'integer' } } },
  work: {
    kind: 'read',
    source:
      "export async function execute({ progress, signal }) { progress('begun'); await new Promise(resolve => { setTimeout(resolve, 200); signal.addEventListener('abort', resolve) }); return { ok: true, data: 'worked' } }\n",
  },
}

/** Without them a client and a server take their time; idle sessions are found by an interval and the clock `performance`. */
const TIMERS_BESIDE_THE_SWEEP = [
  'Date',
  'hrtime',
  'nextTick',
  'queueMicrotask',
  'setImmediate',
  'clearImmediate',
  'setTimeout',
  'clearTimeout',
]

const served = (options, tools = TOOLS) => servedTools(options, tools)

test('clients do not share a session: not its turns, not its questions, not its calls', async () => {
  const { url, lines } = await served()
  const [one, two] = [await connected(url), await connected(url)]
  expect(one.transport.sessionId).toMatch(/^[0-9a-f]{32}$/)
  expect(two.transport.sessionId).not.toBe(one.transport.sessionId)
  const look = client => client.callTool({ name: 'look', arguments: { at: 1 } })
  // The same number, the same arguments.
  const first = [envelopeOf(await look(one.client)), envelopeOf(await look(two.client))]
  expect(first.map(({ ok, meta }) => [ok, meta?._idempotent_cache_hit])).toEqual([
    [true, undefined],
    [true, undefined],
  ])
  for (let time = 0; time < 5; time += 1) await one.client.callTool({ name: 'look', arguments: { at: time + 2 } })
  expect(envelopeOf(await look(two.client)).ok).toBe(true)
  await eventually(
    () => new Set(lines.filter(({ event }) => event === 'tool_execution').map(({ sessionId }) => sessionId)).size === 2,
    'two sessions',
  )
  // Who reads the audit can't take a session over.
  expect(JSON.stringify(lines)).not.toContain(one.transport.sessionId)
})

test("progress and the user's consent go over the stream of the request", async () => {
  const { open, passed } = gateway()
  const execute = async ({ progress }) => {
    progress('begun')
    await passed
    return { ok: true, data: 'worked' }
  }
  const { url } = await served({ heartbeatMs: 20 }, { ...TOOLS, work: { kind: 'read', execute } })
  const user = await connected(url, {
    elicit: ({ message }) => ({ action: message.startsWith('Note tea\n') ? 'accept' : 'decline', content: {} }),
  })
  const news = []
  const working = user.client.callTool({ name: 'work' }, { onprogress: update => news.push(update) })
  await eventually(() => news.length > 2, 'signs of life')
  open()
  expect(envelopeOf(await working).data).toBe('worked')
  expect(news[0].message).toBe('begun')
  const [yes, no] = [
    await user.client.callTool({ name: 'note', arguments: { text: 'tea' } }),
    await user.client.callTool({ name: 'note', arguments: { text: 'gin' } }),
  ]
  expect([envelopeOf(yes).ok, envelopeOf(no).error.type]).toEqual([true, 'CANCELLED'])
  expect(JSON.stringify([user.frames, user.sent])).not.toMatch(/tgc_|"token"/)
})

test('a question goes over the stream of the call that asks it: a client need not keep another open', async () => {
  const { url } = await served()
  const begun = await posted(
    url,
    {},
    { body: { ...INITIALIZE, params: { ...INITIALIZE.params, capabilities: { elicitation: {} } } } },
  )
  const session = { 'mcp-session-id': begun.headers['mcp-session-id'], 'mcp-protocol-version': '2025-11-25' }
  const body = { jsonrpc: '2.0', id: 2, method: 'tools/call', params: { name: 'note', arguments: { text: 'tea' } } }
  const answer = await fetch(url, { method: 'POST', headers: { ...ACCEPT, ...session }, body: JSON.stringify(body) })
  const events = []
  for await (const text of answer.body.pipeThrough(new TextDecoderStream())) {
    const event = JSON.parse(/^data: (.*)$/m.exec(text)[1])
    events.push(event.method ?? envelopeOf(event.result).ok)
    if (event.method === 'elicitation/create')
      await posted(url, session, { body: { jsonrpc: '2.0', id: event.id, result: { action: 'accept', content: {} } } })
  }
  expect(events).toEqual(['elicitation/create', true])
})

test('DELETE ends the session, here and in the gate', async () => {
  const { url, lines } = await served()
  const { client, transport } = await connected(url)
  await client.callTool({ name: 'look' })
  const id = transport.sessionId
  await transport.terminateSession()
  await eventually(() => lines.some(({ event }) => event === 'session_ended'), 'the end of its session')
  const gone = await posted(url, { 'mcp-session-id': id, 'mcp-protocol-version': '2025-11-25' }, { body: LIST })
  expect({ status: gone.status, code: JSON.parse(gone.text).error.code }).toEqual({ status: 404, code: -32001 })
})

test('a session is named by the server, and nothing but its beginning does without', async () => {
  const { url } = await served()
  expect((await posted(url, { 'mcp-session-id': 'of-my-own' })).status).toBe(404)
  expect((await posted(url, {}, { body: LIST })).status).toBe(400)
  expect((await posted(url, {}, { method: 'GET' })).status).toBe(400)
  expect((await posted(url, {})).headers['mcp-session-id']).toMatch(/^[0-9a-f]{32}$/)
})

describe('who may speak', () => {
  const allowed = [
    {},
    { host: 'localhost:1' },
    { host: 'LOCALHOST' },
    { host: '[::1]:8' },
    { host: '192.168.1.7' },
    { origin: 'http://localhost:3000' },
    { origin: 'http://127.0.0.1' },
    { host: 'tools.example:8789' },
    { origin: 'https://app.example' },
  ]
  const refused = [
    { host: 'evil.example' },
    { host: 'localhost.evil.example' },
    { host: 'evil.example@127.0.0.1' },
    { host: 'tools.example.evil' },
    { origin: 'https://evil.example' },
    { origin: 'null' },
    { origin: 'http://localhost.evil.example' },
    { origin: 'http://app.example' },
    { origin: 'https://app.example:444' },
    { origin: 'https://192.168.1.7' },
  ]
  test('this machine and who is named, nobody else', async () => {
    const { url, lines } = await served({ allowedHosts: ['tools.example'], allowedOrigins: ['https://app.example/'] })
    for (const headers of allowed) expect([headers, (await posted(url, headers)).status]).toEqual([headers, 200])
    for (const headers of refused) {
      const { status, text } = await posted(url, headers)
      expect([headers, status, /"code":-32000/.test(text)]).toEqual([headers, 403, true])
    }
    expect(lines.some(({ event }) => event === 'session_started')).toBe(false)
  })

  test('a page that may is told so by its browser; another hears nothing', async () => {
    const { url } = await served({ allowedOrigins: ['https://app.example'] })
    const asking = {
      origin: 'https://app.example',
      'access-control-request-method': 'POST',
      'access-control-request-headers': 'content-type',
    }
    const before = await posted(url, asking, { method: 'OPTIONS' })
    expect({ status: before.status, ...before.headers }).toMatchObject({
      status: 204,
      'access-control-allow-origin': 'https://app.example',
      'access-control-allow-methods': 'GET, POST, DELETE',
      'access-control-allow-headers': expect.stringContaining('mcp-session-id'),
    })
    const begun = await posted(url, { origin: 'https://app.example' })
    expect(begun.headers).toMatchObject({
      'access-control-allow-origin': 'https://app.example',
      'access-control-expose-headers': 'mcp-session-id, www-authenticate',
      vary: 'origin',
    })
    const evil = await posted(url, { ...asking, origin: 'https://evil.example' }, { method: 'OPTIONS' })
    expect([evil.status, evil.headers['access-control-allow-origin']]).toEqual([403, undefined])
    expect((await posted(url, {})).headers['access-control-allow-origin']).toBeUndefined()
  })

  test('a session that goes on is asked each time', async () => {
    const { url } = await served()
    const { transport } = await connected(url)
    const session = { 'mcp-session-id': transport.sessionId, 'mcp-protocol-version': '2025-11-25' }
    expect((await posted(url, session, { body: LIST })).status).toBe(200)
    expect((await posted(url, { ...session, origin: 'https://evil.example' }, { body: LIST })).status).toBe(403)
    expect((await posted(url, { ...session, host: 'evil.example' }, { method: 'DELETE' })).status).toBe(403)
  })
})

test('a client that is gone without a word is forgotten; one with an open stream is not', async () => {
  const idleMs = 1000
  jest.useFakeTimers({ doNotFake: TIMERS_BESIDE_THE_SWEEP })
  try {
    const { url, lines } = await served({ sessionIdleMs: idleMs, maxSessions: 2 })
    const quiet = (await posted(url, {})).headers['mcp-session-id']
    const { open, passed } = gateway()
    const fetchAndTell = async (address, init) => {
      const answer = await fetch(address, init)
      if (init.method === 'GET' && answer.ok) open()
      return answer
    }
    const there = await connected(url, { fetch: fetchAndTell })
    await passed
    await there.client.callTool({ name: 'look' })
    jest.advanceTimersByTime(5 * idleMs)
    await eventually(async () => (await posted(url, {})).status === 200, 'room for another session')
    expect((await posted(url, { 'mcp-session-id': quiet }, { body: LIST })).status).toBe(404)
    expect(envelopeOf(await there.client.callTool({ name: 'look', arguments: { at: 2 } })).ok).toBe(true)
    expect(lines.some(({ event }) => event === 'session_ended')).toBe(false)
  } finally {
    jest.useRealTimers()
  }
})

test('no more sessions than there may be', async () => {
  const { url } = await served({ maxSessions: 1 })
  const { transport } = await connected(url)
  expect((await posted(url, {})).status).toBe(503)
  await transport.terminateSession()
  expect((await posted(url, {})).status).toBe(200)
})

describe('identity', () => {
  const USERS = {
    'Bearer a': { principal: 'ada', roles: ['admin'] },
    'Bearer b': { principal: 'bob', limits: { connections: 1 } },
  }
  const authenticate = request => {
    if (request.headers.authorization === 'Bearer broken') throw new Error('the directory is down')
    return USERS[request.headers.authorization] ?? null
  }
  const client = async (url, token) => {
    const requestInit = { headers: { authorization: token } }
    const transport = new StreamableHTTPClientTransport(new URL(url), { requestInit })
    return { ...(await connectClient(transport)), transport }
  }

  test('a session has the roles of its caller, and is taken by its own only', async () => {
    const { url } = await served({ authenticate }, { ...TOOLS, admins: { requiredRoles: ['admin'] } })
    const names = async ({ client: own }) => (await own.listTools()).tools.map(({ name }) => name)
    const [ada, bob] = [await client(url, 'Bearer a'), await client(url, 'Bearer b')]
    expect([await names(ada), await names(bob)]).toEqual([expect.arrayContaining(['admins']), ['look', 'note', 'work']])
    expect(envelopeOf(await ada.client.callTool({ name: 'admins' })).ok).toBe(true)
    const headers = { 'mcp-session-id': ada.transport.sessionId }
    expect((await posted(url, { ...headers, authorization: 'Bearer b' })).status).toBe(404)
    expect((await posted(url, headers)).status).toBe(401)
    await Promise.all([ada.client.close(), bob.client.close()])
  })

  test('nobody, too many sessions, and a failing check', async () => {
    const errors = []
    const { url } = await served({ authenticate, onError: error => errors.push(error.message) })
    expect((await posted(url, {})).status).toBe(401)
    const bob = await client(url, 'Bearer b')
    await expect(client(url, 'Bearer b')).rejects.toThrow('too many open sessions')
    expect((await posted(url, { authorization: 'Bearer broken' })).status).toBe(500)
    expect(errors).toEqual(['the directory is down'])
    await bob.client.close()
  })
})

test('an address that a trusted proxy reports has its limits, programs of this machine have none', async () => {
  const clientLimits = { perAddress: { connections: 1, sessionsPerMinute: 2, requestsPerSecond: 2 } }
  const { url } = await served({ clientLimits, trustedProxies: ['loopback'] })
  const from = address => posted(url, { 'x-forwarded-for': address })
  const first = await from('192.0.2.7')
  expect([first.status, (await from('192.0.2.8')).status]).toEqual([200, 200])
  const second = await from('192.0.2.7')
  expect([second.status, second.headers['retry-after'], second.text]).toEqual([
    429,
    '1',
    expect.stringContaining('too many open sessions'),
  ])
  const ended = { 'x-forwarded-for': '192.0.2.7', 'mcp-session-id': first.headers['mcp-session-id'] }
  expect((await posted(url, ended, { method: 'DELETE', body: '' })).status).toBe(200)
  expect((await from('192.0.2.7')).text).toContain('begins too many sessions')
  const statuses = await Promise.all(Array.from({ length: 9 }, async () => (await from('192.0.2.9')).status))
  expect(statuses.filter(status => status === 200)).toHaveLength(1)
  expect((await from('192.0.2.9')).text).toContain('too many requests')
  for (let count = 0; count < 10; count += 1) expect((await posted(url, {})).status).toBe(200)
})

test('a request that begins no session leaves none open', async () => {
  const { url } = await served({ clientLimits: { perAddress: { connections: 1 } }, trustedProxies: ['loopback'] })
  const from = body => posted(url, { 'x-forwarded-for': '192.0.2.7' }, { body })
  for (const body of ['{}', 'no JSON', '{"jsonrpc":"2.0","id":1,"method":"tools/list"}'])
    expect((await from(body)).status).toBe(400)
  expect((await from(INITIALIZE)).status).toBe(200)
})

test('a handler that is closed refuses what comes later', async () => {
  const { url, handle } = await served()
  await handle.close()
  for (const headers of [{}, { 'mcp-protocol-version': '2026-07-28', 'mcp-method': 'tools/list' }])
    expect((await posted(url, headers)).status).toBe(503)
})

describe('the command', () => {
  async function started(words = []) {
    const { home } = project({ tools: TOOLS })
    expect((await toolgate(['build'], { cwd: home })).code).toBe(0)
    const child = startToolgate(['mcp', '--http', '--port', '0', ...words], { cwd: home })
    afterTest(() => child.kill('SIGKILL'))
    const told = { stderr: '', stdout: '' }
    for (const name of Object.keys(told))
      child[name].setEncoding('utf8').on('data', text => {
        told[name] += text
      })
    await eventually(() => /at http:\/\/\S+\n/.test(told.stderr) || child.exitCode !== null, 'an address')
    return { child, told, url: /at (http:\/\/\S+)\n/.exec(told.stderr)[1] }
  }

  test('serves, and ends when it is told to: what runs is answered', async () => {
    const { child, told, url } = await started()
    expect(told.stderr).toMatch(/^toolgate: 3 tools of version \S+, mode text, at http:\/\/127\.0\.0\.1:\d+\/mcp\n$/)
    const user = await connected(url)
    let begun
    const running = new Promise(resolve => {
      begun = resolve
    })
    const call = user.client.callTool({ name: 'work' }, { onprogress: begun })
    await running
    child.kill('SIGTERM')
    expect(envelopeOf(await call).data).toBe('worked')
    const [code, signal] = await once(child, 'close')
    expect({ code, signal, stdout: told.stdout }).toEqual({ code: 0, signal: null, stdout: '' })
  })

  test('answers at one path, and to nobody by another name', async () => {
    const { url } = await started(['--allow-host', 'tools.example'])
    expect((await posted(url.replace('/mcp', '/'), {})).status).toBe(404)
    expect((await posted(url, { host: 'evil.example' })).status).toBe(403)
    expect((await posted(url, { host: 'tools.example' })).status).toBe(200)
    expect((await posted(url, { origin: 'https://evil.example' })).status).toBe(403)
  })

  test('says where other machines may reach it', async () => {
    const { told } = await started(['--host', '0.0.0.0', '--allow-anonymous'])
    await eventually(() => told.stderr.includes('there is no authentication'), 'a warning')
  })

  test('answers the probes of an orchestrator', async () => {
    const { url } = await started()
    const get = async path => {
      const response = await fetch(new URL(path, url))
      return [response.status, await response.json()]
    }
    const toolsVersion = expect.stringMatching(/^1\.0\.[0-9a-f]{8}$/)
    expect(await get('/healthz')).toEqual([200, { ok: true, version: '0.1.0', toolsVersion, details: {} }])
    const ready = { ok: true, draining: false, registry: true, store: true, audit: true, auditLinesLost: 0 }
    expect(await get('/readyz')).toEqual([200, ready])
    expect((await fetch(new URL('/', url))).status).toBe(404)
  })

  test('starts for other machines only with an identity, or if anybody may come', async () => {
    const { home } = project({ tools: TOOLS })
    expect((await toolgate(['build'], { cwd: home })).code).toBe(0)
    const { code, stderr } = await toolgate(['mcp', '--http', '--port', '0', '--host', '0.0.0.0'], { cwd: home })
    expect(code).toBe(1)
    expect(stderr).toMatch(/other machines can reach `0\.0\.0\.0`[^]*--authenticate <file>[^]*--allow-anonymous/)
  })
})
