// A voice call asks, the page answers: two servers, two processes, one file between them, a browser for the user.
import assert from 'node:assert/strict'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { VoiceClient } from '../../voice-server/test/support/voice-client.js'
import { launchChromium, skip } from './chromium.mjs'
import { simulate } from './simulator.mjs'
import { buildTestTools } from './test-tools.mjs'
import { startVoice } from './voice-server.mjs'
import { startWeb } from './web-server.mjs'

const noting = (word, text) => ({
  when: { user: { contains: word } },
  steps: [{ emit: [{ call: { name: 'leave_note', args: { text } } }] }, { emit: [{ say: '{{result.error.type|ok}} {{result.data.by|by nobody}}' }] }],
})
const SCRIPT = { settings: { label: '' }, rules: [noting('milk', 'Buy milk'), noting('bread', 'Buy bread'), noting('tea', 'Buy tea')] }
const CARD = '.confirmation[aria-label="Confirmation for your voice call"]'

describe('a question of a voice call', { skip, timeout: 120_000 }, () => {
  const endings = []
  const context = { after: (fn) => endings.unshift(fn) }
  let chromium
  let voice
  let web
  let notesFile
  before(async () => {
    const folder = await mkdtemp(join(tmpdir(), 'toolgate-voice-questions-'))
    context.after(() => rm(folder, { recursive: true }))
    notesFile = join(folder, 'notes.log')
    const { simulator, env } = await simulate(context, SCRIPT)
    const shared = { TOOLGATE_ARTIFACT: await buildTestTools(context), TOOLGATE_STORE: join(folder, 'sessions.sqlite'), TOOLGATE_TEST_NOTES: notesFile }
    voice = await startVoice(context, { ...shared, TOOLGATE_GEMINI_BASE_URL: simulator.url })
    web = await startWeb(context, { env: { ...env, ...shared } })
    chromium = await launchChromium()
    context.after(() => chromium.close())
  })
  after(async () => {
    for (const end of endings) await end()
  })

  async function call(t) {
    const client = await VoiceClient.start(voice.url)
    t.after(() => client.socket.terminate())
    return client
  }

  /** The page in a browser of its own, opened by the link that hands the call's key over. */
  async function openPage(t, { sessionId, resumeToken }) {
    const visitor = await chromium.newContext()
    t.after(() => visitor.close())
    const page = await visitor.newPage()
    const faults = []
    const asked = []
    page.on('pageerror', (error) => faults.push(error.message))
    page.on('response', (response) => response.url().endsWith('/api/confirmations/voice') && asked.push(response.status()))
    await page.goto(`${web.url}/#voice=${sessionId}.${resumeToken}`)
    return { page, faults, asked, textOf: (selector) => page.$eval(selector, (element) => element.innerText) }
  }

  const press = (page, name) => page.locator(CARD).getByRole('button', { name }).click()
  const notesOf = async (text) => (await readFile(notesFile, 'utf8').catch(() => '')).split('\n').filter((line) => line.endsWith(text))

  test('is shown in the page of another process; approved there it runs once, and the call hears its answer', async (t) => {
    const client = await call(t)
    client.say('milk')
    const { request } = await client.next('confirmation')
    await client.next('turnComplete')

    const { page, faults, textOf } = await openPage(t, client.started)
    await page.waitForSelector(CARD)
    assert.match(await textOf(CARD), /Your voice call asks:\s+Leave the note “Buy milk”/)
    assert.equal(await page.evaluate(() => location.hash), '')
    assert.deepEqual(await notesOf('Buy milk'), [])
    await press(page, 'Approve')
    await page.waitForSelector(`${CARD} [role=status]`)
    assert.match(await textOf(CARD), /Done\./)
    assert.deepEqual(await notesOf('Buy milk'), [`${web.pid} Buy milk`])

    // The voice page's own yes comes too late, and the model that asks again is told what the page's yes came to.
    client.send({ type: 'confirm', token: request.token })
    assert.equal((await client.next('confirmationClosed')).outcome, 'expired')
    client.say('milk, please')
    assert.equal(await client.answer(), `ok process ${web.pid}`)
    assert.deepEqual(await notesOf('Buy milk'), [`${web.pid} Buy milk`])
    assert.deepEqual(faults, [])
  })

  test('comes into an open page by itself, and denied there it never runs', async (t) => {
    const client = await call(t)
    const { page, faults, textOf } = await openPage(t, client.started)
    await page.waitForSelector('#message')
    client.say('bread')
    const { request } = await client.next('confirmation')
    await page.waitForSelector(CARD)
    await press(page, 'Deny')
    await page.waitForSelector(`${CARD} [role=status]`)
    assert.match(await textOf(CARD), /Denied; nothing was done\./)
    client.send({ type: 'confirm', token: request.token })
    assert.equal((await client.next('confirmationClosed')).outcome, 'expired')
    assert.deepEqual(await notesOf('Buy bread'), [])
    assert.deepEqual(faults, [])
  })

  test('goes from the page where it was answered in the call, which ran it once', async (t) => {
    const client = await call(t)
    client.say('tea')
    const { request } = await client.next('confirmation')
    const { page, faults } = await openPage(t, client.started)
    await page.waitForSelector(CARD)
    client.send({ type: 'confirm', token: request.token })
    assert.equal((await client.next('toolResult')).ok, true)
    await page.waitForSelector(CARD, { state: 'detached' })
    assert.deepEqual(await notesOf('Buy tea'), [`${voice.pid} Buy tea`])
    assert.deepEqual(faults, [])
  })

  test('is nobody else\'s: with another token the page shows nothing and forgets it', async (t) => {
    const client = await call(t)
    client.say('milk')
    await client.next('confirmation')
    const { page, asked } = await openPage(t, { ...client.started, resumeToken: 'x'.repeat(43) })
    await page.waitForFunction(() => location.hash === '' && localStorage.getItem('toolgate.voice') === null)
    assert.deepEqual(asked, [401])
    assert.equal(await page.$(CARD), null)
  })
})
