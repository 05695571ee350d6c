// Tools that the page calls itself: one route, in the session of the browser's cookie.
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { Browser } from './browser.mjs'
import { simulate } from './simulator.mjs'
import { startWeb } from './web-server.mjs'

const ROI = '/api/tools/calculate_roi'
const NUMBERS = { investment: 100, gains: 150 }

describe('POST /api/tools/[tool]', () => {
  const endings = []
  const context = { after: fn => endings.unshift(fn) }
  let web
  before(async () => {
    const { env } = await simulate(context)
    web = await startWeb(context, { env })
  })
  after(async () => {
    for (const end of endings) await end()
  })
  const withSession = async () => {
    const browser = new Browser(web.url)
    await browser.say('What can you do?')
    return browser
  }
  const call = async (browser, path, body, headers = {}) => {
    const init = { headers: { 'content-type': 'application/json', ...headers } }
    const response = await browser.postJson(path, body, init)
    return { status: response.status, headers: response.headers, body: await response.json() }
  }

  test('runs a tool in the session of the cookie', async () => {
    const browser = await withSession()
    const { status, headers, body } = await call(browser, ROI, NUMBERS)
    assert.deepEqual([status, body.ok, headers.get('cache-control')], [200, true, 'no-store'])
  })

  test('a repeated key is a replay, with other arguments a conflict', async () => {
    const browser = await withSession()
    const key = { 'idempotency-key': '"roi-1"' }
    const first = await call(browser, ROI, NUMBERS, key)
    const again = await call(browser, ROI, NUMBERS, key)
    assert.deepEqual(again.body.data, first.body.data)
    assert.equal(again.body.meta._idempotent_cache_hit, true)
    assert.equal((await call(browser, ROI, { ...NUMBERS, gains: 1 }, key)).status, 409)
  })

  test('refuses what is no call of the page', async () => {
    const browser = await withSession()
    const statusOf = async (...request) => (await call(browser, ...request)).status
    assert.equal(await statusOf('/api/tools/no_such_tool', {}), 404)
    assert.equal(await statusOf(ROI, { investment: 'x' }), 400)
    assert.equal(await statusOf(ROI, NUMBERS, { 'content-type': 'text/plain' }), 415)
    assert.equal(await statusOf(ROI, NUMBERS, { origin: 'https://evil.example' }), 403)
    assert.equal(await statusOf(ROI, { text: 'x'.repeat(300_000) }), 413)
    assert.equal((await browser.fetch(ROI)).status, 405)
    assert.equal((await call(new Browser(web.url), ROI, NUMBERS)).status, 401)
    const stranger = new Browser(web.url)
    stranger.cookie = browser.cookie.replace(/.$/, last => (last === 'A' ? 'B' : 'A'))
    const refused = await call(stranger, ROI, NUMBERS)
    assert.deepEqual([refused.status, refused.body.error.type], [401, 'AUTH'])
  })
})
