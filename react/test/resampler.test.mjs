// The audio thread's resampler, run in Node: the same file, with the two globals of an audio worklet.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { shareAt } from '../../web/test/sound.mjs'

globalThis.AudioWorkletProcessor = class {}
globalThis.registerProcessor = () => {}
const { Resampler } = await import('../src/voice/voice-worklet.js')

const tone = (frequency, rate, length) =>
  Float32Array.from({ length }, (_, index) => 0.5 * Math.sin((2 * Math.PI * frequency * index) / rate))

/** In pieces of 128, as the audio thread gives them. */
function resample(samples, from, to) {
  const resampler = new Resampler(from, to)
  const pieces = []
  for (let at = 0; at < samples.length; at += 128) pieces.push(...resampler.process(samples.subarray(at, at + 128)))
  return pieces
}
const loudness = samples => Math.sqrt(samples.reduce((sum, sample) => sum + sample * sample, 0) / samples.length)
const inner = samples => samples.slice(200, -200)

for (const [from, to] of [
  [48_000, 16_000],
  [44_100, 16_000],
  [24_000, 48_000],
  [24_000, 44_100],
  [16_000, 16_000],
  [8000, 16_000],
]) {
  test(`a tone stays what it is from ${from} to ${to}`, () => {
    const result = resample(tone(440, from, from), from, to)
    assert.ok(Math.abs(result.length - to) < to / 100, `${result.length} samples`)
    assert.ok(shareAt(inner(result), to, 440) > 0.99)
    assert.ok(Math.abs(loudness(inner(result)) - loudness(tone(440, from, from))) < 0.01)
  })
}

test('what the lower rate cannot carry is gone, not folded back', () => {
  const result = resample(tone(11_000, 48_000, 48_000), 48_000, 16_000)
  assert.ok(loudness(inner(result)) < 0.003, `${loudness(inner(result))}`)
})

test('after a reset nothing of before is heard', () => {
  const resampler = new Resampler(24_000, 48_000)
  resampler.process(tone(440, 24_000, 2400))
  resampler.reset()
  assert.deepEqual(
    [...resampler.process(new Float32Array(240))].filter(sample => sample !== 0),
    [],
  )
})
