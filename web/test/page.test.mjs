// The page in a real browser. Skipped, with a message, without Chromium.
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { launchChromium, skip } from './chromium.mjs'
import { simulate } from './simulator.mjs'
import { buildTestTools } from './test-tools.mjs'
import { isAwake, visit } from './visitor.mjs'
import { startWeb } from './web-server.mjs'

const answerTo = (word, steps) => ({ when: { user: { contains: word } }, steps })
const told = [
  { if: { path: 'result.ok', equals: true }, emit: [{ say: 'It is done.' }] },
  { if: { path: 'result.error.type', equals: 'CONFIRMATION_REQUIRED' }, emit: [{ say: 'This needs your consent.' }] },
  { emit: [{ say: 'Then not.' }] },
]
const asking = (word, call) => answerTo(word, [{ emit: [{ call }] }, { choose: told }])
const SCRIPT = {
  settings: { label: '' },
  rules: [
    asking('book', { name: 'book_room', args: { room: 'Harbour' } }),
    asking('hatch', { name: 'open_hatch', args: { side: 'upper' } }),
    answerTo('ponder', [{ emit: [{ say: 'Let me think. ' }, { wait: 10_000 }, { say: 'Done.' }] }]),
    answerTo('markup', [
      { emit: [{ say: '| a | b |\n|---|---|\n| 1 | 2 |\n\n<b>bold</b> ![spy](https://spy.example/x.png)' }] },
    ]),
    { when: 'always', steps: [{ emit: [{ error: { status: 400, message: 'no' } }] }] },
  ],
}

describe('the page', { skip }, () => {
  const endings = []
  const context = { after: fn => endings.unshift(fn) }
  let chromium
  let shipped
  let scripted
  before(async () => {
    chromium = await launchChromium()
    endings.unshift(() => chromium.close())
    shipped = await startWeb(context, { env: (await simulate(context)).env })
    const env = { ...(await simulate(context, SCRIPT)).env, TOOLGATE_ARTIFACT: await buildTestTools(context) }
    scripted = await startWeb(context, { env })
  })
  after(async () => {
    for (const end of endings) await end()
  })

  test('a question typed on a phone gets its answer, the call and numbered sources', async t => {
    const { page, faults, ask, answers, overflows } = await visit(t, chromium, shipped.url, {
      viewport: { width: 360, height: 740 },
    })
    await page.getByText('Simulator in use').waitFor()
    assert.equal(await overflows(), false)
    await ask('Who knows about Rust?')
    const cited = answers.getByRole('link', { name: 'Source 1' })
    await cited.waitFor()
    assert.match(
      await answers.getByRole('list', { name: 'Tool calls' }).innerText(),
      /Search the knowledge base\s+done · \d+ ms/,
    )
    const source = await cited.getAttribute('href')
    assert.match(await page.locator(source).innerText(), /^1\s+\w/)
    assert.equal(await overflows(), false)
    assert.deepEqual(faults, [])
  })

  test('a suggestion is asked with one press, and the field gets the focus', async t => {
    const { page, faults, press } = await visit(t, chromium, shipped.url)
    await press('Who knows about Rust?')
    await page.getByRole('group', { name: 'Sources' }).waitFor()
    assert.equal(await page.evaluate(() => document.activeElement.id), 'message')
    assert.deepEqual(faults, [])
  })

  test('a pause locks the field and says how long', async t => {
    const { page, ask, sees } = await visit(t, chromium, shipped.url)
    await ask('shut up, you idiot')
    await page.waitForSelector('#message:disabled')
    assert.match(await page.getAttribute('#message', 'placeholder'), /^Paused, (1:00|0:\d\d) left$/)
    await sees(/^I will be back/)
  })

  test('a confirmation is asked for beside its call; an approval runs it, and the focus stays with it', async t => {
    const { page, faults, ask, answers, said, card, press, sees } = await visit(t, chromium, scripted.url)
    await ask('book it')
    await sees('Book the room Harbour', answers)
    await sees('needs your consent')
    // Also where the preview has the same value.
    assert.match(await card.getByRole('row', { name: /room/ }).innerText(), /room\s+Harbour/)
    assert.match(await card.getByRole('timer').innerText(), /^[45]:\d\d$/)
    await press('Approve')
    await sees('Done.', card)
    await page.locator('[data-tool="book_room"][data-outcome="ok"]').first().waitFor()
    // The model gets the result and goes on, without words of the user, below the card.
    await sees('It is done.', answers)
    assert.equal(await said.count(), 1)
    assert.equal(await answers.count(), 1)
    assert.match(await answers.innerText(), /This needs your consent\.[^]*Approved[^]*It is done\./)
    assert.ok(await card.evaluate(element => element === document.activeElement))
    assert.equal(await card.getByRole('button').count(), 0)
    assert.match(
      await page.getByRole('status', { name: 'News' }).innerText(),
      /Needs your consent: Book the room Harbour[^]*This needs your consent\./,
    )
    assert.deepEqual(faults, [])
  })

  test('a confirmation that waited before the page was loaded is shown again, and denied', async t => {
    const { page, ask, card, sees } = await visit(t, chromium, scripted.url)
    await ask('book it')
    await card.waitFor()
    await page.reload()
    await isAwake(page)
    await card.getByRole('button', { name: 'Deny', disabled: false }).press('Enter')
    await sees('Nothing was done.', card)
    await sees('Then not.')
  })

  test('a confirmation that nobody answers says when its time is over', async t => {
    const { ask, answers, card, sees } = await visit(t, chromium, scripted.url)
    await ask('open the hatch')
    await sees('Nothing was done.', card)
    await sees('not done', answers)
    assert.equal(await card.getByRole('button').count(), 0)
  })

  test('Escape stops a running answer', async t => {
    const { page, ask, sees } = await visit(t, chromium, scripted.url)
    await ask('ponder')
    await sees('Let me think.')
    await page.keyboard.press('Escape')
    await page.getByRole('button', { name: 'Send' }).waitFor()
    assert.equal(await page.getByRole('log').getByRole('alert').count(), 0)
  })

  test('a failure is said plainly and can be tried again', async t => {
    const { page, ask, press } = await visit(t, chromium, scripted.url)
    await ask('fail')
    const failure = page.getByRole('log').getByRole('alert')
    await failure.getByText('the simulator answered with status 400').waitFor()
    const again = page.waitForResponse(response => response.url().endsWith('/api/chat'))
    await press('Try again')
    assert.equal((await again).status(), 200)
    await failure.waitFor()
  })

  test('markup of an answer is shown, its HTML and images are not loaded', async t => {
    const { faults, ask, answers, sees } = await visit(t, chromium, scripted.url)
    await ask('markup')
    await sees('<b>bold</b>')
    // Markdown is loaded with the first answer.
    await answers.locator('td').first().waitFor()
    assert.equal(await answers.locator('td').count(), 2)
    assert.equal(await answers.locator('img').count(), 0)
    assert.deepEqual(faults, [])
  })

  test("the theme is the system's until one is chosen, is kept, and is there before the page is painted", async t => {
    const { page } = await visit(t, chromium, shipped.url, { colorScheme: 'dark' })
    const paper = () => page.evaluate(() => getComputedStyle(document.body).backgroundColor)
    assert.equal(await paper(), 'rgb(17, 20, 19)')
    await page.getByRole('radio', { name: 'Light' }).click()
    assert.equal(await paper(), 'rgb(246, 245, 241)')
    // Without the page's scripts, only what stands in the head has run.
    await page.route('**/_next/static/**/*.js', route => route.abort())
    await page.reload()
    assert.equal(await paper(), 'rgb(246, 245, 241)')
    await page.unroute('**/_next/static/**/*.js')
    await page.reload()
    await isAwake(page)
    await page.getByRole('radio', { name: 'As the system' }).click()
    assert.equal(await paper(), 'rgb(17, 20, 19)')
    assert.equal(await page.evaluate(() => localStorage.getItem('toolgate.theme')), null)
  })

  test('without a voice server there is nothing to talk with, and nothing but the app may be reached', async t => {
    const { page } = await visit(t, chromium, shipped.url)
    assert.equal(await page.getByRole('button', { name: 'Talk' }).count(), 0)
    const policy = (await fetch(shipped.url)).headers.get('content-security-policy')
    assert.match(policy, /connect-src 'self';/)
    assert.match(policy, /script-src 'self' 'nonce-[\w+/=]+';/)
  })
})
