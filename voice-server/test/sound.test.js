// Audio: resampling, voice activity, playback position, and slow peers.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { InputAudioBuffer } from '../src/audio/input-audio-buffer.js'
import { ClientSocket } from '../src/connection/client-socket.js'
import { PlaybackTracker } from '../src/audio/playback-tracker.js'
import { VoiceActivityDetector } from '../src/audio/voice-activity-detector.js'
import { Upsampler } from '../src/audio/upsampler.js'
import { DEFAULT_LIMITS } from '../src/settings/limits.js'
import { silence, voice } from './support/fixture.js'

const samplesOf = pcm => Array.from({ length: pcm.length >> 1 }, (_, index) => pcm.readInt16LE(index * 2))
const tone = (hertz, count, rate = 16_000, level = 10_000) =>
  Buffer.from(
    Int16Array.from({ length: count }, (_, at) => Math.round(level * Math.sin((2 * Math.PI * hertz * at) / rate)))
      .buffer,
  )

test('24 kHz: three samples for two, and the same whatever the pieces are', () => {
  const whole = tone(440, 4801)
  const expected = new Upsampler().push(whole)
  assert.equal(expected.length / 2, Math.ceil((4801 * 3) / 2))
  for (const sizes of [[1], [2], [3], [1, 2, 3, 5, 7, 11], [320], [0, 319, 1]]) {
    const upsampler = new Upsampler()
    const pieces = []
    for (let at = 0, turn = 0; at < whole.length; turn += 1) {
      const bytes = sizes[turn % sizes.length] * 2
      pieces.push(upsampler.push(whole.subarray(at, at + bytes)))
      at += bytes
    }
    assert.ok(Buffer.concat(pieces).equals(expected), `pieces of ${sizes} samples`)
  }
})

test('24 kHz: what was heard stays what it was, and nothing is made up', () => {
  const level = samples => Math.sqrt(samples.reduce((sum, value) => sum + value ** 2, 0) / samples.length)
  for (const hertz of [200, 1000, 3400]) {
    const made = samplesOf(new Upsampler().push(tone(hertz, 16_000))).slice(100)
    const ideal = samplesOf(tone(hertz, 24_000, 24_000))
    // The same tone, delayed by the filter: the remainder after subtracting it (sine and cosine) is noise.
    const turn = (2 * Math.PI * hertz) / 24_000
    const part = wave => (2 / made.length) * made.reduce((sum, value, at) => sum + value * wave(turn * at), 0)
    const [sine, cosine] = [part(Math.sin), part(Math.cos)]
    const rest = made.map((value, at) => value - sine * Math.sin(turn * at) - cosine * Math.cos(turn * at))
    assert.ok(Math.abs(level(made) / level(ideal) - 1) < 0.02, `${hertz} Hz keeps its level`)
    assert.ok(level(rest) < level(made) / 100, `${hertz} Hz stays pure: ${level(rest)}`)
  }
  const constant = samplesOf(new Upsampler().push(Buffer.from(new Int16Array(1000).fill(5000).buffer))).slice(50)
  assert.deepEqual(new Set(constant), new Set([5000]))
  const loudest = samplesOf(
    new Upsampler().push(
      Buffer.from(Int16Array.from({ length: 400 }, (_, at) => (at % 40 < 20 ? 32_767 : -32_768)).buffer),
    ),
  )
  assert.ok(Math.max(...loudest) === 32_767 && Math.min(...loudest) === -32_768)
})

test('the voice activity detector returns the start of speech until its transcript takes it', () => {
  let now = 0
  const detector = new VoiceActivityDetector({ now: () => now })
  detector.process(silence(1000))
  assert.deepEqual([detector.isSpeaking, detector.takeSpeechStart()], [false, null])
  detector.process(voice(100))
  detector.process(silence(500))
  detector.process(voice(100))
  assert.equal(detector.isSpeaking, true)
  assert.deepEqual([detector.takeSpeechStart(), detector.takeSpeechStart(), detector.processedMs], [1000, null, 1700])
  now = 2000
  assert.equal(detector.isSpeaking, false)
  detector.process(voice(20))
  detector.process(silence(6000))
  detector.process(voice(20))
  // A noise without a transcript is not the start of the next utterance.
  assert.equal(detector.takeSpeechStart(), 7720)
})

test('playback: what was heard goes with the clock, no further than what was sent, and as the client says', () => {
  let now = 0
  const playback = new PlaybackTracker({ now: () => now })
  const sound = (ms, item = 'a') => ({ pcm: Buffer.alloc(ms * 48), item })
  now = 1000
  playback.sent(sound(100))
  assert.deepEqual([playback.heardMs, playback.remainingMs], [0, 100])
  now = 1040
  assert.deepEqual([playback.heardMs, playback.remainingMs], [40, 60])
  playback.reported(10)
  now = 1060
  assert.equal(playback.heardMs, 30)
  playback.reported(5000)
  assert.equal(playback.heardMs, 30)
  now = 9000
  assert.equal(playback.remainingMs, 0)
  playback.sent(sound(100, 'b'))
  playback.sent(sound(200, 'b'))
  playback.sent(sound(50, 'c'))
  now = 9130
  const { heardMs, cuts } = playback.interrupted()
  assert.equal(heardMs, 230)
  assert.deepEqual(cuts, [
    { item: 'b', heardMs: 130, totalMs: 300 },
    { item: 'c', heardMs: 0, totalMs: 50 },
  ])
  assert.deepEqual([playback.heardMs, playback.remainingMs, playback.interrupted().cuts], [0, 0, []])
})

/** A provider's socket that accepts nothing until the test allows it. */
function slowLink() {
  const sent = []
  return { sent, unsentBytes: 0, sendAudio: pcm => sent.push(pcm) }
}

test('sound of the user: what a congested provider cannot take is kept, the oldest is dropped and counted', t => {
  t.mock.timers.enable({ apis: ['setInterval'] })
  const link = slowLink()
  const dropped = []
  const inputAudio = new InputAudioBuffer({ link, backlogMs: 300, onDropped: ms => dropped.push(ms) })
  const pieces = Array.from({ length: 8 }, (_, index) => Buffer.alloc(100 * 32, index + 1))
  inputAudio.push(pieces[0])
  assert.deepEqual([link.sent.length, dropped], [1, []])
  link.unsentBytes = 1_000_000
  for (const piece of pieces.slice(1)) inputAudio.push(piece)
  t.mock.timers.tick(200)
  assert.deepEqual([link.sent.length, dropped], [1, []])
  link.unsentBytes = 0
  t.mock.timers.tick(50)
  assert.deepEqual([link.sent.map(pcm => pcm[0]), dropped], [[1, 6, 7, 8], [400]])
  inputAudio.push(pieces[1])
  assert.deepEqual([link.sent.length, dropped], [5, [400]])
  link.unsentBytes = 1_000_000
  for (const piece of pieces) inputAudio.push(piece)
  inputAudio.stop()
  assert.deepEqual(dropped, [400, 500])
})

/** A client's socket whose peer reads when the test calls `read`. */
class SlowSocket {
  OPEN = 1
  readyState = 1
  bufferedAmount = 0
  sent = []
  corks = 0
  uncorks = 0
  #unread = []

  cork() {
    this.corks += 1
  }

  uncork() {
    this.uncorks += 1
  }

  send(data, done = () => {}) {
    this.sent.push(Buffer.isBuffer(data) ? data[0] : JSON.parse(data).type)
    this.bufferedAmount += data.length
    this.#unread.push({ size: data.length, done })
  }

  read() {
    const { size, done } = this.#unread.shift()
    this.bufferedAmount -= size
    done()
  }

  close(code) {
    this.closedWith = code
    this.readyState = 3
  }
}

test('sound of the model: what the client has not room for waits in its order, and an interruption takes it back', () => {
  const socket = new SlowSocket()
  const client = new ClientSocket(socket, socket, { ...DEFAULT_LIMITS, audioAheadMs: 100 })
  const sound = name => Buffer.alloc(100 * 48, name)
  for (const name of [1, 2, 3]) client.sendAudio(sound(name))
  client.send({ type: 'turnComplete' })
  client.sendAudio(sound(4))
  assert.deepEqual(socket.sent, [1])
  socket.read()
  assert.deepEqual(socket.sent, [1, 2])
  client.dropAudio()
  client.send({ type: 'interrupted' })
  socket.read()
  assert.deepEqual(socket.sent, [1, 2, 'turnComplete', 'interrupted'])
  client.sendAudio(sound(5))
  assert.equal(socket.sent.at(-1), 5)
})

test('sound of the model: nothing is dropped in silence; a client that leaves too much unread is cut off', () => {
  const socket = new SlowSocket()
  const client = new ClientSocket(socket, socket, DEFAULT_LIMITS)
  let taken = 0
  while (socket.closedWith === undefined && taken < 20) taken += client.sendAudio(Buffer.alloc(1024 * 1024)) ? 1 : 0
  assert.deepEqual([socket.closedWith, taken, client.send({ type: 'state' })], [1013, 9, false])
})

test('the frames of one turn of the event loop are written together, without a timer', async () => {
  const socket = new SlowSocket()
  const client = new ClientSocket(socket, socket, DEFAULT_LIMITS)
  const counts = () => [socket.sent.length, socket.corks, socket.uncorks]
  client.send({ type: 'toolResult' })
  client.sendAudio(Buffer.alloc(480))
  client.send({ type: 'state' })
  assert.deepEqual(counts(), [3, 1, 0])
  // Before any other work of the event loop.
  await new Promise(resolve => process.nextTick(resolve))
  assert.deepEqual(counts(), [3, 1, 1])
  client.close(1000)
  client.send({ type: 'state' })
  await new Promise(resolve => process.nextTick(resolve))
  assert.deepEqual(counts(), [3, 1, 1])
})
