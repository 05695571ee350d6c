// Resamples PCM16 from 16 kHz to 24 kHz (three output samples for two) in chunks of any length. A windowed sinc
// interpolates, so that no content above the old Nyquist frequency is added; the last samples of a chunk are kept for
// the next one.
import { samplesOf } from './pcm-samples.js'

const UP = 3
const DOWN = 2
/** Input samples that make one output sample. */
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
    // A local variable: private members are slow in this loop.
    let at = this.#at
    for (let index = 0; index < output.length; index += 1, at += DOWN) {
      output[index] = toInt16(weigh(samples, (at / UP) | 0, PHASES[at % UP]))
    }
    this.#at = at - count * UP
    this.#before = samples.slice(samples.length - (TAPS - 1))
    return Buffer.from(output.buffer)
  }
}

/**
 * Convolves with `taps`: `taps[k]` weighs the sample `k` before the newest one, at index `newest` after the kept
 * samples.
 * @param {Float64Array} samples @param {number} newest @param {Float64Array} taps
 */
function weigh(samples, newest, taps) {
  let sum = 0
  for (let k = 0, at = newest + TAPS - 1; k < TAPS; k += 1, at -= 1) sum += samples[at] * taps[k]
  return sum
}

/**
 * One polyphase filter: every third weight of the low-pass at three times the rate. Each phase sums to 1 (no DC
 * ripple).
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
  return taps.map(tap => tap / sum)
}

/** @param {number} value */
function toInt16(value) {
  return Math.max(-32_768, Math.min(32_767, Math.round(value)))
}
