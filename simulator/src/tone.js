// The simulator's voice: a plain tone, so that it is not mistaken for speech.

export const TONE_RATE = 24000
const FREQUENCY = 440
const AMPLITUDE = 0.1 * 0x7fff
const FADE_SAMPLES = 120

/**
 * @param {number} ms
 * @returns {Buffer} PCM, 16 bit little-endian, mono, 24 kHz, faded at both ends to avoid clicks
 */
export function tone(ms) {
  const count = Math.max(1, Math.round((TONE_RATE * ms) / 1000))
  const samples = Buffer.alloc(count * 2)
  for (let at = 0; at < count; at += 1) {
    const fade = Math.min(1, at / FADE_SAMPLES, (count - 1 - at) / FADE_SAMPLES)
    const value = AMPLITUDE * fade * Math.sin((2 * Math.PI * FREQUENCY * at) / TONE_RATE)
    samples.writeInt16LE(Math.round(value), at * 2)
  }
  return samples
}
