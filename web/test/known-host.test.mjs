// The app answers only to host names that are its own: a page of another site cannot reach it by a name of its own.
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { Browser } from './browser.mjs'
import { launchChromium, skip } from './chromium.mjs'
import { rawRequest } from './inspector-http.mjs'
import { startWeb } from './web-server.mjs'

describe('the host name of a request', () => {
  const endings = []
  let server
  let port
  before(async () => {
    server = await startWeb({ after: fn => endings.unshift(fn) }, { env: { TOOLGATE_ALLOWED_HOSTS: 'app.example' } })
    port = Number(new URL(server.url).port)
  })
  after(async () => {
    for (const end of endings) await end()
  })
  const statusOf = async (path, headers) => (await rawRequest(server.url + path, { headers })).status

  for (const host of [
    'localhost',
    '127.0.0.1',
    'tools.localhost',
    'app.example',
    'APP.example:8080',
    '[::1]',
    '192.0.2.7',
  ])
    test(`\`${host}\` is known`, async () => assert.equal(await statusOf('/', { host }), 200))

  for (const headers of [
    { host: 'evil.example' },
    { host: 'app.example.evil.example' },
    { host: 'localhost', 'x-forwarded-host': 'evil.example' },
    { host: 'evil.example', 'x-forwarded-host': 'app.example' },
    { host: 'app.example@evil.example' },
  ])
    test(`${JSON.stringify(headers)} is refused everywhere`, async () => {
      for (const path of ['/', '/api/chat', '/api/tools/kb_search', '/api/confirmations', '/inspector', '/none'])
        assert.ok([400, 403].includes(await statusOf(path, headers)), path)
    })

  test('probes are answered under any name', async () => {
    assert.equal(await statusOf('/api/healthz', { host: 'web' }), 200)
    assert.equal(await statusOf('/api/readyz', { host: 'web' }), 200)
    const ready = { ok: true, draining: false, registry: true, store: true, audit: true, auditLinesLost: 0 }
    assert.deepEqual(await (await fetch(`${server.url}/api/readyz`)).json(), ready)
  })

  test('answers of routes have a policy that loads nothing', async () => {
    const answer = await new Browser(server.url).post('hello')
    assert.equal(answer.headers.get('content-security-policy'), "default-src 'none'; frame-ancestors 'none'")
    await answer.body.cancel()
  })

  test('a page under a name that was made to resolve to this machine gets nothing', { skip }, async t => {
    const rebound = `http://evil.example:${port}`
    const browser = await launchChromium(['--host-resolver-rules=MAP evil.example 127.0.0.1'])
    t.after(() => browser.close())
    const page = await browser.newPage()
    const opened = await page.goto(rebound)
    assert.equal(opened.status(), 403)
    // The refusal's own policy also keeps the page from asking further.
    const asked = await page.evaluate(() =>
      fetch('/api/confirmations', { method: 'POST' }).then(
        () => 'answered',
        () => 'blocked',
      ),
    )
    assert.equal(asked, 'blocked')
  })
})
