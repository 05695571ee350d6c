// Detects where speech begins in the user's audio, by loudness only. Needed for providers whose transcripts have no
// timestamps.
import { samplesOf } from './pcm-samples.js'

const BYTES_PER_MS = 32
export const WINDOW_MS = 20
export const WINDOW_SAMPLES = (WINDOW_MS * BYTES_PER_MS) / 2
/** Root mean square of PCM16 above which a window counts as speech, about -36 dBFS. */
const SPEECH_RMS = 500
/** After the last loud window the user may continue to speak for this long. */
const PAUSE_MS = 1500
/** A start of speech without a transcript for this long is discarded as noise. */
const MAX_START_AGE_MS = 5000

export class VoiceActivityDetector {
  processedMs = 0
  /** Start of the speech that has no transcript yet. @type {number | null} */
  #startMs = null
  #lastSpeechMs = -Infinity
  #lastSpeechAt = -Infinity

  constructor({ now = performance.now.bind(performance) } = {}) {
    this.now = now
  }

  /** Whether the user speaks or may be about to continue. */
  get isSpeaking() {
    return this.now() - this.#lastSpeechAt < PAUSE_MS
  }

  get lastSpeechAt() {
    return this.#lastSpeechAt
  }

  /** @param {Buffer} pcm PCM16, 16 kHz, mono */
  process(pcm) {
    const samples = samplesOf(pcm)
    for (let from = 0; from < samples.length; from += WINDOW_SAMPLES) {
      const until = Math.min(from + WINDOW_SAMPLES, samples.length)
      if (isSpeech(samples, from, until)) this.#speechDetected()
      this.processedMs += (2 * (until - from)) / BYTES_PER_MS
    }
  }

  /**
   * Takes the start of the speech whose transcript has arrived.
   *
   * @returns {number | null} `null` if no window was loud
   */
  takeSpeechStart() {
    const startMs = this.#startMs
    this.#startMs = null
    return startMs
  }

  #speechDetected() {
    if (this.processedMs - this.#lastSpeechMs > MAX_START_AGE_MS) this.#startMs = null
    this.#startMs ??= this.processedMs
    this.#lastSpeechMs = this.processedMs
    this.#lastSpeechAt = this.now()
  }
}

/**
 * Whether the window is loud: compares the sum of squares, which needs no root.
 * @param {Int16Array} samples @param {number} from @param {number} until
 */
export function isSpeech(samples, from, until) {
  let sum = 0
  for (let at = from; at < until; at += 1) sum += samples[at] * samples[at]
  return sum > SPEECH_RMS * SPEECH_RMS * (until - from)
}
