// Barge-in by voice: the microphone plays silence and then a tone, and the service behind the voice server detects
// speech by loudness.
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { launchChromium, skip } from './chromium.mjs'
import { simulate } from './simulator.mjs'
import { writeTone } from './sound.mjs'
import { visit } from './visitor.mjs'
import { startVoice } from './voice-server.mjs'
import { startWeb } from './web-server.mjs'

const FAKE_MICROPHONE = ['--use-fake-device-for-media-stream', '--use-fake-ui-for-media-stream']
/** Silence before the tone, in which the model begins its story; the file is played in a loop. */
const SILENT_SECONDS = 8
const scenario = {
  // Half a second of audio per word, sent at once: the service has finished sending long before the interruption.
  settings: { label: '', toneMs: 500 },
  audio: { transcripts: ['Wait a moment'] },
  rules: [
    {
      when: { user: { contains: 'story' } },
      steps: [{ emit: [{ say: 'Once upon a time there was a gate. '.repeat(20) }] }],
    },
    { when: { user: { contains: 'Wait' } }, steps: [{ emit: [{ say: 'I am all ears.' }] }] },
  ],
}

describe('breaking in by voice', { skip }, () => {
  test('speech stops what is said, here and at the service', async t => {
    const { simulator, env } = await simulate(t, scenario)
    const voice = await startVoice(t, { ...env, TOOLGATE_VOICE_PROVIDER: 'openai', OPENAI_API_KEY: '' })
    const web = await startWeb(t, { env: { ...env, TOOLGATE_VOICE_URL: voice.url } })
    const tone = await writeTone(t, 900, { silentSeconds: SILENT_SECONDS, seconds: 1 })
    const chromium = await launchChromium([...FAKE_MICROPHONE, `--use-file-for-fake-audio-capture=${tone}`])
    t.after(() => chromium.close())

    const { page, faults, press, ask, sees } = await visit(t, chromium, web.url)
    await press('Talk')
    await page.waitForSelector('[data-phase="live"]')
    await ask('tell me a story')
    await page.waitForSelector('[data-speaking="true"]')
    await sees('You broke in here.')
    await page.waitForSelector('[data-speaking="false"]')

    // The service is informed how much of its audio was heard: a few seconds of more than a minute.
    const { json: cut } = await simulator.whenReceived(({ json }) => json?.type === 'conversation.item.truncate')
    assert.ok(cut.audio_end_ms >= 0 && cut.audio_end_ms < 30_000, JSON.stringify(cut))
    await sees('I am all ears.')
    assert.deepEqual(faults, [])
  })
})
