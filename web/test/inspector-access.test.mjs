// Access control of the inspector: closed if it is off, open only to its own machine if it is on.
import assert from 'node:assert/strict'
import { readFile, readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { InspectorClient, rawRequest } from './inspector-http.mjs'
import { AS_INSPECTOR, INSPECTOR_SECRET, WEB, startWeb } from './web-server.mjs'

const json = { 'content-type': 'application/json' }

/** Every page and every method of every route, read from the source. */
async function placesOf(folder) {
  const files = await readdir(join(WEB, 'app', folder), { recursive: true })
  const places = await Promise.all(
    files.map(async file => {
      const path = `/${folder}/${file}`.replace('[toolId]', 'kb_search').replace(/\/(page|route)\.tsx?$/, '')
      if (file.endsWith('page.tsx')) return [['GET', path]]
      if (!file.endsWith('route.ts')) return []
      const source = await readFile(join(WEB, 'app', folder, file), 'utf8')
      return [...source.matchAll(/export (?:async )?function ([A-Z]+)\(/g)].map(([, method]) => [method, path])
    }),
  )
  return places.flat()
}

describe('access to the inspector', () => {
  const endings = []
  const context = { after: fn => endings.unshift(fn) }
  let on
  let named
  let port
  before(async () => {
    on = await startWeb(context, { env: { TOOLGATE_INSPECTOR: 'on' } })
    named = await startWeb(context, {
      env: { TOOLGATE_INSPECTOR: 'on', TOOLGATE_INSPECTOR_HOSTS: 'other.example, tools.example' },
    })
    port = new URL(on.url).port
  })
  after(async () => {
    for (const end of endings) await end()
  })

  for (const [what, env] of [
    ['without the switch', {}],
    ['with the switch at `off`', { TOOLGATE_INSPECTOR: 'off' }],
  ]) {
    test(`in production ${what} each page and each route is 404`, async t => {
      const off = await startWeb(t, { env })
      const places = [...(await placesOf('inspector')), ...(await placesOf('api/inspector'))]
      assert.ok(places.length >= 16, String(places))
      for (const [method, path] of places) {
        const response = await fetch(off.url + path, {
          method,
          ...(method === 'POST' && { headers: json, body: '{}' }),
        })
        assert.equal(response.status, 404, `${method} ${path}`)
        assert.doesNotMatch(await response.text(), /Search the knowledge base/)
      }
      assert.doesNotMatch(await (await fetch(off.url)).text(), /href="\/inspector"/)
    })
  }

  test('each page and each route answers where it is on', async () => {
    for (const [method, path] of [...(await placesOf('inspector')), ...(await placesOf('api/inspector'))]) {
      if (method !== 'GET') continue
      const response = await fetch(on.url + path, { headers: AS_INSPECTOR })
      assert.equal(response.status, 200, path)
      await response.body.cancel()
    }
  })

  for (const [what, headers, status] of [
    ['this machine by its address', {}, 200],
    ['this machine by its name', () => ({ host: `localhost:${port}` }), 200],
    ['a name that was pointed at this machine', { host: 'rebound.example' }, 403],
    ['such a name that claims another', { host: 'rebound.example', 'x-forwarded-host': 'localhost' }, 403],
    ['a name that only looks like it', { host: 'localhost@rebound.example' }, 403],
    ['a name below another', { host: 'localhost.rebound.example' }, 403],
    ['a proxy', { 'x-forwarded-for': '203.0.113.9' }, 403],
    ['a proxy, with an address made up', { 'x-forwarded-for': '203.0.113.9', 'x-toolgate-peer': '127.0.0.1' }, 403],
    ['here, with an address made up', { 'x-toolgate-peer': '203.0.113.9' }, 200],
    ["another site's page", { 'sec-fetch-site': 'cross-site' }, 403],
    ['a page of another port', { 'sec-fetch-site': 'same-site' }, 403],
    ['its own page', { 'sec-fetch-site': 'same-origin' }, 200],
  ]) {
    test(`a request by ${what} is ${status}`, async () => {
      const given = typeof headers === 'function' ? headers() : headers
      assert.equal(
        (await rawRequest(`${on.url}/api/inspector/tools`, { headers: { ...AS_INSPECTOR, ...given } })).status,
        status,
      )
    })
  }

  test('a page under another name is 403, through a proxy 404', async () => {
    const status = async headers =>
      (await rawRequest(`${on.url}/inspector`, { headers: { ...AS_INSPECTOR, ...headers } })).status
    assert.equal(await status({ host: 'rebound.example' }), 403)
    assert.equal(await status({ 'x-forwarded-for': '203.0.113.9' }), 404)
  })

  test('a name that is set is let in, but not through a proxy; a name that a header claims is not', async () => {
    const status = async headers =>
      (await rawRequest(`${named.url}/api/inspector/tools`, { headers: { ...AS_INSPECTOR, ...headers } })).status
    assert.equal(await status({ host: 'Tools.example:8080' }), 200)
    for (const name of ['forwarded', 'via', 'x-forwarded-for', 'x-forwarded-server', 'x-real-ip', 'cf-ray']) {
      assert.equal(await status({ host: 'tools.example', [name]: '203.0.113.9' }), 403, name)
      assert.equal(await status({ host: 'localhost', [name]: '127.0.0.1' }), 403, name)
    }
    assert.equal(await status({ host: 'rebound.example', 'x-forwarded-host': 'tools.example' }), 403)
  })

  test('without the secret each page leads to its advice, and each route is 401', async () => {
    for (const [method, path] of [...(await placesOf('inspector')), ...(await placesOf('api/inspector'))]) {
      const headers = { ...(method === 'POST' && json), authorization: `Bearer ${INSPECTOR_SECRET}x` }
      const response = await fetch(on.url + path, { method, headers, ...(method === 'POST' && { body: '{}' }) })
      assert.equal(response.status, 401, `${method} ${path}`)
      assert.doesNotMatch(await response.text(), /Search the knowledge base/)
    }
  })

  test('the printed link sets a cookie that opens the inspector; another secret sets none', async () => {
    const open = (secret, headers) =>
      rawRequest(`${on.url}/inspector/open?secret=${secret}`, { headers: { ...headers } })
    const answer = await open(INSPECTOR_SECRET)
    assert.deepEqual([answer.status, answer.headers.location], [303, '/inspector'])
    const [set] = answer.headers['set-cookie']
    assert.match(set, /^toolgate_inspector_key=[\w-]{43}; Path=\/; Max-Age=86400; HttpOnly; SameSite=Strict$/)
    assert.ok(!set.includes(INSPECTOR_SECRET))
    const cookie = set.split(';')[0]
    const statusWith = async given =>
      (await rawRequest(`${on.url}/api/inspector/tools`, { headers: { cookie: given } })).status
    assert.deepEqual([await statusWith(cookie), await statusWith(`${cookie}x`)], [200, 401])
    const wrong = await open(`${INSPECTOR_SECRET}x`)
    assert.deepEqual([wrong.status, wrong.headers['set-cookie']], [401, undefined])
    assert.equal((await open(INSPECTOR_SECRET, { host: 'rebound.example' })).status, 403)
    assert.equal((await open(INSPECTOR_SECRET, { 'x-forwarded-for': '203.0.113.9' })).status, 404)
  })

  test('without a setting the secret is random and printed; a short one ends the start', async t => {
    const web = await startWeb(t, { env: { TOOLGATE_INSPECTOR: 'on', TOOLGATE_INSPECTOR_SECRET: '' } })
    const [, secret] = /\/inspector\/open\?secret=([\w-]{22})\n/.exec(web.log())
    const authorization = `Bearer ${secret}`
    assert.equal((await fetch(`${web.url}/api/inspector/tools`, { headers: { authorization } })).status, 200)
    const short = startWeb(t, { env: { TOOLGATE_INSPECTOR: 'on', TOOLGATE_INSPECTOR_SECRET: 'short' } })
    await assert.rejects(short, /TOOLGATE_INSPECTOR_SECRET: must have at least 16 bytes/)
  })

  for (const [what, init, status] of [
    ["another site's page", { headers: { ...json, origin: 'https://elsewhere.example' } }, 403],
    ['a form', { headers: { 'content-type': 'text/plain' } }, 415],
    ['no JSON', { body: '{"name"' }, 400],
    ['another shape', { body: '{"name": 7, "args": {}}' }, 400],
    ['arguments that are no text', { body: '{"name": "kb_search", "args": {"query": "Rust"}}' }, 400],
    ['too much', { body: JSON.stringify({ name: 'x', args: 'x'.repeat(3_200_000) }) }, 413],
  ]) {
    test(`a call with ${what} is ${status}`, async () => {
      const response = await new InspectorClient(on.url).fetch('/api/inspector/calls', {
        method: 'POST',
        headers: json,
        body: '{"name":"x","args":""}',
        ...init,
      })
      assert.equal(response.status, status)
      assert.equal(typeof (await response.json()).error.message, 'string')
      assert.deepEqual(response.headers.getSetCookie(), [])
    })
  }

  test("the session's cookie is the server's, and goes to the inspector's routes alone", async () => {
    const response = await new InspectorClient(on.url).postJson('/api/inspector/session', {})
    const [cookie] = response.headers.getSetCookie()
    assert.match(
      cookie,
      /^toolgate_inspector=[\w-]{22}\.[\w-]{22}\.[\w-]{43}; Path=\/api\/inspector; Max-Age=86400; HttpOnly; SameSite=Strict$/,
    )
  })
})
