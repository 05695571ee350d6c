// No client frame ends the process: Live closes with a reason, Realtime answers with an error event.

import assert from 'node:assert/strict'
import { once } from 'node:events'
import { existsSync, readFileSync, readdirSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { test } from 'node:test'
import { WebSocket } from 'ws'
import { simulate } from './simulate.mjs'

const TORTURE = `${process.env.TOOLGATE_CORPUS ?? fileURLToPath(new URL('../../../shared/corpus', import.meta.url))}/hostile/json-parsing`
const deep = '['.repeat(50000) + ']'.repeat(50000)

const ENDPOINTS = {
  live: { path: '/ws/google.ai.generativelanguage.v1beta.GenerativeService.BidiGenerateContent', code: 1007 },
  realtime: { path: '/v1/realtime?model=m', code: null },
}

const HOSTILE = [
  ['no JSON', '{"type"'],
  ['nothing', ''],
  ['a list', '[]'],
  ['null', 'null'],
  ['a number', '1e999'],
  ['the name of a prototype', '{"type":"__proto__","constructor":{}}'],
  [
    'a prototype inside',
    '{"type":"session.update","session":{"type":"realtime","__proto__":{"tools":1}},"setup":{"__proto__":{"model":"m"}}}',
  ],
  ['deep lists', `{"type":"response.create","response":{"metadata":{"a":${deep}}},"setup":${deep}}`],
  [
    'a deep schema',
    `{"type":"session.update","session":{"type":"realtime","tools":[{"type":"function","name":"a","parameters":{"a":${deep}}}]}}`,
  ],
  [
    'a deep Gemini schema',
    `{"setup":{"model":"m","tools":[{"functionDeclarations":[{"name":"a","parameters":${'{"items":'.repeat(20000)}{}${'}'.repeat(20000)}}]}]}}`,
  ],
  ['bytes that are no text', Buffer.from([0xff, 0xfe, 0, 1, 2])],
  ['half a character', '{"type":"\\ud800"}'],
  ['a huge id', JSON.stringify({ type: 'response.cancel', response_id: 'x'.repeat(1e6) })],
]

async function open(t, sim, path) {
  const socket = new WebSocket(sim.url.replace('http', 'ws') + path)
  t.after(() => socket.terminate())
  await once(socket, 'open')
  return socket
}

/** Sends one message. Returns the code of the resulting close, or null if the connection stays open. */
async function closeAfter(socket, bytes) {
  return new Promise(resolve => {
    socket.once('close', resolve)
    socket.once('pong', () => {
      socket.removeListener('close', resolve)
      resolve(null)
    })
    socket.send(bytes)
    socket.ping()
  })
}

for (const [name, { path, code }] of Object.entries(ENDPOINTS)) {
  for (const [what, bytes] of HOSTILE) {
    test(`${name}: ${what}`, async t => {
      const sim = await simulate(t, { rules: [] })
      assert.equal(await closeAfter(await open(t, sim, path), bytes), code)
      assert.equal((await fetch(`${sim.url}/healthz`)).status, 200)
    })
  }

  test(`${name}: JSON that must not parse, and JSON that hardly does`, { skip: !existsSync(TORTURE) }, async t => {
    const sim = await simulate(t, { rules: [] })
    const files = readdirSync(TORTURE).filter(file => file.endsWith('.json'))
    assert.ok(files.length > 300)
    let socket = await open(t, sim, path)
    for (const file of files) {
      assert.equal(await closeAfter(socket, readFileSync(`${TORTURE}/${file}`)), code, file)
      if (socket.readyState !== WebSocket.OPEN) socket = await open(t, sim, path)
    }
  })
}

test('a frame over the limit closes with 1009', async t => {
  const sim = await simulate(t, { rules: [] })
  const socket = await open(t, sim, ENDPOINTS.realtime.path)
  socket.on('error', () => {})
  socket.send('x'.repeat(17 * 1024 * 1024))
  assert.equal((await once(socket, 'close'))[0], 1009)
  assert.equal((await fetch(`${sim.url}/healthz`)).status, 200)
})
