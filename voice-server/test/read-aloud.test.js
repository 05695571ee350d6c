// Questions in the host's voice, in GPT-Live: a yes counts once it was played, and the model asks where the host cannot.
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { latch, on, say, voice } from './support/fixture.js'
import { READ_BACK, isReconnected, isSaid, startLive, timesSaid } from './support/gpt-live.js'

/** Half a second at 24 kHz. */
const SOUND = voice(750)
const PLAY = 'session.output_audio.fixture.play'
const isPlay = ({ json }) => json?.type === PLAY
const isCaption = ({ type, text }) => type === 'transcript' && text === READ_BACK

const startAsking = async (t, mode, readAloud) => {
  const fixture = await startLive(t, mode, { server: { spokenConsent: true, readAloud } })
  const client = await fixture.begin()
  await client.hears('save it')
  await client.next('confirmation')
  return { ...fixture, client }
}

// They wait more than they work.
describe('questions in the voice of the host', { concurrency: 4 }, () => {
  for (const mode of ['responses', 'host']) {
    test(`${mode}: a question is heard in the host's voice, and a yes counts once it was played`, async t => {
      const texts = []
      const { client, notes, sent, sim } = await startAsking(t, mode, async text => {
        texts.push(text)
        return SOUND
      })
      await sim.whenReceived(isPlay)
      await client.next(({ type, bytes }) => type === 'audio' && bytes === SOUND.length)
      await client.speaks('yes')
      await client.next(isCaption)
      await client.next(isCaption)
      assert.deepEqual(notes, [])
      await client.next('turnComplete')
      client.send({ type: 'played', ms: 60_000 })
      await client.speaks('yes')
      const closed = await client.next('confirmationClosed')
      assert.deepEqual([closed.outcome, closed.by, notes], ['confirmed', 'speech', ['buy milk']])
      await client.next(isSaid('It has run.'))
      assert.deepEqual(texts, [READ_BACK, READ_BACK])
      assert.deepEqual(
        sent(PLAY).map(({ audio }) => Buffer.from(audio, 'base64').equals(SOUND)),
        [true, true],
      )
      assert.ok(sent('session.thinking.append').some(({ content }) => content.includes(JSON.stringify(READ_BACK))))
      assert.deepEqual(sim.anomalies, [])
    })
  }

  for (const [what, readAloud] of Object.entries({
    'a voice that throws': () => {
      throw new Error('no voice')
    },
    'a voice that is no sound': async () => 'text',
    'half a sample': async () => Buffer.alloc(3),
    'more than 30 seconds': async () => Buffer.alloc(30_001 * 48),
  })) {
    test(`${what}: the model asks`, async t => {
      const { client, sent, logger, notes } = await startAsking(t, 'host', readAloud)
      await client.next(isSaid('Shall I do that?'))
      await client.next('turnComplete')
      await client.speaks('yes')
      assert.equal((await client.next('confirmationClosed')).outcome, 'confirmed')
      assert.deepEqual([sent(PLAY).length, notes], [0, ['buy milk']])
      assert.ok(logger.lines.some(({ message }) => message === 'a question could not be read aloud'))
    })
  }

  test('a sound that the service refuses is said by the model, once, and no other is tried', async t => {
    let refused = 0
    const { begin, model, notes } = await startLive(t, 'host', {
      server: { spokenConsent: true, readAloud: () => SOUND },
    })
    const client = await begin()
    const provider = await model()
    const receive = provider.receive.bind(provider)
    provider.receive = bytes => {
      const { type, event_id: id } = JSON.parse(bytes)
      if (type !== PLAY) return receive(bytes)
      refused += 1
      provider.send({
        type: 'error',
        error: { type: 'invalid_request_error', code: 'x', message: 'no', client_event_id: id },
      })
    }
    await client.hears('save it')
    await client.next(isSaid('Shall I do that?'))
    await client.speaks('yes')
    await client.next('turnComplete')
    await client.next(isSaid('Shall I do that?'))
    await client.next('turnComplete')
    await client.speaks('yes')
    assert.equal((await client.next('confirmationClosed')).outcome, 'confirmed')
    assert.deepEqual([refused, timesSaid(client, 'Shall I do that?'), notes], [1, 2, ['buy milk']])
  })

  test('the connection is lost while the question is heard: the next one asks it again', async t => {
    const { client, model, sim, notes } = await startAsking(t, 'host', async () => SOUND)
    await sim.whenReceived(isPlay)
    ;(await model()).disconnect({ code: 1011 })
    await client.next(isReconnected)
    await client.next(isCaption)
    assert.equal(timesSaid(client, READ_BACK), 1)
    client.send({ type: 'dtmf', digit: '1' })
    assert.equal((await client.next('confirmationClosed')).outcome, 'confirmed')
    assert.deepEqual(notes, ['buy milk'])
  })

  test('who types while the question is heard stops it, and is asked again after the answer', async t => {
    const rules = [on('hello', [say('hi')])]
    const { begin, model, sim, notes } = await startLive(t, 'responses', {
      rules,
      server: { readAloud: () => voice(3000) },
    })
    const client = await begin()
    await client.hears('save it')
    await sim.whenReceived(isPlay)
    await client.next('audio')
    client.say('hello')
    await client.next('interrupted')
    await client.next(isSaid('hi'))
    await client.next(isCaption)
    const plays = sim.received.filter(isPlay).length
    assert.deepEqual([plays, timesSaid(client, READ_BACK), (await model()).isOpen], [2, 1, true])
    client.send({ type: 'dtmf', digit: '1' })
    assert.equal((await client.next('confirmationClosed')).outcome, 'confirmed')
    assert.deepEqual([notes, sim.anomalies], [['buy milk'], []])
  })

  test('a question is not begun while the user speaks', async t => {
    const sound = latch()
    const { client, sim } = await startAsking(t, 'host', () => sound.opened.then(() => SOUND))
    const before = sim.received.length
    await client.speaks('hold on')
    sound.open()
    await client.next(({ type, final, direction }) => type === 'transcript' && final && direction === 'input')
    assert.equal(sim.received.slice(before).filter(isPlay).length, 0)
    await client.next(isCaption)
    assert.equal(timesSaid(client, READ_BACK), 1)
  })
})
