// Resamples PCM16 from 16 kHz to 24 kHz (three output samples for two) in chunks of any length. A windowed sinc
// interpolates, so that no content above the old Nyquist frequency is added; the last samples of a chunk are kept for
// the next one.
import { samplesOf } from './pcm-samples.js'

const UP = 3
const DOWN = 2
/** Input samples that make one output sample: the terms of `weigh`. */
const TAPS = 12

const PHASES = Array.from({ length: UP }, (_, phase) => phaseOf(phase))

export class Upsampler {
  /** The last samples of earlier chunks, the oldest first. */
  #before = new Float64Array(TAPS - 1)
  /** Position of the next output sample, in thirds of an input sample from the first sample of the next chunk. */
  #at = 0

  /** @param {Buffer} pcm whole samples @returns {Buffer} */
  push(pcm) {
    const count = pcm.length >> 1
    const samples = new Float64Array(TAPS - 1 + count)
    samples.set(this.#before)
    samples.set(samplesOf(pcm), TAPS - 1)
    const output = new Int16Array(Math.max(0, Math.ceil((count * UP - this.#at) / DOWN)))
    let phase = this.#at % UP
    let first = (this.#at - phase) / UP
    for (let index = 0; index < output.length; index += 1) {
      output[index] = toInt16(weigh(samples, first, PHASES[phase]))
      phase += DOWN
      if (phase >= UP) {
        phase -= UP
        first += 1
      }
    }
    this.#at += output.length * DOWN - count * UP
    this.#before = samples.slice(samples.length - (TAPS - 1))
    return Buffer.from(output.buffer)
  }
}

/**
 * Weighs the samples from `at` on, the oldest first. Written out: each chunk takes thousands of these sums, and a loop
 * takes more than twice the time.
 * @param {Float64Array} s samples @param {number} at @param {Float64Array} w weights
 */
function weigh(s, at, w) {
  return (
    s[at] * w[0] +
    s[at + 1] * w[1] +
    s[at + 2] * w[2] +
    s[at + 3] * w[3] +
    s[at + 4] * w[4] +
    s[at + 5] * w[5] +
    s[at + 6] * w[6] +
    s[at + 7] * w[7] +
    s[at + 8] * w[8] +
    s[at + 9] * w[9] +
    s[at + 10] * w[10] +
    s[at + 11] * w[11]
  )
}

/**
 * One polyphase filter: every third weight of the low-pass at three times the rate, that of the oldest sample first. Each
 * phase sums to 1 (no DC ripple).
 * @param {number} phase
 */
function phaseOf(phase) {
  const length = TAPS * UP
  const taps = Float64Array.from({ length: TAPS }, (_, k) => {
    const n = phase + k * UP
    const x = (n - (length - 1) / 2) / UP
    const sinc = x === 0 ? 1 : Math.sin(Math.PI * x) / (Math.PI * x)
    const turn = (2 * Math.PI * n) / (length - 1)
    return sinc * (0.42 - 0.5 * Math.cos(turn) + 0.08 * Math.cos(2 * turn))
  })
  const sum = taps.reduce((total, tap) => total + tap, 0)
  return taps.map(tap => tap / sum).reverse()
}

/** @param {number} value */
function toInt16(value) {
  return Math.max(-32_768, Math.min(32_767, Math.round(value)))
}
