'use strict'

// A model of OpenAI Realtime for a voice call, over a WebSocket that the host opens. The service resumes no conversation: a lost connection
// ends the call, and the page calls again.

const { checkOptionNames } = require('../gate/option-checks.js')
const { DEFAULT_MODELS } = require('../http/models.js')
const { OpenAIRealtimeTransport } = require('../transports/openai-realtime-transport.js')

const OPTIONS = ['session']
const PCM = { type: 'audio/pcm', rate: 24_000 }
const SESSION = {
  type: 'realtime',
  output_modalities: ['audio'],
  audio: {
    input: {
      format: PCM,
      transcription: { model: DEFAULT_MODELS.transcription },
      turn_detection: { type: 'server_vad' },
    },
    output: { format: PCM },
  },
}
/** The transport asks again when the active response is over. */
const HANDLED = ['conversation_already_has_active_response']

/**
 * @typedef {import('./index.js').ModelHost} ModelHost
 * @typedef {import('./index.js').ModelConnection} ModelConnection
 * @typedef {import('./index.js').ModelSocket} ModelSocket
 * @typedef {{ type?: string, delta?: string, transcript?: string, error?: { code?: string, message?: string } }} RealtimeEvent
 */

/** @type {typeof import('./index.js').openaiRealtime} */
function openaiRealtime(connect, options = {}) {
  checkOptionNames(options, OPTIONS, 'OpenAI Realtime')
  return async host => {
    const connection = new RealtimeConnection(connect(), options, host)
    await connection.open()
    return connection
  }
}

/** @param {{ error?: unknown, message?: string }} event */
const errorOf = event => event.error ?? new Error(event.message ?? 'the connection to OpenAI Realtime failed')

/** @implements {ModelConnection} */
class RealtimeConnection {
  #socket
  #options
  #host
  #isOpen = false

  /** @param {ModelSocket} socket @param {import('./index.js').OpenAIRealtimeOptions} options @param {ModelHost} host */
  constructor(socket, options, host) {
    this.#socket = socket
    this.#options = options
    this.#host = host
    this.transport = new OpenAIRealtimeTransport(socket, { meta: 'lean' })
  }

  /** Resolves when the service takes frames. */
  async open() {
    const socket = this.#socket
    socket.addEventListener('message', ({ data }) => this.#receive(String(data)))
    await new Promise((resolve, reject) => {
      socket.addEventListener('open', resolve)
      socket.addEventListener('error', event => (this.#isOpen ? this.#host.onError : reject)(errorOf(event)))
      socket.addEventListener('close', () => {
        if (this.#isOpen) this.#host.onLost()
        reject(new Error('OpenAI Realtime closed the connection at once'))
      })
    })
    this.#isOpen = true
    const tools = this.#host.session.declared('openaiRealtime')
    this.#send({ type: 'session.update', session: { ...SESSION, ...this.#options.session, tools } })
  }

  /** @param {string} text */
  #receive(text) {
    const event = /** @type {RealtimeEvent} */ (JSON.parse(text))
    const { type, error } = event
    if (type === 'error' && !HANDLED.includes(error?.code ?? ''))
      this.#host.onError(new Error(`OpenAI Realtime: ${error?.message ?? error?.code ?? 'error'}`))
    this.#host.onMessage(event)
  }

  /** @param {object} event */
  #send(event) {
    this.#socket.send(JSON.stringify(event))
  }

  /** @param {Uint8Array} bytes */
  sendAudio(bytes) {
    this.#send({ type: 'input_audio_buffer.append', audio: Buffer.from(bytes).toString('base64') })
  }

  /** @param {string} text */
  sendText(text) {
    const content = [{ type: 'input_text', text }]
    this.#send({ type: 'conversation.item.create', item: { type: 'message', role: 'user', content } })
    this.transport.requests.request() // waits while the model makes a response
  }

  /** @param {RealtimeEvent} event */
  read({ type, delta = '', transcript = '' }) {
    const isHeard = type === 'conversation.item.input_audio_transcription.completed'
    return {
      audio: type === 'response.output_audio.delta' ? [Buffer.from(delta, 'base64')] : [],
      utterance: isHeard ? transcript.trim() : '',
      said: type === 'response.output_audio_transcript.done' ? transcript.trim() : '',
      isInterrupted: type === 'input_audio_buffer.speech_started',
      isTurnOver: type === 'response.done',
    }
  }

  close() {
    this.#isOpen = false
    this.#socket.close()
  }
}

module.exports = { openaiRealtime }
