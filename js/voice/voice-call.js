'use strict'

// A voice call: a page's WebSocket, a session, and a model. Frames of the page go to the model, and the model's calls to the session.
// Nothing here knows a provider.

const { toResultNote } = require('../answers/result-note.js')
const { checkOptionNames } = require('../gate/option-checks.js')
const { CallConfirmations } = require('./call-confirmations.js')
const { spokenConsentMatcher } = require('./spoken-consent.js')

const OPTIONS = ['socket', 'session', 'model', 'spokenConsent', 'frameOf', 'onError']
const POLL_MS = 1000
/** What a page may leave unread, some minutes of audio. */
const MAX_UNREAD_BYTES = 16 * 1024 * 1024
/** Codes of RFC 6455: the server failed; it asks the page to come again. */
const FAILED = 1011
const TRY_AGAIN = 1013

/**
 * @typedef {import('toolgate').Session} Session
 * @typedef {import('./index.js').VoiceCallOptions} VoiceCallOptions
 * @typedef {import('./index.js').ModelConnection} ModelConnection
 * @typedef {import('./index.js').VoiceEvent} VoiceEvent
 */

/** @type {typeof import('./index.js').serveVoiceCall} */
async function serveVoiceCall(registry, options) {
  checkOptionNames(options, OPTIONS, 'voice call')
  if (typeof options.model !== 'function')
    throw new TypeError('`model` is missing; it must be `geminiLive(…)`, `openaiRealtime(…)` or a function like them')
  const consentOf = spokenConsentMatcher(options.spokenConsent)
  const { socket } = options
  const closed = new AbortController()
  socket.on('close', () => closed.abort())
  socket.on('error', error => report(options, error)) // a `close` follows
  try {
    const loaded = typeof registry === 'function' ? await registry() : registry
    const session = await loaded.createSession({ mode: 'voice', holdResults: 'writes', ...options.session })
    try {
      await new VoiceCall(session, options, consentOf, closed.signal).run()
    } finally {
      await session.detach() // running calls end, and their results wait for the next attachment
    }
  } catch (error) {
    report(options, error)
    socket.close(FAILED)
  }
}

class VoiceCall {
  /** @type {ModelConnection | null} */
  #model = null
  /** Messages of the model that came before its connection was ready. @type {object[]} */
  #early = []
  #session
  #options
  #confirmations
  #closed

  /**
   * @param {Session} session @param {VoiceCallOptions} options
   * @param {ReturnType<typeof spokenConsentMatcher>} consentOf @param {AbortSignal} closed
   */
  constructor(session, options, consentOf, closed) {
    this.#session = session
    this.#options = options
    this.#closed = closed
    this.#confirmations = new CallConfirmations({
      session,
      consentOf,
      show: event => this.#show(event),
      inform: text => this.#model?.sendText(text),
    })
  }

  /** Resolves when the page has gone. */
  async run() {
    const { socket } = this.#options
    socket.on('message', (data, isBinary) => this.#attempt(() => this.#receivePage(data, isBinary)))
    const connection = await this.#connect()
    if (connection === null) return
    this.#model = connection
    const timer = setInterval(() => this.#attempt(() => this.#confirmations.poll()), POLL_MS)
    try {
      for (const message of this.#early.splice(0)) await this.#attempt(() => this.#receiveModel(message))
      this.#show({ type: 'ready' })
      await this.#attempt(() => this.#confirmations.restore())
      this.#attempt(() => this.#deliver())
      await whenAborted(this.#closed)
    } finally {
      clearInterval(timer)
      connection.close()
    }
  }

  /** @returns {Promise<ModelConnection | null>} null if the page has gone first, which the model may never answer */
  async #connect() {
    const { socket, model } = this.#options
    const connecting = Promise.resolve(
      model({
        session: this.#session,
        onMessage: message => this.#attempt(() => this.#receiveModel(message)),
        onLost: () => socket.close(FAILED),
        onError: error => report(this.#options, error),
      }),
    )
    const connection = await Promise.race([connecting, whenAborted(this.#closed)])
    if (connection) return connection
    connecting.then(late => late.close()).catch(error => report(this.#options, error))
    return null
  }

  /** @param {object} message */
  #receiveModel(message) {
    const model = this.#model
    if (model === null) {
      this.#early.push(message)
      return
    }
    const { audio, utterance, said, isInterrupted, isTurnOver } = model.read(message)
    // First what was said before: its turn is the one of the calls that follow.
    if (utterance !== '') this.#hear(utterance)
    for (const id of model.transport.receiveCancellations(message)) this.#session.cancel(id)
    const calls = model.transport.receiveToolCalls(message)
    if (model.transport.problem !== null) report(this.#options, new Error(model.transport.problem))
    for (const call of calls) this.#attempt(() => this.#execute(call))
    for (const bytes of audio) this.#send(bytes)
    if (said !== '') this.#show({ type: 'transcript', from: 'model', text: said })
    if (isInterrupted) {
      this.#show({ type: 'interrupted' })
      this.#session.cancelAll('the user interrupted') // reads stop; a write that has begun ends
    }
    if (isTurnOver) this.#confirmations.asked()
  }

  /** @param {string} text */
  #hear(text) {
    this.#show({ type: 'transcript', from: 'user', text })
    const answer = this.#confirmations.answerIn(text)
    // Budgets are counted per turn.
    this.#attempt(() =>
      answer ? this.#confirmations.answer(answer.token, answer.isConfirmed) : this.#session.beginTurn(),
    )
  }

  /** @param {import('../transports/transport.js').ReadyCall} call */
  async #execute(call) {
    const result = await this.#session.execute(call)
    const request = result.ok ? undefined : result.error.confirmation_request
    if (request) this.#confirmations.open(request, call)
    if (this.#model === null) return
    this.#model.transport.sendToolResult({ id: call.id, name: call.name, result })
    // Of a write: until then the session's next attachment would get it.
    await this.#session.heldResult(call.id)?.accept()
  }

  /** @param {Uint8Array} data @param {boolean} isBinary */
  async #receivePage(data, isBinary) {
    if (isBinary) return this.#model?.sendAudio(data) // audio before `ready` is dropped
    const frame = pageFrame(String(data))
    if (frame === null) return this.#show({ type: 'error', code: 'bad_frame' })
    await this.#confirmations.answer(frame.token, frame.type === 'confirm')
  }

  /** Results of background calls. */
  async #deliver() {
    for await (const result of this.#session.results({ signal: this.#closed })) {
      this.#model?.sendText(toResultNote(result))
      await result.accept()
    }
  }

  /** @param {VoiceEvent} event */
  #show(event) {
    const { frameOf = one => one } = this.#options
    const frame = frameOf(event)
    if (frame !== null) this.#send(JSON.stringify(frame))
  }

  /** @param {string | Uint8Array} data */
  #send(data) {
    const { socket } = this.#options
    if (socket.readyState !== socket.OPEN) return
    if (socket.bufferedAmount > MAX_UNREAD_BYTES) socket.close(TRY_AGAIN)
    else socket.send(data)
  }

  /** What a frame or a call causes ends no other one. @param {() => unknown} act */
  async #attempt(act) {
    try {
      await act()
    } catch (error) {
      report(this.#options, error)
    }
  }
}

/** @param {VoiceCallOptions} options @param {unknown} error */
function report({ onError = console.error }, error) {
  onError(error)
}

/**
 * A frame with another member is none: what the page means by it would not happen.
 * @param {string} text @returns {{ type: 'confirm' | 'deny', token: string } | null}
 */
function pageFrame(text) {
  try {
    const { type, token, ...more } = JSON.parse(text)
    const isKnown = ['confirm', 'deny'].includes(type) && typeof token === 'string'
    return isKnown && Object.keys(more).length === 0 ? { type, token } : null
  } catch {
    return null
  }
}

/** @param {AbortSignal} signal @returns {Promise<void>} */
const whenAborted = signal =>
  new Promise(resolve => {
    if (signal.aborted) resolve()
    else signal.addEventListener('abort', () => resolve(), { once: true })
  })

module.exports = { serveVoiceCall }
