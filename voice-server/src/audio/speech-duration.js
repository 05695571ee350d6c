// How long the user's speech in progress has lasted, by loudness and by the position in the audio: no clock.
import { samplesOf } from './pcm-samples.js'
import { WINDOW_MS, WINDOW_SAMPLES, isSpeech } from './voice-activity-detector.js'

/** A pause that ends a stretch of speech. */
const PAUSE_MS = 300

export class SpeechDuration {
  #positionMs = 0
  /** @type {number | null} */
  #startMs = null
  #endMs = 0

  /** From the first loud window to the end of the last one. */
  get ms() {
    return this.#startMs === null ? 0 : this.#endMs - this.#startMs
  }

  /** @param {Buffer} pcm PCM16, 16 kHz, mono */
  process(pcm) {
    const samples = samplesOf(pcm)
    for (let from = 0; from < samples.length; from += WINDOW_SAMPLES) {
      const until = Math.min(from + WINDOW_SAMPLES, samples.length)
      const startMs = this.#positionMs
      this.#positionMs += ((until - from) * WINDOW_MS) / WINDOW_SAMPLES
      if (isSpeech(samples, from, until)) {
        this.#startMs ??= startMs
        this.#endMs = this.#positionMs
      } else if (this.#positionMs - this.#endMs >= PAUSE_MS) this.reset()
    }
  }

  reset() {
    this.#startMs = null
  }
}
