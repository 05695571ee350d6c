// What the app believes of a proxy's headers, and who may read its metrics.
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { Browser } from './browser.mjs'
import { rawRequest } from './inspector-http.mjs'
import { simulate } from './simulator.mjs'
import { startWeb } from './web-server.mjs'

const json = { 'content-type': 'application/json' }
const TOKEN = '0123456789abcdef'

/** The first cookie of a chat over HTTPS, as headers say. */
async function cookieOf(url) {
  const answer = await new Browser(url).post('hello', { headers: { ...json, 'x-forwarded-proto': 'https' } })
  await answer.text()
  return answer.headers.getSetCookie()[0]
}

/** The status of a request that only its origin can refuse with 403. */
async function statusOfOrigin(url) {
  const headers = { ...json, origin: 'https://app.example', 'x-forwarded-host': 'app.example' }
  return (await rawRequest(`${url}/api/chat`, { method: 'POST', headers, body: '{}' })).status
}

describe("a proxy's headers", () => {
  for (const [trusted, isBelieved] of [
    ['', false],
    ['192.0.2.7', false],
    ['10.0.0.0/8, loopback', true],
  ])
    test(`from this machine with \`${trusted}\` trusted are ${isBelieved ? '' : 'not '}believed`, async t => {
      const { env } = await simulate(t)
      const settings = { TOOLGATE_TRUSTED_PROXIES: trusted, TOOLGATE_ALLOWED_HOSTS: 'app.example' }
      const { url } = await startWeb(t, { env: { ...env, ...settings } })
      const cookie = await cookieOf(url)
      assert.match(cookie, isBelieved ? /^__Host-toolgate_session=.*; Path=\/; .*; Secure$/ : /^toolgate_session=/)
      assert.equal(/Secure/.test(cookie), isBelieved)
      assert.equal(await statusOfOrigin(url), isBelieved ? 400 : 403)
    })
})

describe('metrics', () => {
  const statusOf = async (url, headers) => (await rawRequest(`${url}/metrics`, { headers })).status

  test('without a token answer direct requests of this machine', async t => {
    const { url } = await startWeb(t)
    assert.equal(await statusOf(url, {}), 200)
    for (const name of ['x-forwarded-for', 'forwarded', 'via', 'cf-ray'])
      assert.equal(await statusOf(url, { [name]: '127.0.0.1' }), 401, name)
  })

  test('with a token answer who sends it', async t => {
    const { url } = await startWeb(t, { env: { TOOLGATE_METRICS_TOKEN: TOKEN } })
    const proxied = { authorization: `Bearer ${TOKEN}`, 'x-forwarded-for': '203.0.113.9' }
    assert.deepEqual([await statusOf(url, {}), await statusOf(url, proxied)], [401, 200])
    assert.equal(await statusOf(url, { authorization: `Bearer ${TOKEN}` }), 200, 'a direct request')
    assert.equal(await statusOf(url, { authorization: `Bearer ${TOKEN}x` }), 401)
    assert.match(await (await fetch(`${url}/metrics`)).text(), /^metrics need the bearer token of this server/)
  })
})
