// Detects the end of a spoken utterance by the amount of received audio. Speech is not recognized.

const DEFAULT_RATE = 16000
const BYTES_PER_SAMPLE = 2

/**
 * @typedef {{ mimeType: string, data: string }} MediaChunk PCM, 16 bit, mono; 16 kHz unless the MIME type has `rate=`
 */

export class UtteranceTimer {
  #ms = 0
  #activity = false

  /**
   * @param {{ manual: boolean, listenMs: number }} options `manual`: only activityEnd ends an utterance, because the
   *   client disabled automatic activity detection
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
   * @param {MediaChunk} chunk
   * @returns {boolean} whether the utterance is over
   */
  add({ mimeType, data }) {
    if (this.manual && !this.#activity) return false
    const rate = Number(/rate=(\d+)/.exec(mimeType)?.[1] ?? DEFAULT_RATE)
    this.#ms += (Buffer.byteLength(data, 'base64') * 1000) / (rate * BYTES_PER_SAMPLE)
    return !this.manual && this.#ms >= this.listenMs
  }

  /** Ends the utterance. @returns {number} its seconds of audio; 0 if none */
  endUtterance() {
    const seconds = Math.round(this.#ms / 100) / 10
    this.#ms = 0
    this.#activity = false
    return seconds
  }
}
