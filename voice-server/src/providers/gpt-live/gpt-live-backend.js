// The Responses backend of a GPT-Live conversation: asks it for a response once it has the outputs of its calls, and none is under
// way.
import { randomUUID } from 'node:crypto'

export class GptLiveBackend {
  /** Calls without an output. @type {Set<string | null>} */
  #calls = new Set()
  /** A response is to be asked for. */
  #isDue = false
  /** Keys of texts for which it has given no call and had no words said. @type {string[]} */
  #texts = []

  /** @param {{ isAtWork: () => boolean, send: (event: import('../../voice-types.js').Frame) => void }} service */
  constructor(service) {
    this.service = service
  }

  /** The connection is another one. */
  reset() {
    this.#calls.clear()
    this.#texts = []
    this.#isDue = false
  }

  /** @param {string} text of the user @returns {string[]} receipts */
  write(text) {
    const content = [{ type: 'input_text', text }]
    this.service.send({ type: 'response.item.create', item: { type: 'message', role: 'user', content } })
    this.requestResponse()
    const key = randomUUID()
    this.#texts.push(key)
    return [key]
  }

  /** The texts reached the user or a tool. @returns {string[]} their keys */
  takeTexts() {
    return this.#texts.splice(0)
  }

  /** @param {import('../../voice-types.js').ReadyCall[]} calls */
  called(calls) {
    for (const { id } of calls) this.#calls.add(id)
  }

  /** @param {string | null} id of a call */
  awaits(id) {
    return this.#calls.has(id)
  }

  /** @param {import('../../voice-types.js').Answer[]} answers @param {{ type: string }[]} sent for them */
  answered(answers, sent) {
    for (const { id } of answers) this.#calls.delete(id)
    if (sent.some(({ type }) => type === 'response.create')) this.#isDue = false
  }

  requestResponse() {
    this.#isDue = true
    this.goOn()
  }

  /** Something has ended that a request waits for. */
  goOn() {
    if (!this.#isDue || this.#calls.size > 0 || this.service.isAtWork()) return
    this.#isDue = false
    this.service.send({ type: 'response.create' })
  }
}
