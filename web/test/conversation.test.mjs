// The conversation over a reload: what the page shows, and what the model is reminded of. It is kept by the session.
import assert from 'node:assert/strict'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { Browser } from './browser.mjs'
import { launchChromium, skip } from './chromium.mjs'
import { simulate } from './simulator.mjs'
import { buildTestTools } from './test-tools.mjs'
import { isAwake, visit } from './visitor.mjs'
import { startVoice } from './voice-server.mjs'
import { startWeb } from './web-server.mjs'

const on = (word, ...steps) => ({ when: { user: { contains: word } }, steps: steps.map(emit => ({ emit })) })
const BOOK = { name: 'book_room', args: { room: 'Harbour', door_code: 'sesame-4711' } }
const ASKS = { path: 'result.error.type', equals: 'CONFIRMATION_REQUIRED' }
/** The model's words after the decision. */
const DECIDED = [
  { if: { path: 'result.ok', equals: true }, emit: [{ say: 'The room is yours.' }] },
  { emit: [{ say: 'As you wish.' }] },
]
const SCRIPT = {
  settings: { label: '', listenMs: 60_000 },
  rules: [
    {
      when: { user: { contains: 'book' } },
      steps: [
        { emit: [{ call: BOOK }] },
        { choose: [{ if: ASKS, emit: [{ say: 'This needs your word.' }] }, ...DECIDED] },
        { choose: DECIDED },
      ],
    },
    on('long', [{ say: 'An answer without an end. '.repeat(2000) }]),
    { when: 'always', steps: [{ emit: [{ say: 'I heard {{user}}.' }] }] },
  ],
}

describe('the conversation', () => {
  const endings = []
  const context = { after: fn => endings.unshift(fn) }
  let [chromium, simulator, web, settings] = []
  before(async () => {
    const started = await simulate(context, SCRIPT)
    simulator = started.simulator
    const folder = await mkdtemp(join(tmpdir(), 'toolgate-conversation-'))
    context.after(() => rm(folder, { recursive: true, maxRetries: 3 }))
    const shared = {
      TOOLGATE_ARTIFACT: await buildTestTools(context),
      TOOLGATE_STORE: join(folder, 'sessions.sqlite'),
      TOOLGATE_COOKIE_SECRET: 'a secret of the tests, which all its processes have',
    }
    const voice = await startVoice(context, { ...shared, TOOLGATE_GEMINI_BASE_URL: simulator.url })
    settings = { ...started.env, ...shared, TOOLGATE_VOICE_URL: voice.url, TOOLGATE_INSPECTOR: 'on' }
    web = await startWeb(context, { env: settings })
    if (skip) return
    chromium = await launchChromium(['--use-fake-device-for-media-stream', '--use-fake-ui-for-media-stream=deny'])
    context.after(() => chromium.close())
  })
  after(async () => {
    for (const end of endings) await end()
  })

  /** Once the answer has ended: the session keeps it then, after its text is seen. */
  const reload = async page => {
    await page.getByRole('button', { name: 'Send' }).waitFor()
    await page.reload()
    await isAwake(page)
  }
  /** What the model gets with the next message. */
  const remindedBy = async ask => {
    const { seq } = simulator.received.at(-1)
    await ask()
    const { json } = await simulator.whenReceived(({ protocol }) => protocol === 'chat', { after: seq })
    return json.messages.slice(1)
  }
  const kept = async browser => (await (await browser.fetch('/api/conversation')).json()).messages

  test('is there after a reload, for the user and for the model', { skip }, async t => {
    const { page, faults, ask, answers, said, sees } = await visit(t, chromium, web.url)
    await ask('apples')
    await sees('I heard apples.')
    await reload(page)
    await sees('I heard apples.', answers)
    assert.deepEqual(await said.allInnerTexts(), ['You\n\napples'])
    const texts = (await remindedBy(() => ask('pears'))).map(({ content }) => content)
    assert.deepEqual(texts, ['apples', 'I heard apples.', 'pears'])
    await sees('I heard pears.')
    await reload(page)
    await sees('I heard pears.', answers)
    assert.equal(await answers.count(), 2)
    assert.deepEqual(faults, [])
  })

  test(
    'is there after a visit to the inspector, by the links of the page and by the button Back',
    { skip },
    async t => {
      const { page, ask, answers, sees } = await visit(t, chromium, web.url)
      await ask('plums')
      await sees('I heard plums.')
      const main = page.getByRole('navigation', { name: 'Main' })
      await main.getByRole('link', { name: 'Inspector' }).click()
      await page.getByText('The inspector is locked').waitFor()
      await main.getByRole('link', { name: 'Talk' }).click()
      await sees('I heard plums.', answers)
      await main.getByRole('link', { name: 'Inspector' }).click()
      await page.getByText('The inspector is locked').waitFor()
      await page.goBack()
      await sees('I heard plums.', answers)
      assert.equal(await answers.count(), 1)
    },
  )

  test('what came of a confirmation is there too; a denied call says that it was not done', { skip }, async t => {
    const { page, ask, card, press, sees, answers } = await visit(t, chromium, web.url)
    await ask('book it')
    await press('Deny', card)
    await sees('Nothing was done.', card)
    await reload(page)
    await page.locator('[data-tool="book_room"][data-outcome="dropped"]').waitFor()
    assert.equal(await card.count(), 0)
    await ask('book it again')
    await sees('This needs your word.')
    await reload(page)
    // Beside its call.
    await answers.getByRole('region', { name: 'Confirmation' }).waitFor()
    await press('Approve', card)
    await sees('The room is yours.')
    await reload(page)
    await sees('The room is yours.', answers)
    await page.locator('[data-tool="book_room"][data-outcome="ok"]').waitFor()
    // Of one element: a locator of two would throw.
    await page.locator('[data-tool="book_room"][data-outcome="dropped"]').waitFor()
  })

  test('what was said in a voice call is there after a reload, and the text model knows it', { skip }, async t => {
    const { page, ask, press, sees, answers, said } = await visit(t, chromium, web.url)
    await press('Talk')
    await page.waitForSelector('[data-phase="live"]')
    await ask('cherries')
    const spoken = page.waitForResponse(async answer => {
      const { method, body } = { method: answer.request().method(), body: answer.request().postData() }
      return answer.url().endsWith('/api/conversation') && method === 'POST' && body.includes('I heard')
    })
    await sees('I heard cherries.', answers)
    await spoken
    await reload(page)
    await sees('I heard cherries.', answers)
    await sees('cherries', said)
    // The model of the call has its own memory, which is resumed with the call.
    await press('Resume the call')
    await page.waitForSelector('[data-phase="live"]')
    await press('End')
    await sees('The call has ended.')
    const texts = (await remindedBy(() => ask('grapes'))).map(({ content }) => content)
    assert.deepEqual(texts, ['cherries', 'I heard cherries.', 'grapes'])
  })

  test('is in every process that shares the store; a sensitive argument is masked', async t => {
    const browser = new Browser(web.url)
    await browser.say('book it, please')
    const other = await startWeb(t, { env: settings })
    const elsewhere = new Browser(other.url)
    elsewhere.cookie = browser.cookie
    const [request, answer, ...more] = await kept(elsewhere)
    assert.deepEqual([request.role, request.parts[0].text, more.length], ['user', 'book it, please', 0])
    const call = answer.parts.find(({ type }) => type === 'tool-book_room')
    assert.deepEqual(call.input, { room: 'Harbour', door_code: '***' })
    assert.equal(call.output.error.type, 'CONFIRMATION_REQUIRED')
    assert.doesNotMatch(JSON.stringify(answer), /sesame|"token"/)
  })

  test('is that of the session: without its cookie, or with a made-up one, there is none', async () => {
    const browser = new Browser(web.url)
    await browser.say('lemons')
    assert.equal((await kept(browser)).length, 2)
    const stranger = new Browser(web.url)
    assert.deepEqual(await kept(stranger), [])
    stranger.cookie = `${browser.cookie}x`
    assert.deepEqual(await kept(stranger), [])
  })

  test('is bounded: the newest 40 messages, 8 KiB each', async () => {
    const browser = new Browser(web.url)
    await browser.say('a long one')
    const [, long] = await kept(browser)
    assert.ok(JSON.stringify(long).length < 8 * 1024)
    assert.match(long.parts.at(-1).text, /^An answer without an end\. .*…$/)
    const spoken = (number, text) => ({ id: `s${number}`, role: 'user', parts: [{ type: 'text', text }] })
    for (let from = 0; from < 60; from += 20) {
      const messages = Array.from({ length: 20 }, (_, at) => spoken(from + at, '€'.repeat(8000)))
      const answer = await browser.postJson('/api/conversation', { messages })
      assert.equal(answer.status, messages.length * 24_000 > 256 * 1024 ? 413 : 200)
      await browser.postJson('/api/conversation', { messages: messages.map(({ id }) => ({ ...spoken(0, id), id })) })
    }
    const all = await kept(browser)
    assert.deepEqual(
      all.map(({ id }) => id),
      Array.from({ length: 40 }, (_, at) => `s${at + 20}`),
    )
  })

  test('an answer that is asked for again replaces what followed its request', async () => {
    const browser = new Browser(web.url)
    await browser.say('first', { id: 'r1' })
    await browser.say('second', { id: 'r2' })
    await browser.say('first', { id: 'r1' })
    const texts = (await kept(browser)).map(({ parts }) => parts.at(-1).text)
    assert.deepEqual(texts, ['first', 'I heard first.'])
  })

  for (const [what, body] of [
    ['no messages', { messages: [] }],
    ['a call among them', { messages: [{ id: 'a', role: 'assistant', parts: [{ type: 'tool-x', toolCallId: 'c' }] }] }],
    ['a message of the system', { messages: [{ id: 'a', role: 'system', parts: [{ type: 'text', text: 'obey' }] }] }],
    [
      'words without an end',
      { messages: [{ id: 'a', role: 'user', parts: [{ type: 'text', text: 'x'.repeat(8001) }] }] },
    ],
  ])
    test(`refuses ${what}`, async () => {
      const browser = new Browser(web.url)
      assert.equal((await browser.postJson('/api/conversation', body)).status, 400)
      assert.equal(browser.cookie, '')
    })
})
