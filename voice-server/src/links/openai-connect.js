// Opens one Realtime connection with `ws`. The client of the `openai` package is not used: it supports TLS only, which
// excludes a local simulator or proxy, it throws if no error listener is attached, and it adds only types.
import WebSocket from 'ws'
import { keepAlive } from './keep-alive.js'

const MAX_FRAME_BYTES = 16 * 1024 * 1024
const DEFAULT_BASE_URL = 'https://api.openai.com/v1'

/**
 * @typedef {object} OpenAISettings
 * @property {string} apiKey
 * @property {string | null} [baseUrl] ends with the API version, as in `https://api.openai.com/v1`
 * @property {string} model
 */

/**
 * @typedef {{ type?: string, response_id?: string, item?: Record<string, unknown>,
 *   response?: { id?: string, status?: string, metadata?: { purpose?: unknown } | null },
 *   error?: { code?: string, event_id?: string, message?: string } }} ServiceEvent of a Realtime model
 */

/**
 * @param {object} options
 * @param {OpenAISettings} options.settings
 * @param {object} options.config the `session` of `session.update`
 * @param {(event: object) => void} options.onMessage must not throw
 * @param {(reason: string) => void} options.onClosed called once, after the connection was open
 * @param {(problem: string) => void} options.onBadFrame
 * @param {number} options.timeoutMs for connecting and setup
 * @param {number} options.pingMs
 * @returns {Promise<RealtimeConnection>} rejects if setup fails
 */
export function connectRealtime({ settings, config, onMessage, onClosed, onBadFrame, timeoutMs, pingMs }) {
  const socket = new WebSocket(realtimeUrl(settings), {
    headers: { authorization: `Bearer ${settings.apiKey}` },
    maxPayload: MAX_FRAME_BYTES,
    perMessageDeflate: false,
  })
  const connection = new RealtimeConnection(socket)
  return new Promise((resolve, reject) => {
    let isSetUp = false
    const fail = (/** @type {string} */ reason) => {
      clearTimeout(timer)
      socket.terminate()
      reject(new Error(`the provider could not be reached: ${reason}`))
    }
    const timer = setTimeout(fail, timeoutMs, `not set up within ${timeoutMs} ms`)
    const setUp = (/** @type {ServiceEvent} */ event) => {
      if (event.type === 'session.created') connection.send({ type: 'session.update', session: config })
      if (event.type === 'error') fail(event.error?.message ?? 'the session was refused')
      if (event.type !== 'session.updated') return
      isSetUp = true
      keepAlive(socket, pingMs)
      clearTimeout(timer)
      resolve(connection)
    }
    socket.on('message', data => {
      const event = parseObject(data)
      if (event === null) onBadFrame('a frame that is not a JSON object')
      else if (isSetUp) onMessage(event)
      else setUp(event)
    })
    socket.on('error', error => isSetUp || fail(error.message))
    socket.on('close', (code, reason) => {
      const why = reason.length > 0 ? `closed (${code}): ${reason}` : `closed (${code})`
      if (isSetUp) onClosed(why)
      else fail(why)
    })
  })
}

/**
 * The connection that transport and link send events on. Events for a closed socket are dropped; the link is notified.
 */
export class RealtimeConnection {
  /** @param {WebSocket} socket */
  constructor(socket) {
    this.socket = socket
  }

  get unsentBytes() {
    return this.socket.bufferedAmount
  }

  /** @param {import('../voice-types.js').Frame} event */
  send(event) {
    this.sendText(JSON.stringify(event))
  }

  /** @param {string} text of an event */
  sendText(text) {
    if (this.socket.readyState === WebSocket.OPEN) this.socket.send(text)
  }

  close() {
    this.socket.close()
  }
}

/** @param {OpenAISettings} settings */
function realtimeUrl({ baseUrl, model }) {
  const url = new URL(baseUrl ?? DEFAULT_BASE_URL)
  url.protocol = url.protocol.replace('http', 'ws')
  url.pathname = `${url.pathname.replace(/\/+$/, '')}/realtime`
  url.searchParams.set('model', model)
  return url
}

/** @param {import('ws').RawData} data @returns {ServiceEvent | null} unchecked */
function parseObject(data) {
  try {
    const value = JSON.parse(data.toString())
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? value : null
  } catch {
    return null
  }
}
