// No request ends the process: each gets an answer in its protocol, or a closed connection.

import assert from 'node:assert/strict'
import { connect } from 'node:net'
import { once } from 'node:events'
import { test } from 'node:test'
import { simulate } from './simulate.mjs'

const PATHS = ['/v1/chat/completions', '/v1/responses', '/v1/messages']
const deep = '['.repeat(50000) + ']'.repeat(50000)

const BODIES = [
  ['nothing', ''],
  ['null', 'null'],
  ['a list', '[]'],
  ['no JSON', '{"model"'],
  ['bytes that are no text', Buffer.from([0xff, 0, 0xfe])],
  ['deep lists for messages', `{"model":"m","max_tokens":1,"messages":${deep},"input":${deep}}`],
  [
    'deep lists beside',
    `{"model":"m","max_tokens":1,"messages":[{"role":"user","content":"x"}],"input":"x","metadata":{"a":${deep}}}`,
  ],
  [
    'a deep schema',
    `{"model":"m","max_tokens":1,"messages":[{"role":"user","content":"x"}],"input":"x","tools":[{"type":"function","name":"a","function":{"name":"a","parameters":{"type":"object","a":${deep}}},"parameters":{"type":"object","a":${deep}},"input_schema":{"type":"object","a":${deep}}}]}`,
  ],
  [
    'a prototype',
    '{"model":"m","max_tokens":1,"__proto__":{"stream":true},"messages":[{"role":"user","content":"x","__proto__":{}}],"input":[{"role":"user","content":"x","type":"__proto__"}]}',
  ],
  [
    'the name of a prototype as type',
    '{"model":"m","max_tokens":1,"messages":[{"role":"constructor","content":""}],"input":[{"type":"constructor"}]}',
  ],
  ['17 MB', 'x'.repeat(17 * 1024 * 1024)],
]

for (const path of PATHS) {
  for (const [what, body] of BODIES) {
    test(`${path}: ${what}`, async t => {
      const sim = await simulate(t, { rules: [] })
      const response = await fetch(sim.url + path, {
        method: 'POST',
        body,
        headers: { 'anthropic-version': '2023-06-01' },
      })
      const answer = await response.json()
      assert.ok([200, 400, 413].includes(response.status), `${response.status}`)
      if (response.status !== 200) assert.equal(typeof answer.error.message, 'string')
      assert.equal((await fetch(`${sim.url}/healthz`)).status, 200)
    })
  }
}

for (const path of PATHS) {
  test(`${path}: a client that goes away in the middle of a stream`, async t => {
    const lines = []
    const scenario = {
      settings: { pieceChars: 1 },
      rules: [{ steps: [{ emit: [{ say: 'ab' }, { wait: 50 }, { say: 'c'.repeat(5000) }, { wait: 10000 }] }] }],
    }
    const sim = await simulate(t, scenario, { log: line => lines.push(line) })
    const leaving = new AbortController()
    const body = JSON.stringify({
      model: 'm',
      max_tokens: 1,
      stream: true,
      messages: [{ role: 'user', content: 'x' }],
      ...(path.endsWith('responses') ? { input: 'x' } : {}),
    })
    const response = await fetch(sim.url + path, {
      method: 'POST',
      body,
      headers: { 'anthropic-version': '2023-06-01' },
      signal: leaving.signal,
    })
    await response.body.getReader().read()
    leaving.abort()
    while (!lines.some(line => line.endsWith('client went away'))) await new Promise(resolve => setTimeout(resolve, 5))
    assert.equal((await fetch(`${sim.url}/healthz`)).status, 200)
  })
}

test('connections that break off: in a handshake, in a body, in an upgrade to nowhere', async t => {
  const sim = await simulate(t, { rules: [] })
  const upgrade = path =>
    `GET ${path} HTTP/1.1\r\nhost: x\r\nconnection: upgrade\r\nupgrade: websocket\r\nsec-websocket-version: 13\r\nsec-websocket-key: AAAAAAAAAAAAAAAAAAAAAA==\r\n\r\n`
  const starts = [
    upgrade('/nowhere'),
    upgrade('/v1/realtime?model=m'),
    upgrade('/v1/realtime'),
    'POST /v1/messages HTTP/1.1\r\nhost: x\r\ncontent-length: 100\r\n\r\n{',
    'no HTTP\r\n\r\n',
    'GET /v1/realtime HTTP/1.1\r\nhost: x\r\nconnection: upgrade\r\nupgrade: websocket\r\n\r\n',
  ]
  for (const start of starts) {
    const socket = connect(sim.port, '127.0.0.1')
    await once(socket, 'connect')
    socket.write(start)
    // the server has read the earlier data once another request is answered
    await fetch(`${sim.url}/healthz`)
    socket.resetAndDestroy()
  }
  assert.equal((await fetch(`${sim.url}/healthz`)).status, 200)
})
