// What people read: citations that lead to their source, failures in plain words, directions of writing, names of controls, and a
// layout that does not move.
import assert from 'node:assert/strict'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { launchChromium, skip } from './chromium.mjs'
import { simulate } from './simulator.mjs'
import { isAwake, visit } from './visitor.mjs'
import { startVoice } from './voice-server.mjs'
import { INSPECTOR_SECRET, startWeb } from './web-server.mjs'

const ID = 'person:mirela_kovac'
const on = (word, ...steps) => ({ when: { user: { contains: word } }, steps: steps.map(emit => ({ emit })) })
const say = text => [{ say: text }]
const book = {
  name: 'calendar_create_event',
  args: {
    title: 'Review',
    start_time: '2031-03-03T10:00:00Z',
    end_time: '2031-03-03T11:00:00Z',
    attendees: ['ada@example.com'],
  },
}
const ASKS = { path: 'result.error.type', equals: 'CONFIRMATION_REQUIRED' }
const SCRIPT = {
  settings: { label: '', listenMs: 60_000 },
  rules: [
    on('cite', [{ call: { name: 'kb_get', args: { id: ID } } }], say(`Ask her [${ID}], not \`[${ID}]\` [no:one].`)),
    on('tasks', say('- [x] signed\n- [ ] sent\n')),
    on('hebrew', say('שלום עולם\n\nand then English.')),
    {
      when: { user: { contains: 'book' } },
      steps: [
        { emit: [{ call: book }] },
        { choose: [{ if: ASKS, emit: say('This needs your word.') }, { emit: say('It is in the calendar.') }] },
        { emit: say('It is in the calendar.') },
      ],
    },
    { when: 'always', steps: [{ emit: say('I heard {{user}}.') }] },
  ],
}

describe('what people read', { skip }, () => {
  const endings = []
  const context = { after: fn => endings.unshift(fn) }
  let [chromium, web] = []
  before(async () => {
    const { simulator, env } = await simulate(context, SCRIPT)
    const voice = await startVoice(context, { TOOLGATE_GEMINI_BASE_URL: simulator.url })
    // The app's own calendar has what an earlier run has booked.
    const calendar = await mkdtemp(join(tmpdir(), 'toolgate-calendar-'))
    context.after(() => rm(calendar, { recursive: true, force: true }))
    const own = { TOOLGATE_CALENDAR_FOLDER: calendar, TOOLGATE_INSPECTOR: 'on' }
    web = await startWeb(context, { env: { ...env, ...own, TOOLGATE_VOICE_URL: voice.url } })
    chromium = await launchChromium(['--use-fake-device-for-media-stream', '--use-fake-ui-for-media-stream=deny'])
    context.after(() => chromium.close())
  })
  after(async () => {
    for (const end of endings) await end()
  })

  for (const way of ['text', 'a voice call'])
    test(`a citation in ${way} leads to its source, and one of an unknown source is shown as it is`, async t => {
      const { page, faults, ask, answers, press, sees } = await visit(t, chromium, web.url)
      if (way !== 'text') {
        await press('Talk')
        await page.waitForSelector('[data-phase="live"]')
      }
      await ask('cite someone')
      const cited = answers.getByRole('link', { name: 'Source 1' })
      await cited.waitFor()
      const href = await cited.getAttribute('href')
      assert.match(href, /^#[\w-]+$/)
      await cited.click()
      const source = page.getByRole('group', { name: 'Sources' }).getByRole('listitem')
      assert.equal(await source.evaluate(item => item.matches(':target')), true)
      assert.match(await source.innerText(), /person:mirela_kovac/)
      // In code it is no citation.
      assert.deepEqual(await answers.locator('p code').allInnerTexts(), [`[${ID}]`, 'no:one'])
      await sees('Ask her')
      assert.deepEqual(faults, [])
    })

  test('the turn of a call is counted as its turns begin', async t => {
    const { page, ask, press, sees, dock } = await visit(t, chromium, web.url)
    await press('Talk')
    await page.waitForSelector('[data-phase="live"]')
    for (const [turn, words] of ['one', 'two', 'three'].entries()) {
      await ask(words)
      await sees(`I heard ${words}.`)
      await dock.getByText(`turn ${turn + 1}`, { exact: true }).waitFor()
    }
  })

  test('the boxes of a task list have names; each paragraph and field has the direction of its words', async t => {
    const { page, ask, answers, said, sees } = await visit(t, chromium, web.url)
    await ask('tasks')
    await answers.getByRole('checkbox', { name: 'Done' }).waitFor()
    assert.equal(await answers.getByRole('checkbox', { name: 'To do' }).isChecked(), false)
    const directionOf = place => place.evaluate(element => getComputedStyle(element).direction)
    await page.fill('#message', 'מה hebrew שלומך')
    assert.equal(await directionOf(page.locator('#message')), 'rtl')
    await page.press('#message', 'Enter')
    await sees('and then English.')
    assert.equal(await directionOf(said.last().locator('div')), 'rtl')
    assert.equal(await directionOf(answers.last().getByText('שלום עולם')), 'rtl')
    assert.equal(await directionOf(answers.last().getByText('and then English.')), 'ltr')
    assert.equal(await directionOf(page.locator('#message')), 'ltr')
  })

  for (const [what, answer, words] of [
    ['a server that is down', null, /^The server cannot be reached\. Try again in a moment\.$/],
    [
      'too much',
      { status: 413, json: { error: { type: 'TOO_LARGE', message: 'larger than 4194304 bytes' } } },
      /shorter/,
    ],
    [
      'a limit',
      { status: 429, headers: { 'retry-after': '30' }, json: { error: { message: 'x' } } },
      /in 30 seconds\.$/,
    ],
    [
      'a failure',
      { status: 500, json: { error: { type: 'INTERNAL', message: 'its log says why' } } },
      /^Something went wrong/,
    ],
    [
      'the page of a proxy',
      { status: 502, contentType: 'text/html', body: '<html><h1>Bad Gateway</h1>' },
      /does not answer now/,
    ],
    [
      'a page without a status',
      { status: 418, contentType: 'text/html', body: '<!doctype html><p>no' },
      /did not say why/,
    ],
  ])
    test(`${what} is said in people's words, and the request can be made again`, async t => {
      const { page, ask, press, sees } = await visit(t, chromium, web.url)
      await page.route('**/api/chat', route => (answer ? route.fulfill(answer) : route.abort('connectionrefused')))
      await ask('apples')
      const failure = page.getByRole('log').getByRole('alert')
      await failure.waitFor()
      assert.match((await failure.locator('div').first().innerText()).trim(), words)
      await page.unroute('**/api/chat')
      await press('Try again')
      await sees('I heard apples.')
      assert.equal(await failure.count(), 0)
    })

  test('offline it says so; an approval that is given then is sent once the browser is online', async t => {
    const { page, context: browser, ask, card, press, sees } = await visit(t, chromium, web.url)
    await ask('book it')
    await card.getByRole('button', { name: 'Approve' }).waitFor()
    await sees('This needs your word.')
    await browser.setOffline(true)
    await press('Approve', card)
    await sees('You are offline. Your answer is sent once you are connected.', card)
    assert.equal(await card.getByRole('button', { name: 'Approve' }).isEnabled(), true)
    await browser.setOffline(false)
    await sees('It is in the calendar.')
    assert.equal(await card.getByRole('button').count(), 0)
    await browser.setOffline(true)
    await ask('apples')
    await page.getByRole('log').getByRole('alert').getByText('You are offline.').waitFor()
  })

  test('an approval that meets a limit can be given again', async t => {
    const { page, ask, card, press, sees } = await visit(t, chromium, web.url)
    await ask('book it')
    await page.route('**/api/confirmations', route => route.fulfill({ status: 429, json: { error: { message: 'x' } } }))
    await press('Approve', card)
    await sees('Too many requests at once. Try again in a moment.', card)
    await page.unroute('**/api/confirmations')
    await press('Approve', card)
    await sees('It is in the calendar.')
  })

  test('the inspector without its secret is a page that says how it opens, and takes the secret', async t => {
    const visitor = await chromium.newContext({ viewport: { width: 390, height: 780 } })
    t.after(() => visitor.close())
    const page = await visitor.newPage()
    page.setDefaultTimeout(240_000)
    await page.goto(`${web.url}/inspector/tools/kb_search`)
    await page.getByRole('heading', { name: 'The inspector is locked' }).waitFor()
    await page.getByLabel('Secret').fill('not the secret of this server')
    await page.getByRole('button', { name: 'Open the inspector' }).click()
    await page.getByText(/^This is not the secret/).waitFor()
    assert.equal(await page.getByLabel('Secret').getAttribute('aria-invalid'), 'true')
    await page.getByLabel('Secret').fill(INSPECTOR_SECRET)
    await page.getByRole('button', { name: 'Open the inspector' }).click()
    await page.getByRole('heading', { name: 'Tools', exact: true }).waitFor()
    assert.equal(new URL(page.url()).pathname + new URL(page.url()).search, '/inspector')
    // Who has a proxy before it is no visitor of this machine.
    const elsewhere = { accept: 'text/html', 'x-forwarded-for': '203.0.113.9' }
    assert.equal((await fetch(`${web.url}/inspector-locked`, { headers: elsewhere })).status, 404)
  })

  for (const [device, viewport] of [
    ['desktop', { width: 1280, height: 860 }],
    ['phone', { width: 390, height: 780 }],
  ])
    test(`the page “Try it” does not move while it loads, on a ${device}`, async t => {
      const visitor = await chromium.newContext({ viewport })
      t.after(() => visitor.close())
      const page = await visitor.newPage()
      page.setDefaultTimeout(240_000)
      await page.goto(`${web.url}/inspector/open?secret=${INSPECTOR_SECRET}`)
      // Slower than usual, so that each part is painted before the next is there.
      await page.route('**/api/inspector/**', async route => {
        await new Promise(resolve => setTimeout(resolve, 400))
        await route.continue()
      })
      for (const tool of ['calendar_create_event', 'kb_search', 'create_chart']) {
        await page.goto(`${web.url}/inspector/try?tool=${tool}`)
        await page.getByRole('button', { name: 'Run', exact: true, disabled: false }).waitFor()
        assert.ok((await shiftOf(page)) <= 0.1, `${tool}: ${await shiftOf(page)}`)
      }
    })

  test('the conversation does not move while it is loaded anew', async t => {
    const { page, ask, sees } = await visit(t, chromium, web.url)
    await ask('cite someone')
    await sees('Ask her')
    await page.reload()
    await isAwake(page)
    await sees('Ask her')
    assert.ok((await shiftOf(page)) <= 0.1, String(await shiftOf(page)))
  })
})

/** The cumulative layout shift since the page began, after the frames that are still due. */
const shiftOf = page =>
  page.evaluate(
    () =>
      new Promise(resolve => {
        let sum = 0
        const observer = new PerformanceObserver(list => {
          for (const { value, hadRecentInput } of list.getEntries()) if (!hadRecentInput) sum += value
        })
        observer.observe({ type: 'layout-shift', buffered: true })
        const frames = left => (left > 0 ? requestAnimationFrame(() => frames(left - 1)) : resolve(sum))
        frames(10)
      }),
  )
