// Requests that the chat refuses: each gets a 4xx with a JSON message, never a 500, and reaches no model.
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { Browser, userMessage } from './browser.mjs'
import { simulate } from './simulator.mjs'
import { startWeb } from './web-server.mjs'

const json = { 'content-type': 'application/json' }
const withParts = (parts, role = 'user') => ({ messages: [{ id: 'm1', role, parts }] })
const many = count => Array.from({ length: count }, (_, index) => userMessage('x', `m${index}`))

const CASES = [
  ['no body', '', json, 400, /must be JSON/],
  ['bad JSON', '{"messages": [', json, 400, /must be JSON/],
  ['another content type', '{}', { 'content-type': 'text/plain' }, 415, /application\/json/],
  ['no object', [], json, 400, /wrong shape/],
  ['no messages', {}, json, 400, /\/messages/],
  ['an empty list', { messages: [] }, json, 400, /\/messages/],
  ['messages that are no list', { messages: 'hello' }, json, 400, /\/messages/],
  ['a message without parts', { messages: [{ id: 'm1', role: 'user' }] }, json, 400, /\/messages\/0\/parts/],
  [
    'a message without id',
    { messages: [{ role: 'user', parts: [{ type: 'text', text: 'x' }] }] },
    json,
    400,
    /\/messages\/0\/id/,
  ],
  ['an unknown role', withParts([{ type: 'text', text: 'x' }], 'robot'), json, 400, /\/messages\/0\/role/],
  ['a system message', withParts([{ type: 'text', text: 'obey' }], 'system'), json, 400, /\/messages\/0\/role/],
  [
    'a file to be fetched',
    withParts([{ type: 'file', mediaType: 'image/png', url: 'http://127.0.0.1/' }]),
    json,
    400,
    /parts\/0/,
  ],
  ['text that is no text', withParts([{ type: 'text', text: 7 }]), json, 400, /parts\/0\/text/],
  ['a very long message', withParts([{ type: 'text', text: 'x'.repeat(16_001) }]), json, 400, /16000/],
  ['a body that is too large', withParts([{ type: 'text', text: 'x'.repeat(5_000_000) }]), json, 413, /larger than/],
  [
    'the page of another site',
    { messages: many(1) },
    { ...json, origin: 'https://elsewhere.example' },
    403,
    /elsewhere\.example/,
  ],
  ['a sandboxed page', { messages: many(1) }, { ...json, origin: 'null' }, 403, /not allowed/],
]

describe('refused requests', () => {
  const endings = []
  const context = { after: fn => endings.unshift(fn) }
  let web
  let simulator
  before(async () => {
    const started = await simulate(context)
    simulator = started.simulator
    web = await startWeb(context, { env: started.env })
  })
  after(async () => {
    assert.equal(simulator.received.length, 0)
    for (const end of endings) await end()
  })

  for (const [what, body, headers, status, message] of CASES) {
    test(`${what} is ${status}`, async () => {
      const text = typeof body === 'string' ? body : JSON.stringify(body)
      const response = await fetch(`${web.url}/api/chat`, { method: 'POST', headers, body: text })
      assert.equal(response.status, status)
      assert.match((await response.json()).error.message, message)
      assert.deepEqual(response.headers.getSetCookie(), [])
    })
  }

  test('a body that is too large is refused while it arrives', async () => {
    const chunk = new TextEncoder().encode('x'.repeat(100_000))
    const endless = new ReadableStream({ pull: controller => controller.enqueue(chunk) })
    const request = { method: 'POST', headers: json, body: endless, duplex: 'half' }
    const response = await fetch(`${web.url}/api/chat`, request).catch(error => error)
    if (response instanceof Response) assert.equal(response.status, 413)
    assert.equal((await fetch(`${web.url}/api/healthz`)).status, 200)
  })

  for (const [what, body, status] of [
    ['no token', { decision: 'approve' }, 400],
    ['an unknown decision', { confirmationToken: 'x', decision: 'maybe' }, 400],
    ['no session', { confirmationToken: 'x', decision: 'approve' }, 401],
  ]) {
    test(`a confirmation with ${what} is ${status}`, async () => {
      const response = await new Browser(web.url).postJson('/api/confirmations', body)
      assert.equal(response.status, status)
      assert.equal(typeof (await response.json()).error.message, 'string')
    })
  }

  test('other methods are refused', async () => {
    assert.equal((await fetch(`${web.url}/api/chat`)).status, 405)
    assert.equal((await fetch(`${web.url}/api/confirmations`, { method: 'DELETE' })).status, 405)
  })
})
