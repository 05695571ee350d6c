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
import { visit } from './visitor.mjs'
import { startVoice } from './voice-server.mjs'
import { startWeb } from './web-server.mjs'

const noting = (word, text) => ({
  when: { user: { contains: word } },
  steps: [
    { emit: [{ call: { name: 'leave_note', args: { text } } }] },
    { emit: [{ say: '{{result.error.type|ok}} {{result.data.by|by nobody}}' }] },
  ],
})
const SCRIPT = {
  settings: { label: '' },
  rules: [noting('milk', 'Buy milk'), noting('bread', 'Buy bread'), noting('tea', 'Buy tea')],
}

describe('a question of a voice call', { skip }, () => {
  const endings = []
  const context = { after: fn => endings.unshift(fn) }
  let chromium
  let voice
  let web
  let notesFile
  before(async () => {
    const folder = await mkdtemp(join(tmpdir(), 'toolgate-voice-questions-'))
    context.after(() => rm(folder, { recursive: true }))
    notesFile = join(folder, 'notes.log')
    const { simulator, env } = await simulate(context, SCRIPT)
    const shared = {
      TOOLGATE_ARTIFACT: await buildTestTools(context),
      TOOLGATE_STORE: join(folder, 'sessions.sqlite'),
      TOOLGATE_TEST_NOTES: notesFile,
    }
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
  const openPage = (t, { sessionId, resumeToken }) =>
    visit(t, chromium, `${web.url}/#voice=${sessionId}.${resumeToken}`)

  const notesOf = async text =>
    (await readFile(notesFile, 'utf8').catch(() => '')).split('\n').filter(line => line.endsWith(text))

  test('is shown in the page of another process; approved there it runs once, and the call hears its answer', async t => {
    const client = await call(t)
    client.say('milk')
    const { request } = await client.next('confirmation')
    await client.next('turnComplete')

    const { page, faults, card, press, sees } = await openPage(t, client.started)
    await sees('Leave the note “Buy milk”', card)
    await sees('Your voice call asks', card)
    assert.equal(await page.evaluate(() => location.hash), '')
    assert.deepEqual(await notesOf('Buy milk'), [])
    await press('Approve')
    await sees('Done.', card)
    assert.deepEqual(await notesOf('Buy milk'), [`${web.pid} Buy milk`])

    const { outcome, by } = await client.next('confirmationClosed')
    assert.deepEqual({ outcome, by }, { outcome: 'confirmed', by: 'elsewhere' })
    await client.next('turnComplete')

    // The voice page's own yes gets the outcome of the first, as does the model that asks again.
    client.send({ type: 'confirm', token: request.token })
    assert.equal((await client.next('confirmationClosed')).outcome, 'confirmed')
    client.say('milk, please')
    assert.equal(await client.answer(), `ok process ${web.pid}`)
    assert.deepEqual(await notesOf('Buy milk'), [`${web.pid} Buy milk`])
    assert.deepEqual(faults, [])
  })

  test('comes into an open page by itself, and denied there it never runs', async t => {
    const client = await call(t)
    const { faults, card, press, sees } = await openPage(t, client.started)
    client.say('bread')
    const { request } = await client.next('confirmation')
    await card.waitFor()
    await press('Deny')
    await sees('Nothing was done.', card)
    // Whether the call has heard of the no by now or not: its own yes is too late.
    client.send({ type: 'confirm', token: request.token })
    await client.next(({ type, outcome }) => type === 'confirmationClosed' && outcome === 'denied')
    assert.deepEqual(await notesOf('Buy bread'), [])
    assert.deepEqual(faults, [])
  })

  test('goes from the page where it was answered in the call, which ran it once', async t => {
    const client = await call(t)
    client.say('tea')
    const { request } = await client.next('confirmation')
    const { faults, card } = await openPage(t, client.started)
    await card.waitFor()
    client.send({ type: 'confirm', token: request.token })
    assert.equal((await client.next('toolResult')).ok, true)
    await card.waitFor({ state: 'detached' })
    assert.deepEqual(await notesOf('Buy tea'), [`${voice.pid} Buy tea`])
    assert.deepEqual(faults, [])
  })

  test('can be taken over by a link that is pasted, and the text chat goes on in the session of the call', async t => {
    const client = await call(t)
    client.say('milk')
    await client.next('confirmation')
    await client.next('turnComplete')
    const { page, faults, card, press, ask, sees } = await visit(t, chromium, web.url)
    await press('Answer questions of a voice call')
    await page.getByLabel('Link of the call').fill('https://example.com/')
    await press('Show its questions')
    await page.getByText('This is no link of a call').waitFor()
    await page
      .getByLabel('Link of the call')
      .fill(`${web.url}/#voice=${client.started.sessionId}.${client.started.resumeToken}`)
    await press('Show its questions')
    await card.waitFor()
    await press('Deny')
    await sees('Nothing was done.', card)
    // The call gets the result, and the model speaks about it.
    await client.next(({ type, by }) => type === 'confirmationClosed' && by === 'elsewhere')
    await client.next('turnComplete')

    await ask('bread')
    const own = page.getByRole('article', { name: 'Assistant' }).getByRole('region', { name: /^Confirmation: / })
    await own.waitFor()
    // What the text chat asks in this session is a question of the call, shown once.
    assert.equal(await page.getByRole('button', { name: 'Approve' }).count(), 1)
    await press('Approve')
    await sees('Done.', own)
    assert.deepEqual(await notesOf('Buy bread'), [`${web.pid} Buy bread`])
    // One session: the same call made again gets the result of the chat's yes.
    client.say('bread')
    assert.equal(await client.answer(), `ok process ${web.pid}`)
    assert.deepEqual(faults, [])
  })

  test("is nobody else's: with another token the page shows nothing and forgets it", async t => {
    const client = await call(t)
    client.say('milk')
    await client.next('confirmation')
    const { page, card } = await openPage(t, { ...client.started, resumeToken: 'x'.repeat(43) })
    await page.waitForFunction(() => location.hash === '' && localStorage.getItem('toolgate.voice') === null)
    assert.equal(await card.count(), 0)
  })
})
