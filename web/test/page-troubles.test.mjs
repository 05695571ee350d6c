// A page whose server does not answer for a while, and a page that is open twice.
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { launchChromium, skip } from './chromium.mjs'
import { simulate } from './simulator.mjs'
import { buildTestTools } from './test-tools.mjs'
import { isAwake, visit } from './visitor.mjs'
import { startWeb } from './web-server.mjs'

const book = room => ({ call: { name: 'book_room', args: { room } } })
const TOLD = [
  { if: { path: 'result.error.type', equals: 'CONFIRMATION_REQUIRED' }, emit: [{ say: 'These need your consent.' }] },
  { emit: [{ say: 'I have heard of it.' }] },
]
const SCRIPT = {
  settings: { label: '' },
  rules: [
    {
      when: { user: { contains: 'both rooms' } },
      steps: [{ emit: [book('Harbour'), book('Garden')] }, { choose: TOLD }, { choose: TOLD }, { choose: TOLD }],
    },
    { when: 'always', steps: [{ emit: [{ say: 'I heard {{user}}.' }] }] },
  ],
}
const DOWN = {
  status: 503,
  contentType: 'application/json',
  body: '{"error":{"type":"CLOSING","message":"the server is shutting down"}}',
}

describe('a page in trouble', { skip }, () => {
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
    page.route('**/api/conversation?*', route => (isDown() ? route.fulfill(DOWN) : route.continue()))

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
    await page.getByText('hello', { exact: true }).waitFor()
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

  test('a decision in one tab settles the card in the other, and the model is told once', async t => {
    const { context: tabs, page, ask, sees } = await visit(t, chromium, web.url)
    await ask('both rooms')
    await sees('These need your consent.')
    const other = await tabs.newPage()
    await other.goto(web.url)
    const cardOf = (tab, room) => tab.getByRole('region', { name: `Confirmation: Book the room ${room}` })
    const decide = (tab, room, name) => cardOf(tab, room).getByRole('button', { name, disabled: false }).press('Enter')
    await cardOf(other, 'Garden').waitFor()
    await decide(page, 'Harbour', 'Deny')
    await cardOf(other, 'Harbour').getByText('Nothing was done, denied elsewhere.').waitFor()
    await decide(other, 'Garden', 'Approve')
    await cardOf(page, 'Garden').getByText('Done, approved elsewhere.').waitFor()
    for (const tab of [page, other]) {
      await tab.getByText('I have heard of it.').last().waitFor()
      await tab.locator('[data-tool="book_room"][data-outcome="ok"]').waitFor()
      await tab.getByRole('button', { name: 'Send' }).waitFor()
      assert.equal(await tab.getByRole('article').count(), 2)
      assert.equal(await tab.getByRole('log').getByRole('alert').count(), 0)
    }
  })
})
