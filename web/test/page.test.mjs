// The page in a real browser: what people see and press. Skipped, with a line, where there is no Chromium.
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { launchChromium, skip } from './chromium.mjs'
import { simulate } from './simulator.mjs'
import { buildTestTools } from './test-tools.mjs'
import { startWeb } from './web-server.mjs'

const PHONE = { width: 390, height: 780 }

const answerTo = (word, steps) => ({ when: { user: { contains: word } }, steps })
const SCRIPT = {
  settings: { label: '' },
  rules: [
    answerTo('book', [
      { emit: [{ call: { name: 'book_room', args: { room: 'Harbour' } } }] },
      { emit: [{ say: 'This needs your consent.' }] },
    ]),
    answerTo('ponder', [{ emit: [{ say: 'Let me think. ' }, { wait: 10_000 }, { say: 'Done.' }] }]),
    answerTo('markup', [{ emit: [{ say: '| a | b |\n|---|---|\n| 1 | 2 |\n\n<b>bold</b> ![spy](https://spy.example/x.png)' }] }]),
    { when: 'always', steps: [{ emit: [{ error: { status: 400, message: 'no' } }] }] },
  ],
}

describe('the page', { skip, timeout: 120_000 }, () => {
  const endings = []
  const context = { after: (fn) => endings.unshift(fn) }
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

  /** A page of a new visitor, watched for errors and for requests to elsewhere. */
  async function visit(t, web, viewport = PHONE) {
    const visitor = await chromium.newContext({ viewport })
    t.after(() => visitor.close())
    const page = await visitor.newPage()
    const faults = []
    page.on('pageerror', (error) => faults.push(error.message))
    page.on('request', (request) => request.url().startsWith(web.url) || faults.push(request.url()))
    await page.goto(web.url, { waitUntil: 'networkidle' })
    return { page, faults, ...actionsOn(page) }
  }

  test('a question typed on a phone gets its answer, the call and numbered sources', async (t) => {
    const { page, faults, ask, textOf } = await visit(t, shipped)
    assert.match(await textOf('.banner'), /Simulator in use/)
    await ask('Who knows about Rust?')
    await page.waitForSelector('.activities .ok')
    await page.waitForSelector('.answer-text sup a[href="#source-1"]')
    assert.match(await textOf('.activities'), /Search the knowledge base\s+ok · \d+ ms/)
    assert.match(await textOf('.sources'), /\w/)
    assert.equal(await page.evaluate(() => document.documentElement.scrollWidth > innerWidth), false)
    assert.deepEqual(faults, [])
  })

  test('a suggestion is asked with one press, and the field keeps the focus', async (t) => {
    const { page, faults } = await visit(t, shipped)
    await page.click('.welcome button')
    await page.waitForSelector('.sources')
    assert.equal(await page.evaluate(() => document.activeElement.id), 'message')
    assert.deepEqual(faults, [])
  })

  test('a pause locks the field and says how long', async (t) => {
    const { page, ask, textOf } = await visit(t, shipped)
    await ask('shut up, you idiot')
    await page.waitForSelector('#message:disabled')
    assert.match(await page.$eval('#message', (field) => field.placeholder), /^Paused, /)
    assert.match(await textOf('.note'), /I will be back/)
  })

  test('a confirmation is asked for beside its call, and an approval runs it', async (t) => {
    const { page, faults, ask, textOf } = await visit(t, scripted)
    await ask('book it')
    await page.waitForSelector('.message .confirmation')
    assert.match(await textOf('.confirmation'), /Book the room Harbour/)
    assert.match(await textOf('.activities'), /needs your consent/)
    await page.click('.confirmation button')
    await page.waitForSelector('.confirmation [role=status]')
    assert.match(await textOf('.confirmation'), /Done\./)
    assert.deepEqual(faults, [])
  })

  test('a confirmation that waited before the page was loaded is shown again', async (t) => {
    const { page, ask } = await visit(t, scripted)
    await ask('book it')
    await page.waitForSelector('.confirmation')
    await page.reload({ waitUntil: 'networkidle' })
    await page.waitForSelector('.confirmation')
    await page.getByRole('button', { name: 'Deny' }).press('Enter')
    await page.waitForFunction(() => document.querySelector('.confirmation').innerText.includes('Denied'))
  })

  test('Escape stops a running answer', async (t) => {
    const { page, ask } = await visit(t, scripted)
    await ask('ponder')
    await page.waitForSelector('.answer-text')
    await page.keyboard.press('Escape')
    await page.waitForSelector('.composer button[type=submit]')
    assert.equal(await page.$('.error[role=alert]'), null)
  })

  test('a failure is said plainly and can be tried again', async (t) => {
    const { page, ask, textOf } = await visit(t, scripted)
    await ask('fail')
    await page.waitForSelector('.error[role=alert]')
    assert.match(await textOf('.error[role=alert]'), /the simulator answered with status 400/)
    const again = page.waitForResponse((response) => response.url().endsWith('/api/chat'))
    await page.click('.error button')
    assert.equal((await again).status(), 200)
    await page.waitForSelector('.error[role=alert]')
  })

  test('markup of an answer is shown, its HTML and images are not loaded', async (t) => {
    const { page, faults, ask, textOf } = await visit(t, scripted)
    await ask('markup')
    await page.waitForFunction(() => document.querySelector('.answer-text')?.innerText.includes('bold'))
    assert.equal(await page.$$eval('.answer-text td', (cells) => cells.length), 2)
    assert.match(await textOf('.answer-text'), /<b>bold<\/b>/)
    assert.equal(await page.$('.answer-text img'), null)
    assert.deepEqual(faults, [])
  })
})

function actionsOn(page) {
  return {
    ask: async (text) => {
      await page.focus('#message')
      await page.keyboard.type(text)
      await page.keyboard.press('Enter')
    },
    textOf: (selector) => page.$eval(selector, (element) => element.innerText),
  }
}
