// When is a spoken utterance over? The simulator hears no words: it measures how much audio came.

const DEFAULT_RATE = 16000
const BYTES_PER_SAMPLE = 2

export class Ear {
  #ms = 0
  #activity = false

  /**
   * @param {{ manual: boolean, listenMs: number }} options `manual`: only activityEnd ends an utterance, because the
   * client has disabled automatic activity detection
   */
  constructor({ manual, listenMs }) {
    this.manual = manual
    this.listenMs = listenMs
  }

  startActivity() {
    this.#activity = true
    this.#ms = 0
  }

  /**
   * @param {{ mimeType: string, data: string }} blob PCM, 16 bit, mono; 16 kHz unless its type says `rate=`
   * @returns {boolean} whether enough came for the utterance to be over
   */
  hear({ mimeType, data }) {
    if (this.manual && !this.#activity) return false
    const rate = Number(/rate=(\d+)/.exec(mimeType)?.[1] ?? DEFAULT_RATE)
    this.#ms += (Buffer.byteLength(data, 'base64') * 1000) / (rate * BYTES_PER_SAMPLE)
    return !this.manual && this.#ms >= this.listenMs
  }

  /** @returns {number} seconds heard since the last utterance, which ends here; 0 if nothing */
  endUtterance() {
    const seconds = Math.round(this.#ms / 100) / 10
    this.#ms = 0
    this.#activity = false
    return seconds
  }
}
