// PCM16 from 16 kHz to 24 kHz, in pieces of any length: three samples for two. Between the samples a windowed sinc
// says what the sound was, so that nothing above the old half rate is made up; what a piece lacks at its border is kept from
// the piece before.

const UP = 3
const DOWN = 2
/** Input samples that make one output sample. */
const TAPS = 12

const PHASES = Array.from({ length: UP }, (_, phase) => phaseOf(phase))

export class Upsampler {
  /** The last samples of what came before, the oldest first. */
  #before = new Float64Array(TAPS - 1)
  /** Where the next output sample stands, in thirds of an input sample from the next piece's first. */
  #at = 0

  /** @param {Buffer} pcm whole samples @returns {Buffer} */
  push(pcm) {
    const count = pcm.length >> 1
    const samples = new Float64Array(TAPS - 1 + count)
    samples.set(this.#before)
    samples.set(samplesOf(pcm), TAPS - 1)
    const output = new Int16Array(Math.max(0, Math.ceil((count * UP - this.#at) / DOWN)))
    // A local variable: a private member is looked up each time.
    let at = this.#at
    for (let index = 0; index < output.length; index += 1, at += DOWN) {
      output[index] = toInt16(weigh(samples, (at / UP) | 0, PHASES[at % UP]))
    }
    this.#at = at - count * UP
    this.#before = samples.slice(samples.length - (TAPS - 1))
    return Buffer.from(output.buffer)
  }
}

/** The samples of a buffer that may begin at an odd place in memory. Node runs on little-endian machines alone. */
function samplesOf(pcm) {
  const aligned = pcm.byteOffset % 2 === 0 ? pcm : Buffer.from(new Uint8Array(pcm).buffer)
  return new Int16Array(aligned.buffer, aligned.byteOffset, aligned.length >> 1)
}

/** `taps[k]` weighs the sample `k` before the newest, which stands at `newest` after the kept ones. */
function weigh(samples, newest, taps) {
  let sum = 0
  for (let k = 0, at = newest + TAPS - 1; k < TAPS; k += 1, at -= 1) sum += samples[at] * taps[k]
  return sum
}

/** Every third weight of the low pass at three times the rate. Each phase adds up to 1, so that silence has no ripple. */
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

function toInt16(value) {
  return Math.max(-32_768, Math.min(32_767, Math.round(value)))
}
