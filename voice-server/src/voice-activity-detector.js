// Where in the user's sound speech began, as far as loudness tells. Decides nothing about words: a provider that writes
// down what it heard does not say when it was said.

const BYTES_PER_MS = 32
const WINDOW_MS = 20
const WINDOW_BYTES = WINDOW_MS * BYTES_PER_MS
/** Root mean square of PCM16 above which it is a voice, about -36 dBFS. */
const LOUD = 500
/** So long after the last loud window the user may still be speaking. */
const PAUSE_MS = 1500
/** Speech that no words have followed for so long was none. */
const FORGOTTEN_MS = 5000

export class SpeechEar {
  heardMs = 0
  /** Start of the speech whose words have not come yet. */
  #startMs = null
  #loudMs = -Infinity
  #loudAt = -Infinity

  constructor({ now = performance.now.bind(performance) } = {}) {
    this.now = now
  }

  /** Whether the user speaks, or may be about to go on. */
  get isSpeaking() {
    return this.now() - this.#loudAt < PAUSE_MS
  }

  /** @param {Buffer} pcm PCM16, 16 kHz, mono */
  hear(pcm) {
    for (let from = 0; from < pcm.length; from += WINDOW_BYTES) {
      const window = pcm.subarray(from, from + WINDOW_BYTES)
      if (loudness(window) > LOUD) this.#heardVoice()
      this.heardMs += window.length / BYTES_PER_MS
    }
  }

  /** The words of what was said have come. @returns {number | null} where it began; `null`: nobody was loud */
  takeStart() {
    const startMs = this.#startMs
    this.#startMs = null
    return startMs
  }

  #heardVoice() {
    if (this.heardMs - this.#loudMs > FORGOTTEN_MS) this.#startMs = null
    this.#startMs ??= this.heardMs
    this.#loudMs = this.heardMs
    this.#loudAt = this.now()
  }
}

function loudness(pcm) {
  let sum = 0
  const samples = pcm.length >> 1
  for (let index = 0; index < samples; index += 1) sum += pcm.readInt16LE(index * 2) ** 2
  return samples === 0 ? 0 : Math.sqrt(sum / samples)
}
