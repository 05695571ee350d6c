// Cookies that the app did not issue make no session, and the key that signs them outlives a restart.
import assert from 'node:assert/strict'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { Browser } from './browser.mjs'
import { callOnce, simulate } from './simulator.mjs'
import { buildTestTools } from './test-tools.mjs'
import { startWeb } from './web-server.mjs'

const BOOK = callOnce({ name: 'book_room', args: { room: 'Harbour' } })
const part = (length, number) => String(number).padStart(length, 'A')
/** Cookies with and without a signature. */
const madeUp = number =>
  `toolgate_session=${part(22, number)}.${part(22, number)}${number % 2 ? `.${part(43, number)}` : ''}`

describe('issued cookies', () => {
  const endings = []
  const context = { after: fn => endings.unshift(fn) }
  let store
  let env
  let web
  before(async () => {
    const folder = await mkdtemp(join(tmpdir(), 'toolgate-cookies-'))
    endings.unshift(() => rm(folder, { recursive: true }))
    store = join(folder, 'sessions.db')
    const simulated = await simulate(context, BOOK)
    env = { ...simulated.env, TOOLGATE_ARTIFACT: await buildTestTools(context), TOOLGATE_STORE: store }
    web = await startWeb(context, { env })
  })
  after(async () => {
    for (const end of endings) await end()
  })

  test('500 requests with cookies that were never issued leave nothing in the store', async () => {
    const browser = new Browser(web.url)
    await browser.say('book')
    for (let number = 0; number < 500; number += 1) {
      const headers = { cookie: madeUp(number) }
      const answer = await (await fetch(`${web.url}/api/confirmations`, { headers })).json()
      assert.deepEqual(answer, { pending: [] })
    }
    const post = { method: 'POST', headers: { cookie: madeUp(1), 'content-type': 'application/json' } }
    const decision = JSON.stringify({ confirmationToken: 'x', decision: 'approve' })
    assert.equal((await fetch(`${web.url}/api/confirmations`, { ...post, body: decision })).status, 401)
    assert.equal((await fetch(`${web.url}/api/tools/kb_search`, { ...post, body: '{}' })).status, 401)
    const bytes = await bytesOf(store)
    assert.ok(bytes.includes(browser.cookie.split(/[=.]/)[1]), 'an issued session is in the store')
    assert.ok(!bytes.includes('A'.repeat(19)), 'a session that was not issued is in the store')
  })

  test('credentials of no voice call make no session', async () => {
    const voice = { sessionId: 'V'.repeat(22), resumeToken: 'T'.repeat(43) }
    const post = (path, body) =>
      fetch(web.url + path, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify(body),
      })
    const messages = [{ id: 'm', role: 'user', parts: [{ type: 'text', text: 'book' }] }]
    for (const [path, body] of [
      ['/api/chat', { messages, voice }],
      ['/api/confirmations', { confirmationToken: 'x', decision: 'approve', voice }],
      ['/api/confirmations/watch', { voice, known: [] }],
    ]) {
      const response = await post(path, body)
      assert.deepEqual([response.status, (await response.json()).error.type], [409, 'SESSION_INACTIVE'], path)
    }
    assert.ok(!(await bytesOf(store)).includes('V'.repeat(22)))
  })

  test('reading the questions of a session that is not kept any more makes none', async t => {
    const secret = { ...env, TOOLGATE_STORE: 'memory', TOOLGATE_COOKIE_SECRET: '0123456789abcdef' }
    const [first, second] = [
      await startWeb(t, { env: secret }),
      await startWeb(t, { env: { ...secret, TOOLGATE_STORE: store } }),
    ]
    const browser = new Browser(first.url)
    await browser.say('book')
    const answer = await fetch(`${second.url}/api/confirmations`, { headers: { cookie: browser.cookie } })
    assert.deepEqual([answer.status, await answer.json()], [200, { pending: [] }])
    assert.ok(!(await bytesOf(store)).includes(browser.cookie.split(/[=.]/)[1]))
  })

  test('the store keeps the key: another process takes its cookies', async t => {
    const browser = new Browser(web.url)
    await browser.say('book')
    const other = await startWeb(t, { env })
    const moved = new Browser(other.url)
    moved.cookie = browser.cookie
    const { pending } = await (await moved.fetch('/api/confirmations')).json()
    assert.equal(pending.length, 1)
  })

  test("a key of the environment signs in place of the store's", async t => {
    const secret = { ...env, TOOLGATE_COOKIE_SECRET: '0123456789abcdef' }
    const [one, two] = [await startWeb(t, { env: secret }), await startWeb(t, { env: secret })]
    const browser = new Browser(one.url)
    await browser.say('book')
    const pendingAt = async url => {
      const answer = await fetch(`${url}/api/confirmations`, { headers: { cookie: browser.cookie } })
      return (await answer.json()).pending.length
    }
    assert.deepEqual([await pendingAt(two.url), await pendingAt(web.url)], [1, 0])
  })
})

/** All that the store's file and its log hold. */
async function bytesOf(path) {
  const parts = [path, `${path}-wal`].map(file => readFile(file).catch(() => Buffer.alloc(0)))
  return Buffer.concat(await Promise.all(parts))
}
