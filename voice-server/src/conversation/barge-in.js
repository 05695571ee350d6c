// Decides when speech over a running call aborts it. What a provider takes for speech may be a cough: it ends the model's
// speech, but a call is aborted only once words were transcribed or the speech has lasted.
import { SpeechDuration } from '../audio/speech-duration.js'

/** @typedef {import('./call-runner.js').Entry} Entry */

export class BargeIn {
  #speech = new SpeechDuration()
  /** The calls that ran when speech was detected. @type {Entry[]} */
  #suspects = []
  /** The provider's key of that utterance, if it has one. @type {string | null} */
  #key = null
  #isSpeaking = false
  /** Words came before the provider reported the interruption. */
  #hasWords = false
  /** The turn that speech has interrupted. @type {number | null} */
  #turn = null

  /**
   * @param {object} options
   * @param {number} options.minSpeechMs
   * @param {boolean} [options.isDuplex] the model listens while it speaks: nothing is aborted for speech or typed text
   * @param {(turn: number) => void} [options.onBrokeIn] the interruption of a turn was no cough
   * @param {Pick<import('./call-runner.js').CallRunner, 'isBusy' | 'callsOfTurn' | 'abort'>} options.runner
   */
  constructor({ minSpeechMs, runner, isDuplex = false, onBrokeIn = () => {} }) {
    this.isDuplex = isDuplex
    this.onBrokeIn = onBrokeIn
    this.minSpeechMs = minSpeechMs
    this.runner = runner
  }

  /** The model's speech has ended for what may be a cough. @param {number} turn */
  interrupted(turn) {
    this.#turn = turn
  }

  /** The provider detected speech. @param {string | null} key of the utterance */
  speechDetected(key) {
    this.#suspects = this.#abortable()
    this.#key = key
    this.#isSpeaking = true
    if (this.#hasWords) this.confirm()
    else this.#check()
  }

  speechStopped() {
    this.#isSpeaking = false
  }

  /** The user typed: the interruption that follows is no cough. */
  typed() {
    this.#suspects = this.#abortable()
    this.#key = null
    this.#isSpeaking = false
  }

  /** Aborts the calls that ran when the user broke in; calls that began later answer the new words. */
  confirm() {
    this.runner.abort(this.#suspects)
    if (this.#turn !== null) this.onBrokeIn(this.#turn)
    this.#turn = null
    this.#suspects = []
    this.#hasWords = false
  }

  /** @param {Buffer} pcm of the user. Measured only while there is something to abort */
  heard(pcm) {
    if (!this.runner.isBusy) return this.#speech.reset()
    this.#speech.process(pcm)
    this.#check()
  }

  /** @param {import('../providers/provider-link.js').TranscriptPiece[]} pieces of a message without speech of the model */
  transcribed(pieces) {
    for (const { direction, key, text } of pieces) if (direction === 'input' && hasWords(text)) this.#wordsHeard(key)
  }

  modelSpoke() {
    this.#hasWords = false
  }

  /** Later words without a key belong to another turn. */
  turnCompleted() {
    if (this.#key === null) {
      this.#suspects = []
      this.#turn = null
    }
    this.#hasWords = false
  }

  /** @param {string | null} key of their utterance */
  #wordsHeard(key) {
    const isOfUtterance = this.#key === null || this.#key === key
    if ((this.#suspects.length > 0 || this.#turn !== null) && isOfUtterance) this.confirm()
    // Without speech since the calls began, it is the late transcript of what they were made for.
    else if (this.#speech.ms > 0) this.#hasWords = true
  }

  #abortable() {
    return this.isDuplex ? [] : this.runner.callsOfTurn()
  }

  #check() {
    if (this.#isSpeaking && this.#suspects.length > 0 && this.#speech.ms >= this.minSpeechMs) this.confirm()
  }
}

/** Whether a transcript contains words; `<noise>` and `[coughs]` are none. @param {string} text */
function hasWords(text) {
  return /[\p{L}\p{N}]/u.test(text.replace(/<[^>]*>?|\[[^\]]*\]?|\([^)]*\)?/g, ''))
}
