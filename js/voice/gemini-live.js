'use strict'

// A model of Gemini Live for a voice call, over `@google/genai`. The service announces the end of a connection, or the connection
// breaks: then the conversation is resumed on a new one.

const { checkOptionNames } = require('../gate/option-checks.js')
const { GeminiLiveTransport } = require('../transports/gemini-live-transport.js')
const { withBehavior } = require('../transports/live-capabilities.js')

const OPTIONS = ['model', 'config']
const AUDIO = 'audio/pcm;rate=16000'

/**
 * @typedef {import('./index.js').ModelHost} ModelHost
 * @typedef {import('./index.js').ModelConnection} ModelConnection
 * @typedef {import('./index.js').GeminiLiveOptions} GeminiLiveOptions
 * @typedef {import('./index.js').GeminiClient} GeminiClient
 * @typedef {Awaited<ReturnType<GeminiClient['live']['connect']>>} LiveSession
 * @typedef {{ serverContent?: any, toolCall?: object, setupComplete?: object, goAway?: object,
 *   sessionResumptionUpdate?: { newHandle?: string } }} LiveMessage of the service
 */

/** @type {typeof import('./index.js').geminiLive} */
function geminiLive(ai, options) {
  checkOptionNames(options, OPTIONS, 'Gemini Live')
  if (typeof options.model !== 'string') throw new TypeError('`model` is missing; it must be the name of a Live model')
  return async host => {
    const connection = new GeminiConnection(ai, options, host)
    await connection.open()
    return connection
  }
}

/** @implements {ModelConnection} */
class GeminiConnection {
  #ai
  #options
  #host
  /** @type {LiveSession | null} null while none is usable */
  #live = null
  /** @type {string | undefined} */
  #handle
  #isClosed = false
  /** Texts of the time between two connections. @type {string[]} */
  #waiting = []
  #heard = ''
  #said = ''

  /** @param {GeminiClient} ai @param {GeminiLiveOptions} options @param {ModelHost} host */
  constructor(ai, options, host) {
    this.#ai = ai
    this.#options = options
    this.#host = host
    this.transport = new GeminiLiveTransport(null, { meta: 'lean', model: options.model })
  }

  async open() {
    this.#live = await this.#connect()
    this.transport.attach(this.#live)
  }

  async #connect() {
    let isOver = false
    let isUsed = false
    /** Once for each connection. */
    const renew = async () => {
      if (isOver || this.#isClosed) return
      isOver = true
      if (!isUsed) throw new Error('Gemini Live closed the connection before it sent anything')
      await this.#renew()
    }
    /** @param {unknown} error */
    const lost = error => {
      this.#host.onError(error)
      this.#host.onLost()
    }
    return this.#ai.live.connect({
      model: this.#options.model,
      config: this.#config(),
      callbacks: {
        onmessage: (/** @type {LiveMessage} */ message) => {
          isUsed ||= message.setupComplete === undefined
          this.#handle = message.sessionResumptionUpdate?.newHandle ?? this.#handle
          if (!isOver) this.#host.onMessage(message)
          if (message.goAway) renew().catch(lost)
        },
        onclose: () => void renew().catch(lost),
        onerror: (/** @type {unknown} */ error) => this.#host.onError(error),
      },
    })
  }

  #config() {
    return {
      responseModalities: ['AUDIO'],
      inputAudioTranscription: {},
      outputAudioTranscription: {},
      ...this.#options.config,
      sessionResumption: { handle: this.#handle },
      tools: [{ functionDeclarations: this.#declarations() }],
    }
  }

  /** The tools of the session, with whether the model waits for each. */
  #declarations() {
    const { session } = this.#host
    const isBackground = (/** @type {string} */ name) =>
      session.registry.getToolMetadata(name)?.background !== undefined
    return withBehavior(session.declared('geminiNative'), { model: this.#options.model, isBackground })
  }

  async #renew() {
    this.transport.detach() // answers wait
    const old = this.#live
    this.#live = null
    this.#live = await this.#connect()
    this.transport.resume(this.#live) // and are sent as text: the service does not know the calls any more
    old?.close()
    if (this.#isClosed) this.#live.close()
    for (const text of this.#waiting.splice(0)) this.sendText(text)
  }

  /** @param {Uint8Array} bytes */
  sendAudio(bytes) {
    this.#live?.sendRealtimeInput({ audio: { data: Buffer.from(bytes).toString('base64'), mimeType: AUDIO } })
  }

  /** @param {string} text */
  sendText(text) {
    if (this.#live === null) this.#waiting.push(text)
    else if (this.transport.capabilities.text === 'realtimeInput') this.#live.sendRealtimeInput({ text })
    else this.#live.sendClientContent({ turns: [{ role: 'user', parts: [{ text }] }], turnComplete: true })
  }

  /** @param {LiveMessage} message */
  read({ serverContent, toolCall }) {
    const { modelTurn, inputTranscription, outputTranscription, interrupted, turnComplete } = serverContent ?? {}
    this.#heard += inputTranscription?.text ?? ''
    this.#said += outputTranscription?.text ?? ''
    // The user's words are complete when the model begins, the model's when its turn ends.
    const isOver = interrupted === true || turnComplete === true
    const utterance = modelTurn || toolCall ? this.#heard.trim() : ''
    const said = isOver ? this.#said.trim() : ''
    if (utterance !== '') this.#heard = ''
    if (isOver) this.#said = ''
    const parts = /** @type {{ inlineData?: { data?: string } }[]} */ (modelTurn?.parts ?? [])
    const audio = parts.flatMap(({ inlineData }) => (inlineData?.data ? [Buffer.from(inlineData.data, 'base64')] : []))
    return { audio, utterance, said, isInterrupted: interrupted === true, isTurnOver: turnComplete === true }
  }

  close() {
    this.#isClosed = true
    this.#live?.close()
  }
}

module.exports = { geminiLive }
