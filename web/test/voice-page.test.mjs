// A voice call in the page: a real browser with a microphone that plays a tone, the real voice server, the simulator
// behind it.
import assert from 'node:assert/strict'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { launchChromium, skip } from './chromium.mjs'
import { simulate } from './simulator.mjs'
import { heardBy, shareAt, writeTone } from './sound.mjs'
import { buildTestTools } from './test-tools.mjs'
import { isAwake, visit } from './visitor.mjs'
import { startVoice } from './voice-server.mjs'
import { startWeb } from './web-server.mjs'
import { layWire } from './wire.mjs'

const TONE_HZ = 440
const said = word => ({ user: { contains: word } })
const noting = (word, text) => ({
  when: said(word),
  steps: [{ emit: [{ call: { name: 'leave_note', args: { text } } }] }, { emit: [{ say: 'I need your word. ' }] }],
})
const rules = [
  { when: said('The user confirmed'), steps: [{ emit: [{ say: 'It is noted.' }] }] },
  { when: said('The user declined'), steps: [{ emit: [{ say: 'Then not.' }] }] },
  noting('milk', 'Buy milk'),
  noting('bread', 'Buy bread'),
  noting('tea', 'Buy tea'),
  noting('coffee', 'Buy coffee'),
  {
    when: said('hatch'),
    steps: [
      { emit: [{ call: { name: 'open_hatch', args: { side: 'upper' } } }] },
      { emit: [{ say: 'I need your word.' }] },
    ],
  },
  { when: said('who is there'), steps: [{ emit: [{ say: 'Nobody but the gate.' }] }] },
  // More than a minute of sound, all at once.
  {
    when: said('story'),
    steps: [{ emit: [{ say: 'Once upon a time there was a gate. '.repeat(60) }], complete: false }],
  },
  {
    when: said('wrong'),
    steps: [{ emit: [{ call: { name: 'book_room', args: { room: 'Harbour' } } }] }, { emit: [{ say: 'Refused.' }] }],
  },
  { when: 'always', steps: [{ emit: [{ say: 'I heard {{user}}.' }] }] },
]
/** Nothing that the microphone plays is taken for a whole utterance, unless a test wants it. */
const quiet = { settings: { label: '', listenMs: 60_000 }, rules }

describe('a voice call in the page', { skip }, () => {
  const endings = []
  const context = { after: fn => endings.unshift(fn) }
  let chromium
  let simulator
  let voice
  let web
  let wire
  let notesFile
  before(async () => {
    const folder = await mkdtemp(join(tmpdir(), 'toolgate-voice-page-'))
    context.after(() => rm(folder, { recursive: true, maxRetries: 3 }))
    notesFile = join(folder, 'notes.log')
    const simulated = await simulate(context, quiet)
    simulator = simulated.simulator
    const shared = {
      TOOLGATE_ARTIFACT: await buildTestTools(context),
      TOOLGATE_STORE: join(folder, 'sessions.sqlite'),
      TOOLGATE_TEST_NOTES: notesFile,
    }
    voice = await startVoice(context, { ...shared, TOOLGATE_GEMINI_BASE_URL: simulator.url })
    wire = await layWire(context, voice.url)
    web = await startWeb(context, { env: { ...simulated.env, ...shared, TOOLGATE_VOICE_URL: wire.url } })
    chromium = await launchChromium([
      '--use-fake-device-for-media-stream',
      '--use-fake-ui-for-media-stream',
      `--use-file-for-fake-audio-capture=${await writeTone(context, TONE_HZ)}`,
    ])
    context.after(() => chromium.close())
  })
  after(async () => {
    for (const end of endings) await end()
  })

  const inPhase = (page, phase) => page.waitForSelector(`[data-phase="${phase}"]`)
  const notesOf = async text =>
    (await readFile(notesFile, 'utf8').catch(() => '')).split('\n').filter(line => line.endsWith(text))

  /** A page with a call that has begun. */
  async function call(t, scenario = quiet) {
    simulator.useScenario(scenario)
    const visitor = await visit(t, chromium, web.url)
    await visitor.press('Talk')
    await inPhase(visitor.page, 'live')
    return visitor
  }

  test('what is said arrives at 16 kHz, is captioned and answered aloud', async t => {
    const heard = {
      ...quiet,
      settings: { label: '', listenMs: 1000, toneMs: 2000 },
      audio: { transcripts: ['who is there'], untranscribed: 'I hear nothing.' },
    }
    const { page, faults, answers, said: words, sees } = await call(t, heard)
    await sees('who is there', words)
    await words.getByLabel('said').first().waitFor()
    await page.waitForSelector('[data-speaking="true"]')
    await sees('Nobody but the gate.', answers)
    await page.waitForSelector('[data-speaking="false"]')
    const { samples, mimeType } = heardBy(simulator)
    assert.equal(mimeType, 'audio/pcm;rate=16000')
    assert.ok(shareAt(samples.slice(8000, 16_000), 16_000, TONE_HZ) > 0.8)
    assert.deepEqual(faults, [])
  })

  test('who breaks in hears the rest no more', async t => {
    const { page, faults, ask, sees } = await call(t)
    await ask('tell me a story')
    await page.waitForSelector('[data-speaking="true"]')
    await sees(/Once upon a time/)
    // As the service does when it hears the user speak.
    const connection = simulator.live.connections.at(-1)
    connection.send({ serverContent: { interrupted: true } })
    await sees('You broke in here.')
    await page.waitForSelector('[data-speaking="false"]')
    await ask('hello')
    await sees('I heard hello.')
    assert.deepEqual(faults, [])
  })

  test('a refused call says so as it happens', async t => {
    const { page, ask, sees } = await call(t)
    await ask('something wrong')
    await page.locator('[data-tool="book_room"][data-outcome="failed"]').waitFor()
    await sees(/refused · MODE_RESTRICTED/)
  })

  test('a question is read back and shown; approved through the call it runs once', async t => {
    const { page, faults, ask, card, press, sees } = await call(t)
    await ask('milk')
    await sees('Leave the note “Buy milk”', card)
    // Its read-back is the preview: it is heard, and stands on the card once.
    assert.equal(await card.getByText('Leave the note “Buy milk”').count(), 1)
    assert.match(await card.getByRole('timer').innerText(), /^[45]:\d\d$/)
    await page.locator('[data-tool="leave_note"][data-outcome="asking"]').waitFor()
    assert.deepEqual(await notesOf('Buy milk'), [])
    await press('Approve')
    await sees('Done.', card)
    await page.locator('[data-tool="leave_note"][data-outcome="ok"]').waitFor()
    assert.ok(await card.evaluate(element => element === document.activeElement))
    assert.deepEqual(await notesOf('Buy milk'), [`${voice.pid} Buy milk`])
    await sees('It is noted.')
    assert.deepEqual(faults, [])
  })

  test('denied, nothing runs', async t => {
    const { page, ask, card, press, sees } = await call(t)
    await ask('bread')
    await card.waitFor()
    await press('Deny')
    await sees('Nothing was done.', card)
    await page.locator('[data-tool="leave_note"][data-outcome="dropped"]').waitFor()
    assert.deepEqual(await notesOf('Buy bread'), [])
  })

  test('a question that nobody answers says when its time is over', async t => {
    const { ask, card, sees } = await call(t)
    await ask('hatch')
    await sees('Nothing was done.', card)
    assert.equal(await card.getByRole('button').count(), 0)
  })

  test('a connection that breaks while a question waits comes back with it', async t => {
    const { page, faults, ask, card, press, sees, dock } = await call(t)
    await ask('tea')
    await card.getByRole('button', { name: 'Approve' }).waitFor()
    wire.cut()
    await inPhase(page, 'waiting')
    await sees('Waits until the connection is back.', card)
    assert.equal(await card.getByRole('button').count(), 0)
    await sees(/Connection lost/, dock)
    await ask('are you there')
    wire.mend()
    await inPhase(page, 'live')
    await press('Approve')
    await sees('Done.', card)
    assert.equal(await card.count(), 1)
    assert.deepEqual(await notesOf('Buy tea'), [`${voice.pid} Buy tea`])
    await sees('I heard are you there.')
    assert.deepEqual(faults, [])
  })

  test('an approval that a lost connection took with it is sent again, and runs once', async t => {
    const { page, faults, ask, card, press, sees } = await call(t)
    await ask('coffee')
    await card.getByRole('button', { name: 'Approve' }).waitFor()
    // Offline, and neither side has noticed.
    wire.hold()
    await press('Approve')
    await new Promise(resolve => setTimeout(resolve, 300))
    assert.deepEqual(await notesOf('Buy coffee'), [])
    wire.cut()
    await inPhase(page, 'waiting')
    wire.mend()
    await inPhase(page, 'live')
    await sees('Done.', card)
    assert.equal(await card.count(), 1)
    assert.deepEqual(await notesOf('Buy coffee'), [`${voice.pid} Buy coffee`])
    assert.deepEqual(faults, [])
  })

  test('a page that is loaded anew resumes the call; a question is answered on another device meanwhile', async t => {
    const { page, ask, card, press, sees } = await call(t)
    await ask('milk')
    await card.waitFor()
    await press('Answer on another device')
    const link = await page.getByLabel('Link of your call').inputValue()
    await page.reload()
    await isAwake(page)
    // The call waits: its question is here too, over HTTP.
    await sees('Your voice call asks', card)
    await press('Resume the call')
    await inPhase(page, 'live')
    await card.getByRole('button', { name: 'Approve' }).waitFor()
    assert.equal(await card.count(), 1)

    const other = await visit(t, chromium, link)
    await other.card.waitFor()
    await other.press('Deny')
    await sees('Nothing was done, decided elsewhere.', card)
  })

  test('muted, nothing of the microphone leaves the page', async t => {
    const { press, dock, sees } = await call(t)
    const until = async wanted => {
      while (!wanted()) await new Promise(resolve => setTimeout(resolve, 50))
    }
    const before = heardBy(simulator).pieces
    await until(() => heardBy(simulator).pieces > before + 5)
    await press('Mute')
    await sees('Muted', dock)
    const ended = () => simulator.received.filter(({ json }) => json?.realtimeInput?.audioStreamEnd).length
    await until(() => ended() > 0)
    const muted = heardBy(simulator).pieces
    await new Promise(resolve => setTimeout(resolve, 500))
    assert.equal(heardBy(simulator).pieces, muted)
    await press('Unmute')
    await until(() => heardBy(simulator).pieces > muted + 5)
  })

  test('after the call the text chat goes on with what was said', async t => {
    const { page, faults, ask, press, sees, dock } = await call(t)
    await ask('hello')
    await sees('I heard hello.')
    await press('End')
    await sees('The call has ended.')
    assert.equal(await dock.count(), 0)
    const { seq } = simulator.received.at(-1)
    await ask('goodness')
    await sees('I heard goodness.')
    const { json } = await simulator.whenReceived(({ protocol }) => protocol === 'chat', { after: seq })
    assert.deepEqual(
      json.messages.slice(1).map(({ role, content }) => [role, content]),
      [
        ['user', 'hello'],
        ['assistant', 'I heard hello.'],
        ['user', 'goodness'],
      ],
    )
    // Hung up for good: the next call is a new one.
    await page.getByRole('button', { name: 'Talk', exact: true }).waitFor()
    assert.deepEqual(faults, [])
  })

  test('two windows: the newer one has the call, the other says so', async t => {
    const { page, context: browser, sees } = await call(t)
    const second = await browser.newPage()
    await second.goto(web.url)
    await isAwake(second)
    await second.getByRole('button', { name: 'Resume the call' }).click()
    await inPhase(second, 'live')
    await sees('The call goes on in another window or on another device.')
    assert.equal(await page.getByRole('region', { name: 'Voice call' }).count(), 0)
  })
})

describe('a voice call without a microphone', { skip }, () => {
  test('is typed into, and a pause of the assistant is counted down', async t => {
    const { simulator, env } = await simulate(t)
    const voice = await startVoice(t, { TOOLGATE_GEMINI_BASE_URL: simulator.url })
    const web = await startWeb(t, { env: { ...env, TOOLGATE_VOICE_URL: voice.url } })
    const chromium = await launchChromium(['--use-fake-device-for-media-stream', '--use-fake-ui-for-media-stream=deny'])
    t.after(() => chromium.close())
    const { page, ask, press, sees, dock, answers } = await visit(t, chromium, web.url)
    await press('Talk')
    await sees('No microphone allowed: you can type', dock)
    await ask('What is our process for invoices?')
    await sees(/According to Invoice approval/, answers)
    await page.locator('[data-tool="kb_search"][data-outcome="ok"]').waitFor()
    assert.match(await answers.first().innerText(), /Search the knowledge base\s+done · \d+ ms/)
    await ask('shut up, you idiot')
    await page.waitForSelector('#message:disabled')
    assert.match(await page.getAttribute('#message', 'placeholder'), /^Paused, (1:00|0:\d\d) left$/)
    await sees(/^The assistant has ended the call/)
  })
})
