// The services of the tools: by a key the provider's, said in one line at start; and the camera, in a voice call.
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { Browser } from './browser.mjs'
import { launchChromium, skip } from './chromium.mjs'
import { simulate } from './simulator.mjs'
import { visit } from './visitor.mjs'
import { startVoice } from './voice-server.mjs'
import { startWeb } from './web-server.mjs'

const KEY = 'sk-web-Zq85'
const summary = { name: 'generate_summary_preview', args: { text: 'Ada calls Tom.' } }
const scenario = {
  settings: { label: '' },
  rules: [
    {
      when: { user: { contains: 'sum up' } },
      steps: [{ emit: [{ call: summary }] }, { emit: [{ say: 'By {{result.data.model}}.' }] }],
    },
    // The tool's own request to the model.
    {
      when: { user: { contains: summary.name } },
      steps: [{ emit: [{ say: JSON.stringify({ preview: 'Ada calls.' }) }] }],
    },
    {
      when: { user: { contains: 'look' } },
      steps: [
        { emit: [{ call: { name: 'capture_webcam_snapshot', args: {} } }] },
        {
          choose: [
            { if: { path: 'result.ok', equals: true }, emit: [{ say: 'A {{result.data.kind}} picture.' }] },
            { emit: [{ say: 'Sorry: {{result.error.message}}' }] },
          ],
        },
      ],
    },
  ],
}
const servicesOf = log =>
  JSON.parse(
    log
      .split('\n')
      .find(line => line.includes('services of the tools'))
      .replace(/^[^{]*/, ''),
  )

describe('services', () => {
  test('with a key a drafting tool uses the provider, and one line says what serves', async t => {
    const { simulator, env } = await simulate(t, scenario)
    const web = await startWeb(t, { env: { ...env, OPENAI_API_KEY: KEY } })
    const [answer] = (await new Browser(web.url).say('sum up')).answers
    assert.deepEqual(
      [answer.ok, answer.data?.preview, answer.data?.model, answer.data?.simulated],
      [true, 'Ada calls.', 'gpt-6.1-terra', false],
    )
    assert.ok(simulator.received.length >= 3)
    const { real, simulated, absent } = servicesOf(web.log())
    assert.deepEqual(Object.keys(real), ['llm', 'frameAnalysis', 'image', 'dashboard'])
    assert.deepEqual([Object.keys(simulated), absent], [['search', 'kb', 'calendar'], {}])
    assert.equal(web.log().includes(KEY), false)
  })

  test('without a key', async t => {
    const web = await startWeb(t)
    const { real, simulated, absent } = servicesOf(web.log())
    assert.deepEqual(
      [real, simulated, absent].map(one => Object.keys(one)),
      [['dashboard'], ['llm', 'search', 'image', 'kb', 'calendar'], ['frameAnalysis']],
    )
  })

  test('a key that no header can carry ends the start, and is not shown', async t => {
    const starting = startWeb(t, { env: { BRAVE_API_KEY: 'a secret' } })
    await assert.rejects(
      starting,
      error => /BRAVE_API_KEY must be a key/.test(error.message) && !/a secret/.test(error.message),
    )
  })

  test('the camera of the page is seen by the tools of a voice call, until it is off', { skip }, async t => {
    const { env } = await simulate(t, scenario)
    const voice = await startVoice(t, { ...env, TOOLGATE_VOICE_PROVIDER: 'openai', OPENAI_API_KEY: '' })
    const web = await startWeb(t, { env: { ...env, TOOLGATE_VOICE_URL: voice.url } })
    const chromium = await launchChromium(['--use-fake-device-for-media-stream', '--use-fake-ui-for-media-stream'])
    t.after(() => chromium.close())
    const { page, faults, press, ask, sees } = await visit(t, chromium, web.url)
    const sent = new Promise(resolve =>
      page.on('websocket', socket =>
        socket.on('framesent', ({ payload }) => String(payload).includes('"type":"picture"') && resolve()),
      ),
    )
    await press('Talk')
    await page.waitForSelector('[data-phase="live"]')
    // The beeps of the browser's microphone would speak over the answers.
    await press('Mute')
    await ask('look')
    await sees(/no picture of the camera has arrived/)
    await press('Turn the camera on')
    await sent
    await ask('look')
    await sees('A webcam picture.')
    await press('Turn the camera off')
    await ask('look')
    await sees(/the camera is off/)
    assert.deepEqual(faults, [])
  })
})
