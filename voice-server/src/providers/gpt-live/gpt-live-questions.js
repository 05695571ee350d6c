// The server's questions in a GPT-Live conversation: in the host's voice, as a fixture that the service plays; if it has none,
// or the service did not play it, the model says them.
import { randomUUID } from 'node:crypto'
import { messageOf } from 'toolgate/http'
import { askNote, askedNote } from '../../delivery/model-notes.js'
import { soundOf } from '../../audio/read-aloud.js'
import { MOST_FIXTURE_BYTES } from './gpt-live-connection.js'

/**
 * @typedef {{ key: string, text: string }} ReadQuestion `key`: of its receipt
 * @typedef {object} Asker the conversation that asks
 * @property {import('./gpt-live-connection.js').GptLiveConnection | null} connection
 * @property {boolean} isSpoken either side speaks
 * @property {(note: string) => string[]} writeNote
 * @property {(text: string) => void} sendContext
 * @property {() => void} onPutOff
 */

export class GptLiveQuestions {
  /** The one that a fixture says. @type {ReadQuestion | null} */
  #playing = null
  #canPlay = true
  /** Keys of those that have reached the user, or that the model says. @type {string[]} */
  #asked = []
  /** Keys of those that must be asked again. @type {string[]} */
  #unheard = []

  /**
   * @param {Asker} asker
   * @param {{ readAloud?: import('../../voice-types.js').ReadAloud, logger: import('../../voice-types.js').Logger }} options
   */
  constructor(asker, { readAloud, logger }) {
    this.asker = asker
    this.readAloud = readAloud
    this.logger = logger
  }

  get isPlaying() {
    return this.#playing !== null
  }

  /** The connection is another one. */
  reset() {
    this.#playing = null
  }

  /** The user broke in. @returns {boolean} whether a question was cut off: it is asked again */
  cut() {
    if (this.#playing === null) return false
    this.#unheard.push(this.#playing.key)
    this.#playing = null
    return true
  }

  /** @param {string} text @returns {string[]} receipts */
  ask(text) {
    const { asker, readAloud } = this
    if (readAloud === undefined || !this.#canPlay) return asker.writeNote(askNote(text))
    const key = randomUUID()
    this.#play({ key, text }, readAloud, asker.connection)
    return [key]
  }

  /** @param {'played' | 'failed' | null} end of the fixture; null: it was given up @returns {string | null} what the user has heard */
  ended(end) {
    const question = this.#playing
    this.#playing = null
    if (question === null) return null
    if (end !== 'played') {
      this.#canPlay = false
      this.#haveSaid(question)
      return null
    }
    this.#asked.push(question.key)
    this.asker.sendContext(askedNote(question.text))
    return question.text
  }

  /** What has become of questions since the last time: keys. */
  take() {
    return { receipts: this.#asked.splice(0), refused: this.#unheard.splice(0) }
  }

  /**
   * @param {ReadQuestion} question
   * @param {import('../../voice-types.js').ReadAloud} readAloud
   * @param {import('./gpt-live-connection.js').GptLiveConnection | null} connection
   */
  async #play(question, readAloud, connection) {
    const sound = await soundOf(question.text, readAloud, { mostBytes: MOST_FIXTURE_BYTES }).catch(error => {
      this.logger.warn('a question could not be read aloud', { error: messageOf(error) })
      return null
    })
    if (connection === null || connection !== this.asker.connection) return
    // The service would not hear the user meanwhile.
    if (this.asker.isSpoken) return this.#putOff(question)
    if (sound !== null && connection.play(sound) !== null) this.#playing = question
    else this.#haveSaid(question)
  }

  /** @param {ReadQuestion} question */
  #putOff({ key }) {
    this.#unheard.push(key)
    this.asker.onPutOff()
  }

  /** The model says it instead. @param {ReadQuestion} question */
  #haveSaid({ key, text }) {
    this.#asked.push(key)
    this.asker.writeNote(askNote(text))
  }
}
