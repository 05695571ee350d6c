// What holds for every request, whatever its method, target, headers and body: the host name is checked, and no answer can
// be framed. Connections that ask for another protocol, or send slowly, end.
import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { once } from 'node:events'
import { createServer } from 'node:http'
import { connect } from 'node:net'
import { after, before, describe, test } from 'node:test'
import { launchChromium, skip } from './chromium.mjs'
import { callOnce, simulate } from './simulator.mjs'
import { buildTestTools } from './test-tools.mjs'
import { visit } from './visitor.mjs'
import { startWeb } from './web-server.mjs'

const DATA_POLICY = "default-src 'none'; frame-ancestors 'none'"
const UPGRADE = 'connection: Upgrade\r\nupgrade: websocket\r\nsec-websocket-version: 13\r\nsec-websocket-key: eHh4\r\n'

/** The first bytes of the answer to a request that is written as it is; '' if the connection was closed without one. */
async function written(url, text) {
  const socket = connect({ port: Number(new URL(url).port), host: '127.0.0.1', allowHalfOpen: true })
  let received = ''
  socket.setEncoding('utf8').on('data', chunk => (received += chunk))
  socket.on('error', () => {})
  socket.write(text)
  await Promise.race([once(socket, 'end'), once(socket, 'close')])
  socket.destroy()
  return received
}

const statusOf = answer => Number(/^HTTP\/1\.1 (\d+)/.exec(answer)?.[1] ?? 0)
const policyOf = answer => /^content-security-policy: (.*)\r$/im.exec(answer)?.[1]

const SHAPES = [
  ['GET', '', ''],
  ['GET', 'content-length: 0\r\n', ''],
  ['GET', 'content-length: 3\r\n', 'abc'],
  ['GET', 'transfer-encoding: chunked\r\n', '0\r\n\r\n'],
  ['HEAD', 'content-length: 0\r\n', ''],
  ['POST', 'content-type: application/x-www-form-urlencoded\r\ncontent-length: 3\r\n', 'a=b'],
  ['POST', 'content-type: text/plain\r\ntransfer-encoding: chunked\r\n', '3\r\na=b\r\n0\r\n\r\n'],
  ['POST', 'expect: 100-continue\r\ncontent-length: 3\r\n', 'a=b'],
  ['PUT', 'content-length: 3\r\n', 'abc'],
  ['PATCH', 'content-length: 0\r\n', ''],
  ['DELETE', 'content-length: 0\r\n', ''],
  ['OPTIONS', 'content-length: 0\r\n', ''],
]
const PATHS = [
  '/',
  '/none',
  '/metrics',
  '/inspector',
  '/inspector/open',
  '/icon.svg',
  '/api/chat',
  '/api/inspector/tools',
]

describe('every request', () => {
  const endings = []
  const context = { after: fn => endings.unshift(fn) }
  let url
  before(async () => {
    url = (await startWeb(context, { env: { TOOLGATE_INSPECTOR: 'on' } })).url
  })
  after(async () => {
    for (const end of endings) await end()
  })

  for (const [method, headers, body] of SHAPES)
    test(`${method} with \`${headers.trim().replaceAll('\r\n', ', ')}\``, async () => {
      for (const path of PATHS) {
        const ask = host =>
          written(url, `${method} ${path} HTTP/1.1\r\nhost: ${host}\r\nconnection: close\r\n${headers}\r\n${body}`)
        const own = (await ask('localhost')).replace(/^HTTP\/1\.1 100 Continue\r\n\r\n/, '')
        assert.notEqual(statusOf(own), 403, path)
        assert.match(policyOf(own) ?? '', /frame-ancestors 'none'/, path)
        const foreign = (await ask('evil.example')).replace(/^HTTP\/1\.1 100 Continue\r\n\r\n/, '')
        assert.deepEqual([statusOf(foreign), policyOf(foreign)], [403, DATA_POLICY], path)
      }
    })

  for (const [what, text, status] of [
    ['two slashes', 'GET //evil.example HTTP/1.1\r\nhost: localhost', 400],
    ['two slashes and one at its end', 'GET //evil.example/ HTTP/1.1\r\nhost: localhost', 400],
    ['a backslash', 'GET /\\evil.example/%2e%2e HTTP/1.1\r\nhost: localhost', 400],
    ['an absolute target', 'GET http://localhost/ HTTP/1.1\r\nhost: localhost', 400],
    ['an absolute target of another host', 'GET http://evil.example/ HTTP/1.1\r\nhost: localhost', 400],
    ['an asterisk', 'OPTIONS * HTTP/1.1\r\nhost: localhost', 400],
    ['two hosts', 'GET / HTTP/1.1\r\nhost: localhost\r\nHost: evil.example', 400],
    [
      'two forwarded hosts',
      'GET / HTTP/1.1\r\nhost: localhost\r\nx-forwarded-host: localhost\r\nx-forwarded-host: a.example',
      403,
    ],
    ['no host', 'GET / HTTP/1.1', 400],
    ['no host in HTTP/1.0', 'GET / HTTP/1.0', 403],
    ['an empty host', 'GET / HTTP/1.1\r\nhost:', 403],
  ])
    test(`a request with ${what} is refused`, async () => {
      const answer = await written(url, `${text}\r\nconnection: close\r\n\r\n`)
      assert.equal(statusOf(answer), status, answer)
      assert.doesNotMatch(answer, /^location:/im)
    })

  test('an image that is opened by itself is in a sandbox', async () => {
    const answer = await fetch(`${url}/api/images/none`)
    const policy = "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'; sandbox"
    assert.equal(answer.headers.get('content-security-policy'), policy)
  })

  test('a policy or a nonce that the client sends is not used', async () => {
    const headers = { 'content-security-policy': "script-src 'nonce-mine'", 'x-nonce': 'mine' }
    const answer = await fetch(url, { headers })
    assert.doesNotMatch((await answer.text()) + answer.headers.get('content-security-policy'), /mine/)
  })
})

describe('connections', () => {
  const refusedCount = async url =>
    Number(/^toolgate_web_refused_upgrades_total (\d+)$/m.exec(await (await fetch(`${url}/metrics`)).text())[1])
  const upgrade = (url, path, more = '') =>
    written(url, `GET ${path} HTTP/1.1\r\nhost: localhost\r\n${UPGRADE}${more}\r\n`)

  test('upgrades are refused and hold no descriptor, whatever their path, also of clients that stay', async t => {
    const { url, pid } = await startWeb(t)
    execFileSync('prlimit', ['--pid', String(pid), '--nofile=160:160'])
    const held = []
    t.after(() => held.forEach(socket => socket.destroy()))
    const paths = ['/none', '/api/none/deep', '/', '/metrics', '/_next/hmr', '/_next/webpack-hmr']
    for (let round = 0; round < 50; round += 1) {
      const opened = paths.map(async path => {
        const socket = connect({ port: Number(new URL(url).port), host: '127.0.0.1', allowHalfOpen: true })
        socket.on('error', () => {})
        held.push(socket)
        socket.write(`GET ${path} HTTP/1.1\r\nhost: localhost\r\n${UPGRADE}\r\n`)
        const [answer] = await once(socket, 'data')
        assert.match(String(answer), /^HTTP\/1\.1 400 Bad Request\r\n/)
      })
      await Promise.all(opened)
    }
    assert.equal((await fetch(`${url}/api/healthz`)).status, 200)
    assert.equal(await refusedCount(url), 300)
  })

  test('upgrades of one address are limited', async t => {
    const env = { TOOLGATE_TRUSTED_PROXIES: 'loopback', TOOLGATE_ADDRESS_LIMITS: 'requestsPerSecond=1' }
    const { url } = await startWeb(t, { env })
    const many = Array.from({ length: 20 }, () => upgrade(url, '/none', 'x-forwarded-for: 192.0.2.7\r\n'))
    const statuses = (await Promise.all(many)).map(statusOf)
    assert.ok(statuses.includes(400) && statuses.includes(0), String(statuses))
    assert.equal(statusOf(await upgrade(url, '/none', 'x-forwarded-for: 192.0.2.8\r\n')), 400)
  })

  test('a body that does not arrive ends with 408 at any path', async t => {
    const { url } = await startWeb(t)
    const head = path => `POST ${path} HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\n`
    const answers = await Promise.all([
      written(url, `${head('/api/chat')}content-length: 100\r\n\r\n{`),
      written(url, `${head('/api/chat')}transfer-encoding: chunked\r\n\r\n1\r\n{\r\n`),
    ])
    assert.deepEqual(answers.map(statusOf), [408, 408])
    assert.equal((await fetch(`${url}/api/healthz`)).status, 200)
  })
})

describe('a page that fools its user', { skip }, () => {
  const endings = []
  const context = { after: fn => endings.unshift(fn) }
  let web
  let chromium
  before(async () => {
    const { env } = await simulate(context, callOnce({ name: 'book_room', args: { room: 'Harbour' } }))
    web = await startWeb(context, { env: { ...env, TOOLGATE_ARTIFACT: await buildTestTools(context) } })
    chromium = await launchChromium()
    context.after(() => chromium.close())
  })
  after(async () => {
    for (const end of endings) await end()
  })

  test('frames no page of the app, whatever form asks for it', async t => {
    const forms = ['get', 'post'].flatMap(method =>
      ['text/plain', 'multipart/form-data'].map(
        (type, index) =>
          `<iframe name="${method}${index}"></iframe><form method="${method}" enctype="${type}" target="${method}${index}" action="${web.url}/"><input name="a" value="b"></form>`,
      ),
    )
    const html = `<!doctype html>${forms.join('')}<script>for (const form of document.forms) form.submit()</script>`
    const attacker = createServer((_, response) => response.setHeader('content-type', 'text/html').end(html))
    attacker.listen(0, '127.0.0.1')
    await once(attacker, 'listening')
    t.after(() => attacker.close())
    const page = await chromium.newPage()
    t.after(() => page.close())
    await page.goto(`http://127.0.0.1:${attacker.address().port}/`, { waitUntil: 'networkidle' })
    const framed = page.frames().slice(1)
    assert.equal(framed.length, 4)
    // A frame is empty until its form is answered.
    for (const frame of framed) await frame.waitForURL(url => url.protocol !== 'about:')
    assert.deepEqual(
      framed.map(frame => new URL(frame.url()).protocol),
      Array(4).fill('chrome-error:'),
    )
  })

  test('gets no click on a confirmation that has just come into view', async t => {
    const { page, card, ask, sees } = await visit(t, chromium, web.url)
    await page.clock.install()
    await ask('book')
    const approve = card.getByRole('button', { name: 'Approve' })
    await approve.waitFor()
    await page.clock.pauseAt((await page.evaluate(() => Date.now())) + 1000)
    // The page comes into view again, as after another window above it was closed.
    await page.evaluate(() => dispatchEvent(new Event('focus')))
    await page.clock.runFor(499)
    assert.equal(await approve.getAttribute('aria-disabled'), 'true')
    await approve.click({ force: true })
    assert.equal(await card.getAttribute('data-phase'), 'asking')
    await page.clock.runFor(1)
    await approve.click()
    await page.clock.resume()
    await sees('Done.', card)
  })
})
