'use strict'
// Gemini Live: converts server messages to calls, and answers to `toolResponse`. Reads messages of `@google/genai`, the
// same JSON from another source, and raw frames.
const { argumentsText } = require('./shared/frame-reading.js')
const { geminiCapabilities } = require('./live-capabilities.js')
const { GeminiLiveReader } = require('./gemini/gemini-live-reader.js')
const { MessageTransport } = require('./message-transport.js')
const { modelMeta, refuseOptions, toModelResponse } = require('./shared/model-response.js')
const { receivedCall } = require('../values/received-args.js')

/** Answers that wait for the session: more calls than a model makes before it is there. */
const MAX_WAITING = 1000

/** How a call without an id is answered that the host read itself. */
const UNNAMED = { wireId: null, isEarlier: false }

/**
 * @typedef {import('./gemini-live-transport.js').GeminiAnswer} GeminiAnswer
 * @typedef {import('./gemini-live-transport.js').LiveSession} LiveSession
 * @typedef {import('./gemini/gemini-live-reader.js').GivenCall} GivenCall
 * @typedef {{ answer: GeminiAnswer, response: import('../../index.js').ToolResponse | import('../../index.js').LeanResponse }} MadeAnswer
 */
class GeminiLiveTransport extends MessageTransport {
  #reader = new GeminiLiveReader()
  /** @type {LiveSession | null} */
  #session = null
  /** Answers of the time before the session: a call that is cancelled until then is not answered. @type {MadeAnswer[]} */
  #waiting = []
  #capabilities
  #meta

  /**
   * @param {LiveSession | null} [geminiSession] without it, answers wait for `attach`
   * @param {{ surface?: 'developer' | 'vertex', model?: string, meta?: import('../../index.js').ModelMeta }} [options]
   *   `surface` and `model` decide which members an answer may have; `meta`: whether answers are sent `full` (default) or
   *   `lean`
   */
  constructor(geminiSession, options) {
    super()
    refuseOptions(geminiSession, 'new GeminiLiveTransport(null, { meta, surface, model })')
    if (geminiSession !== null && geminiSession !== undefined) this.#session = geminiSession
    this.#capabilities = geminiCapabilities(options)
    this.#meta = modelMeta(options)
  }

  /**
   * Gives the transport its session, and sends the answers that waited for it.
   * @param {LiveSession} geminiSession
   */
  attach(geminiSession) {
    if (typeof geminiSession?.sendToolResponse !== 'function')
      throw new TypeError('`attach` needs a Live session, with the function `sendToolResponse`')
    if (this.#session !== null)
      throw new Error(
        'the transport has its session; `resume` takes the one that continues it, any other needs a transport of its own',
      )
    this.#session = geminiSession
    this.#send(geminiSession, this.#waiting.splice(0))
  }

  /** The connection was lost: answers wait for the session that `resume` gives. */
  detach() {
    this.#session = null
  }

  /**
   * Gives the transport the session that resumes its own, after the connection was lost or renewed. The service does not know the calls
   * of the earlier connection, and most services do not make them again: their answers are sent as text. A call that is made
   * again, under the same id or another, is given under the id of the first one, so that the gate joins it or answers from its
   * record. Sends the answers that waited.
   * @param {LiveSession} geminiSession
   */
  resume(geminiSession) {
    const sends = this.#capabilities.text === 'realtimeInput' ? 'sendRealtimeInput' : 'sendClientContent'
    if (typeof geminiSession?.sendToolResponse !== 'function' || typeof geminiSession[sends] !== 'function')
      throw new TypeError(`\`resume\` needs a Live session, with the functions \`sendToolResponse\` and \`${sends}\``)
    this.#session = geminiSession
    this.#reader.resume()
    this.#send(geminiSession, this.#waiting.splice(0))
  }

  /** The capabilities of this surface and model. */
  get capabilities() {
    return this.#capabilities
  }

  /** Whether a call without an id waits for its `toolCall`. If the model sends none, the call waits until `releaseHeldCalls`. */
  get holdsCalls() {
    return this.#reader.holds
  }

  /** Releases the waiting calls, for a host whose wait timed out. Their later `toolCall` is ignored. */
  releaseHeldCalls() {
    return this.#reader.release().map(readyCall)
  }

  /** @param {import('./shared/event-object.js').Message} message @param {import('./message-transport.js').ReadResult} result */
  readMessage(message, result) {
    const { given, cancelled, problems } = this.#reader.read(message)
    result.calls.push(...given.map(readyCall))
    result.cancelled.push(...cancelled)
    result.problems.push(...problems)
  }

  /**
   * @param {GeminiAnswer} answer
   * @returns {object[]} see `sendToolResults`
   */
  sendToolResult(answer) {
    return this.sendToolResults([answer])
  }

  /**
   * @param {GeminiAnswer[]} answers
   * @returns {object[]} what was sent: the `functionResponses`, and `{ text }` for a call of an earlier connection. None for a call that
   *   was cancelled or is answered, which `problem` says; none if the answers wait for `attach`
   */
  sendToolResults(answers) {
    const made = answers.map(answer => ({ answer, response: toModelResponse(answer.result, this.#meta) }))
    if (this.#session !== null) return this.#send(this.#session, made)
    if (this.#waiting.length + made.length > MAX_WAITING)
      throw new Error(`${MAX_WAITING} answers wait for the session: call \`attach\` with it`)
    this.#waiting.push(...made)
    return []
  }

  /** @param {LiveSession} session @param {MadeAnswer[]} made */
  #send(session, made) {
    /** @type {object[]} */
    const functionResponses = []
    /** @type {{ text: string }[]} */
    const texts = []
    for (const { answer, response } of made) {
      const { id } = answer
      const isNamed = typeof id === 'string' && id !== ''
      const route = isNamed ? this.#reader.takeAnswer(id, this.#continues(answer)) : UNNAMED
      if (typeof route === 'string') this.refuse(answer, route)
      else if (route.isEarlier) texts.push({ text: resultText(answer.name, response) })
      else functionResponses.push(this.#functionResponse(route.wireId, answer, response))
    }
    if (functionResponses.length > 0) session.sendToolResponse({ functionResponses })
    if (texts.length > 0) this.#sendTexts(session, texts)
    return [...functionResponses, ...texts]
  }

  /** Whether the service awaits an answer to this call: also one to a call whose answer had `willContinue`. @param {string} id */
  awaits(id) {
    return this.#session !== null && this.#reader.awaits(id)
  }

  /** @param {GeminiAnswer} answer */
  #continues({ willContinue }) {
    return willContinue === true && this.#capabilities.willContinue
  }

  /** @param {LiveSession} session @param {{ text: string }[]} parts */
  #sendTexts(session, parts) {
    if (this.#capabilities.text === 'realtimeInput') {
      session.sendRealtimeInput?.({ text: parts.map(({ text }) => text).join('\n') })
    } else session.sendClientContent?.({ turns: [{ role: 'user', parts }], turnComplete: true })
  }

  /** @param {string | null} id @param {GeminiAnswer} answer @param {MadeAnswer['response']} response */
  #functionResponse(id, answer, response) {
    const { name, scheduling } = answer
    const when = {
      ...(scheduling !== undefined && this.#capabilities.scheduling ? { scheduling } : {}),
      ...(this.#continues(answer) ? { willContinue: true } : {}),
    }
    if (id !== null) return { id, name, response, ...when }
    // `@google/genai` refuses an answer of the Developer API without the member; its JSON leaves `undefined` out.
    return this.#capabilities.id === 'optional'
      ? { name, response, ...when }
      : { id: undefined, name, response, ...when }
  }
}

/**
 * The object of an SDK as it is, for the gate to write once; anything else as text.
 * @param {GivenCall} call
 */
function readyCall({ known: { id, name }, args }) {
  const isObject = typeof args === 'object' && args !== null && !Array.isArray(args)
  return isObject
    ? { id, name, args: /** @type {Record<string, unknown>} */ (args) }
    : receivedCall(id, name, argumentsText(args))
}

/** The result of a call that the connection knows nothing of. @param {string} name @param {object} response */
const resultText = (name, response) =>
  `The result of the tool call \`${name}\`, which was running when the connection was renewed: ${JSON.stringify(response)}`

module.exports = { GeminiLiveTransport }
