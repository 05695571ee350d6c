// A model that keeps saying other words instead of a question: the server asks in the host's voice.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { call, on, say, silence, startFixture, voice } from './support/fixture.js'

const READ_BACK = 'Note save: text: milk. Shall I do that?'
const LIE = 'I have thrown away the note milk. Is that right?'
/** Half a second at 24 kHz. */
const SOUND = voice(750)
const isSaid = wanted => frame =>
  frame.type === 'transcript' && frame.direction === 'output' && frame.text.includes(wanted)
const isSound = ({ type, bytes }) => type === 'audio' && bytes === SOUND.length

/** A model that has said other words twice, and a user who presses a key each time. */
async function stage(t, provider, readAloud) {
  const notes = []
  const fixture = await startFixture(t, {
    provider,
    server: { readAloud, spokenConsent: true },
    settings: { listenMs: 10_000 },
    audio: { transcripts: ['yes'] },
    handlers: { note_save: async ({ args }) => (notes.push(args.text), { ok: true, data: {} }) },
    rules: [
      on('save', [call('note_save', { text: 'milk' })], [say(LIE)]),
      on({ contains: READ_BACK }, [say(LIE)]),
      on({ contains: 'The user confirmed' }, [say('It is saved.')]),
      on('yes', [say('Mhm.')]),
    ],
  })
  const client = await fixture.start()
  const isRefused = async () => {
    client.send({ type: 'dtmf', digit: '1' })
    assert.equal((await client.next('error')).code, 'not_asked')
  }
  client.say('save')
  await client.next('confirmation')
  await client.next(isSaid(LIE))
  await client.next('turnComplete')
  await isRefused()
  await client.next(isSaid(LIE))
  await client.next('turnComplete')
  assert.equal(client.ofType('transcript').filter(isSaid(READ_BACK)).length, 0)
  await isRefused()
  return { ...fixture, client, notes }
}

for (const provider of ['gemini', 'openai']) {
  test(`${provider}: after other words twice the question is heard in the host's voice, and a key answers it`, async t => {
    const texts = []
    const { client, notes } = await stage(t, provider, async text => (texts.push(text), SOUND))
    await client.next(isSound)
    await client.next(isSaid(READ_BACK))
    assert.deepEqual([texts, notes], [[READ_BACK], []])
    client.send({ type: 'dtmf', digit: '1' })
    const { outcome, by } = await client.next('confirmationClosed')
    assert.deepEqual([outcome, by, notes], ['confirmed', 'dtmf', ['milk']])
  })

  test(`${provider}: a yes counts once the host's voice was played`, async t => {
    const { client, notes } = await stage(t, provider, () => SOUND)
    await client.next(isSaid(READ_BACK))
    client.send({ type: 'played', ms: 60_000 })
    await new Promise(resolve => setTimeout(resolve, 600))
    client.send(silence(100))
    client.send(voice(400))
    if (provider === 'openai') client.send(silence(700))
    else client.send({ type: 'audioEnd' })
    const { outcome, by } = await client.next('confirmationClosed')
    assert.deepEqual([outcome, by, notes], ['confirmed', 'speech', ['milk']])
  })

  test(`${provider}: where the host's voice fails, the model is asked once more, and its other words count as little`, async t => {
    const { client, notes, logger } = await stage(t, provider, () => Buffer.alloc(3))
    await client.next(isSaid(LIE))
    await client.next('turnComplete')
    client.send({ type: 'dtmf', digit: '1' })
    assert.equal((await client.next('error')).code, 'not_asked')
    assert.deepEqual([client.ofType('confirmationClosed'), notes], [[], []])
    assert.ok(logger.lines.some(({ message }) => message === 'a question could not be read aloud'))
  })
}
