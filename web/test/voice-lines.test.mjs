// What the voice server says itself, as the page shows it: waiting for a tool, a model that is silent, an answer that is empty.
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { launchChromium, skip } from './chromium.mjs'
import { simulate } from './simulator.mjs'
import { buildTestTools } from './test-tools.mjs'
import { visit } from './visitor.mjs'
import { startVoice } from './voice-server.mjs'
import { startWeb } from './web-server.mjs'

const on = (word, ...steps) => ({ when: { user: { contains: word } }, steps: steps.map(emit => ({ emit })) })
const SCRIPT = {
  settings: { label: '', listenMs: 60_000 },
  rules: [
    on('search', [{ call: { name: 'search_archive' } }], [{ say: 'At last.' }]),
    on('nothing', [{ wait: 1 }]),
    { when: { user: { contains: 'hello' }, connection: 1 }, steps: [{ emit: [{ wait: 10_000 }] }] },
    on('hello', [{ say: 'Here I am.' }]),
  ],
}

describe('lines of the voice server in the page', { skip }, () => {
  const endings = []
  const context = { after: fn => endings.unshift(fn) }
  let [chromium, web] = []
  before(async () => {
    const { simulator, env } = await simulate(context, SCRIPT)
    const voice = await startVoice(context, {
      TOOLGATE_ARTIFACT: await buildTestTools(context),
      TOOLGATE_GEMINI_BASE_URL: simulator.url,
      TOOLGATE_VOICE_FILLER: 'One moment, please.',
      TOOLGATE_VOICE_LIMITS: 'thinkingMs=200, answerSilenceMs=2000',
    })
    web = await startWeb(context, { env: { ...env, TOOLGATE_VOICE_URL: voice.url } })
    chromium = await launchChromium(['--use-fake-device-for-media-stream', '--use-fake-ui-for-media-stream=deny'])
    context.after(() => chromium.close())
  })
  after(async () => {
    for (const end of endings) await end()
  })

  async function call(t) {
    const visitor = await visit(t, chromium, web.url)
    await visitor.press('Talk')
    await visitor.page.waitForSelector('[data-phase="live"]')
    return visitor
  }

  test('a silent model: that its connection is restored, and then its answer', async t => {
    const { faults, ask, sees } = await call(t)
    await ask('hello')
    await sees('The connection to the assistant is restored.')
    await sees('Here I am.')
    assert.deepEqual(faults, [])
  })

  test('a tool that takes long: the state, the sentence, and then the answer', async t => {
    const { page, faults, ask, sees, dock } = await call(t)
    await ask('search')
    await page.waitForSelector('[data-thinking="true"]')
    await sees('Thinking', dock)
    await sees('One moment, please.')
    await sees('At last.')
    await page.waitForSelector('[data-thinking="false"]')
    assert.deepEqual(faults, [])
  })

  test('an answer that is empty is shown as one', async t => {
    const { faults, ask, sees } = await call(t)
    await ask('nothing')
    await sees('The assistant has given no answer. Please ask again.')
    assert.deepEqual(faults, [])
  })
})
