// Frames of the camera: from the page's button through the route to the tool, and what the route refuses.
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { Browser } from './browser.mjs'
import { launchChromium, skip } from './chromium.mjs'
import { simulate } from './simulator.mjs'
import { visit } from './visitor.mjs'
import { startWeb } from './web-server.mjs'

const FRAME = '/api/tools/webcam?kind=webcam'
// A PNG of one pixel.
const PIXEL = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
)

describe('frames', () => {
  const endings = []
  const onEnd = fn => endings.unshift(fn)
  let web
  before(async () => {
    const { env } = await simulate({ after: onEnd })
    web = await startWeb({ after: onEnd }, { env })
  })
  after(async () => {
    for (const end of endings) await end()
  })
  const send = (browser, { path = FRAME, type = 'image/png', body = PIXEL, ...init } = {}) =>
    browser.fetch(path, { method: 'POST', headers: { 'content-type': type, ...init.headers }, body })
  const withSession = async () => {
    const browser = new Browser(web.url)
    await browser.say('What do you see?')
    return browser
  }

  test('a frame reaches the tools of its own session alone, and is forgotten on request', async () => {
    const browser = await withSession()
    const sent = await send(browser)
    assert.equal(sent.status, 200)
    assert.deepEqual(Object.keys(await sent.json()), ['capturedAt', 'width', 'height'])
    const [seen] = (await browser.say('What do you see?')).answers
    assert.deepEqual([seen.ok, seen.data.kind, seen.data.width], [true, 'webcam', 1])
    const [other] = (await new Browser(web.url).say('What do you see?')).answers
    assert.equal(other.error.type, 'NOT_FOUND')
    assert.equal((await browser.fetch(FRAME, { method: 'DELETE' })).status, 204)
    const [gone] = (await browser.say('Look at me now: what do you see?')).answers
    assert.equal(gone.error.type, 'NOT_FOUND')
  })

  test('what is no frame, or nobody may send, is refused', async () => {
    const browser = await withSession()
    const refusals = [
      [{ path: '/api/tools/webcam?kind=ear' }, 400],
      [{ path: '/api/tools/webcam' }, 400],
      [{ type: 'text/plain' }, 415],
      [{ type: 'image/svg+xml' }, 415],
      [{ body: Buffer.from('no image') }, 400],
      [{ body: Buffer.alloc(0) }, 400],
      [{ body: Buffer.alloc(2_000_001) }, 413],
      [{ headers: { origin: 'https://evil.example' } }, 403],
    ]
    for (const [request, status] of refusals) {
      const answer = await send(browser, request)
      assert.equal(answer.status, status, JSON.stringify(request).slice(0, 80))
      assert.equal(typeof (await answer.json()).error.message, 'string')
    }
    assert.equal((await send(new Browser(web.url))).status, 401)
    const stranger = new Browser(web.url)
    stranger.cookie = browser.cookie.replace(/.$/, last => (last === 'A' ? 'B' : 'A'))
    assert.equal((await send(stranger)).status, 401)
  })

  test('the page shows that the camera is on, sends frames, and stops', { skip }, async t => {
    const chromium = await launchChromium(['--use-fake-device-for-media-stream', '--use-fake-ui-for-media-stream'])
    t.after(() => chromium.close())
    const { page, faults, ask, press, sees } = await visit(t, chromium, web.url)
    await ask('What do you see?')
    await sees(/^\[simulator\] I see nothing: /)
    const taken = page.waitForResponse(response => response.url().endsWith(FRAME) && response.ok())
    await press('Turn the camera on')
    await page.getByText('Camera is on').waitFor()
    await taken
    await ask('What do you see?')
    await sees(/I have a picture of your camera/)
    const forgotten = page.waitForResponse(response => response.request().method() === 'DELETE')
    await press('Turn the camera off')
    assert.equal((await forgotten).status(), 204)
    assert.equal(await page.getByText('Camera is on').count(), 0)
    assert.deepEqual(faults, [])
  })

  test('a refused camera is said', { skip }, async t => {
    const chromium = await launchChromium(['--use-fake-ui-for-media-stream=deny'])
    t.after(() => chromium.close())
    const { page, press } = await visit(t, chromium, web.url)
    await press('Turn the camera on')
    await page.getByText('No camera allowed').waitFor()
    assert.equal(await page.getByText('Camera is on').count(), 0)
  })
})
