// The user's conversations: a new one, an earlier one, and what can be done with an answer. In a real browser.
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { launchChromium, skip } from './chromium.mjs'
import { simulate } from './simulator.mjs'
import { buildTestTools } from './test-tools.mjs'
import { isAwake, visit } from './visitor.mjs'
import { startWeb } from './web-server.mjs'

const TOLD = [
  { if: { path: 'result.error.type', equals: 'CONFIRMATION_REQUIRED' }, emit: [{ say: 'This needs your consent.' }] },
  { emit: [{ say: 'It is over.' }] },
]
const SCRIPT = {
  settings: { label: '' },
  rules: [
    {
      when: { user: { contains: 'book' } },
      steps: [{ emit: [{ call: { name: 'book_room', args: { room: 'Harbour' } } }] }, { choose: TOLD }],
    },
    {
      when: { user: { contains: 'ponder' } },
      steps: [{ emit: [{ say: 'Let me think. ' }, { wait: 3000 }, { say: 'Thought.' }] }],
    },
    { when: { user: { contains: 'long' } }, steps: [{ emit: [{ say: 'A long answer. '.repeat(120) }] }] },
    { when: 'always', steps: [{ emit: [{ say: 'I heard **{{user}}**.' }] }] },
  ],
}

describe('conversations', { skip }, () => {
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

  const list = async ({ page, press }) => {
    await press('Earlier ones')
    return page.getByRole('dialog', { name: 'Your conversations' })
  }

  test('a new one is empty, stays after a reload, and the earlier ones are listed and opened again', async t => {
    const visitor = await visit(t, chromium, web.url)
    const { page, ask, press, sees, said, card, faults } = visitor
    await ask('book it')
    await sees('This needs your consent.')
    await press('New conversation')
    assert.equal(await page.evaluate(() => document.activeElement.id), 'message')
    await page.getByRole('heading', { name: /^Ask\./ }).waitFor()
    assert.deepEqual([await said.count(), await card.count()], [0, 0])
    await ask('hello')
    await sees('I heard hello.')
    await page.reload()
    await isAwake(page)
    await sees('I heard hello.')
    assert.equal(await said.count(), 1)
    const dialog = await list(visitor)
    assert.deepEqual(
      (await dialog.getByRole('listitem').allInnerTexts()).map(text => text.split('\n')[0]),
      ['hello', 'book it'],
    )
    await dialog.getByRole('button', { name: /^book it/ }).click()
    // Its question waits, and the decision is its model's.
    await card.getByRole('button', { name: 'Approve', disabled: false }).press('Enter')
    await sees('It is over.')
    assert.equal(await page.getByText('I heard hello.').count(), 0)
    assert.equal(new URL(page.url()).search, '')
    assert.deepEqual(faults, [])
  })

  test('an answer of a conversation that was left goes on, and is there once it is opened again', async t => {
    const visitor = await visit(t, chromium, web.url)
    const { page, ask, press, sees, said } = visitor
    await ask('hello')
    await sees('I heard hello.')
    await ask('ponder')
    await sees('Let me think.')
    await press('New conversation')
    await ask('other')
    await sees('I heard other.')
    assert.equal(await said.count(), 1)
    await (await list(visitor)).getByRole('button', { name: /^hello/ }).click()
    await sees('Thought.')
    assert.equal(await page.getByText('This answer broke off.').count(), 0)
    assert.equal(await page.getByText('I heard other.').count(), 0)
  })

  test('another user does not see it', async t => {
    const { page, ask, press, sees } = await visit(t, chromium, web.url)
    await ask('hello')
    await sees('I heard hello.')
    await press('New conversation')
    await ask('secret')
    await sees('I heard secret.')
    const other = await visit(t, chromium, page.url())
    await other.ask('who is there')
    await other.sees('I heard who is there.')
    assert.equal(await other.said.count(), 1)
    await other.page.reload()
    await isAwake(other.page)
    await other.sees('I heard who is there.')
    assert.equal(await other.said.count(), 1)
  })

  test('an answer is copied as it was written, and made again', async t => {
    const { context: browser, page, ask, press, sees, answers, said } = await visit(t, chromium, web.url)
    await browser.grantPermissions(['clipboard-read', 'clipboard-write'])
    await ask('hello')
    await sees('I heard hello.')
    await press('Copy the answer')
    await page.getByText('The answer is copied.').first().waitFor()
    assert.equal(await page.evaluate(() => navigator.clipboard.readText()), 'I heard **hello**.')
    const again = page.waitForResponse(response => response.url().endsWith('/api/chat'))
    await press('Answer again')
    assert.equal((await again).status(), 200)
    await sees('I heard hello.')
    assert.deepEqual([await said.count(), await answers.count()], [1, 1])
  })

  test('an answer that is stopped says that it broke off, after a reload too', async t => {
    const { page, ask, press, sees } = await visit(t, chromium, web.url)
    await ask('ponder')
    await sees('Let me think.')
    await press('Stop')
    await sees('This answer broke off.')
    await page.reload()
    await isAwake(page)
    await sees('This answer broke off.')
    await press('Answer again')
    await sees('Thought.')
    assert.equal(await page.getByText('This answer broke off.').count(), 0)
  })

  for (const viewport of [
    { width: 320, height: 256 },
    { width: 320, height: 568 },
    { width: 320, height: 740 },
    { width: 844, height: 390 },
  ])
    test(`at ${viewport.width} × ${viewport.height} at least half of the height is the conversation's`, async t => {
      const { page, ask, sees, card, overflows } = await visit(t, chromium, web.url, { viewport })
      await ask('a long one')
      await sees(/A long answer/)
      await ask('book it')
      await sees('This needs your consent.')
      const shares = () =>
        page.evaluate(() => {
          const rows = Array.from({ length: innerHeight }, (_, y) => document.elementFromPoint(innerWidth / 3, y))
          return rows.filter(element => element?.closest('[role=log]')).length / innerHeight
        })
      const log = page.getByRole('log')
      for (const place of [log.getByText(/A long answer/), card]) {
        await place.evaluate(element => element.scrollIntoView({ block: 'start' }))
        assert.ok((await shares()) >= 0.5, `${await shares()}`)
      }
      assert.equal(await overflows(), false)
      // What the field covers is scrolled to when it gets the focus.
      const approve = card.getByRole('button', { name: 'Approve', disabled: false })
      await approve.focus()
      assert.ok(
        await approve.evaluate(element => {
          const { left, top, width, height } = element.getBoundingClientRect()
          return element.contains(document.elementFromPoint(left + width / 2, top + height / 2))
        }),
      )
    })
})
