// A page whose server does not answer for a while, and a page that is open twice.
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { launchChromium, skip } from './chromium.mjs'
import { simulate } from './simulator.mjs'
import { buildTestTools } from './test-tools.mjs'
import { isAwake, visit } from './visitor.mjs'
import { startWeb } from './web-server.mjs'

const book = room => ({ call: { name: 'book_room', args: { room } } })
const SCRIPT = {
  settings: { label: '' },
  rules: [
    {
      when: { user: { contains: 'both rooms' } },
      steps: [{ emit: [book('Harbour'), book('Garden')] }, { emit: [{ say: 'These need your consent.' }] }],
    },
    { when: 'always', steps: [{ emit: [{ say: 'I heard {{user}}.' }] }] },
  ],
}
const DOWN = {
  status: 503,
  contentType: 'application/json',
  body: '{"error":{"type":"CLOSING","message":"the server is shutting down"}}',
}

describe('a page in trouble', { skip, timeout: 120_000 }, () => {
  const endings = []
  const context = { after: fn => endings.unshift(fn) }
  let [chromium, web] = []
  before(async () => {
    const env = { ...(await simulate(context, SCRIPT)).env, TOOLGATE_ARTIFACT: await buildTestTools(context) }
    web = await startWeb(context, { env })
    chromium = await launchChromium()
    context.after(() => chromium.close())
  })
  after(async () => {
    for (const end of endings) await end()
  })

  /** While `isDown()`, the conversation is refused. */
  const refuse = (page, isDown) =>
    page.route('**/api/conversation', route => (isDown() ? route.fulfill(DOWN) : route.continue()))

  test('says that the conversation cannot be loaded, keeps its questions in view, and tries again', async t => {
    const { page, faults, ask, card, sees } = await visit(t, chromium, web.url)
    await ask('both rooms')
    await sees('These need your consent.')
    let isDown = true
    await refuse(page, () => isDown)
    await page.reload()
    await isAwake(page)
    await page.getByRole('alert').getByText('the server is shutting down').waitFor()
    await card.nth(1).waitFor()
    assert.equal(await page.getByText('both rooms').count(), 0)
    isDown = false
    await sees('both rooms')
    assert.equal(await page.getByRole('alert').filter({ hasText: 'shutting down' }).count(), 0)
    assert.equal(await card.count(), 2)
    assert.deepEqual(faults, [])
  })

  test('keeps the message that was not sent, with its retry', async t => {
    const { page, ask, sees, press } = await visit(t, chromium, web.url)
    await ask('hello')
    await sees('I heard hello.')
    let isDown = true
    await refuse(page, () => isDown)
    await page.reload()
    await isAwake(page)
    await ask('and now')
    const failure = page.getByRole('alert').filter({ has: page.getByRole('button', { name: 'Try again' }) })
    await failure.waitFor()
    await sees('and now')
    isDown = false
    await press('Try again')
    await sees('I heard and now.')
    assert.equal(await page.getByText('hello', { exact: true }).count(), 1)
  })

  test('each card has a name of its own', async t => {
    const { page, ask, sees, card } = await visit(t, chromium, web.url)
    await ask('both rooms')
    await sees('These need your consent.')
    for (const room of ['Harbour', 'Garden'])
      assert.equal(
        await page.getByRole('region', { name: `Confirmation: Book the room ${room}`, exact: true }).count(),
        1,
      )
    assert.equal(await card.count(), 2)
  })

  test('a second tab follows: messages and questions', async t => {
    const { context: tabs, ask, sees } = await visit(t, chromium, web.url)
    await ask('hello')
    await sees('I heard hello.')
    const other = await tabs.newPage()
    await other.goto(web.url)
    const log = other.getByRole('log')
    await log.getByText('I heard hello.').waitFor()
    await ask('both rooms')
    await log.getByText('These need your consent.').waitFor()
    const cardOf = (tab, room) => tab.getByRole('region', { name: `Confirmation: Book the room ${room}` })
    await cardOf(other, 'Harbour').waitFor()
    await cardOf(other, 'Garden').waitFor()
  })
})
