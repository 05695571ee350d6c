// Detects where speech begins in the user's audio, by loudness only. Needed for providers whose transcripts have no
// timestamps.

const BYTES_PER_MS = 32
const WINDOW_MS = 20
const WINDOW_BYTES = WINDOW_MS * BYTES_PER_MS
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

  /** @param {Buffer} pcm PCM16, 16 kHz, mono */
  process(pcm) {
    for (let from = 0; from < pcm.length; from += WINDOW_BYTES) {
      const window = pcm.subarray(from, from + WINDOW_BYTES)
      if (rootMeanSquare(window) > SPEECH_RMS) this.#speechDetected()
      this.processedMs += window.length / BYTES_PER_MS
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

/** @param {Buffer} pcm */
function rootMeanSquare(pcm) {
  let sum = 0
  const samples = pcm.length >> 1
  for (let index = 0; index < samples; index += 1) sum += pcm.readInt16LE(index * 2) ** 2
  return samples === 0 ? 0 : Math.sqrt(sum / samples)
}
