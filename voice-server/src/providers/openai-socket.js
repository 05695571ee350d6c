// The WebSocket of a service of OpenAI, with `ws`. The client of the `openai` package is not used: it supports TLS only, which
// excludes a local simulator or proxy, it throws if no error listener is attached, and it adds only types.
import WebSocket from 'ws'
import { keepAlive } from './keep-alive.js'
import { parseObject } from './parse-object.js'

const MAX_FRAME_BYTES = 16 * 1024 * 1024
const DEFAULT_BASE_URL = 'https://api.openai.com/v1'

/**
 * @typedef {object} OpenAISettings
 * @property {string} [apiKey]
 * @property {string | null} [baseUrl] ends with the API version, as in `https://api.openai.com/v1`
 * @property {string} [url] the whole address of the socket, in place of `baseUrl`
 * @property {Record<string, string>} [headers] take the place of the server's of the same name
 * @property {string} model
 */

/**
 * The connection that transport and link send events on. Events for a closed socket are dropped; the link is notified.
 */
export class ServiceConnection {
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

/**
 * @template {ServiceConnection} Connection
 * @param {object} options
 * @param {URL} options.url
 * @param {OpenAISettings} options.settings
 * @param {new (socket: WebSocket) => Connection} options.Connection
 * @param {(connection: Connection) => void} [options.onOpen]
 * @param {(event: any, connection: Connection) => boolean} options.setUp reads an event of the setup, and returns whether it
 *   was the last; what it throws is the reason of a failure
 * @param {(event: object) => void} options.onMessage must not throw
 * @param {(reason: string) => void} options.onClosed called once, after the connection was open
 * @param {(problem: string) => void} options.onBadFrame
 * @param {number} options.timeoutMs for connecting and setup
 * @param {number} options.pingMs
 * @returns {Promise<Connection>} rejects if setup fails
 */
export function openServiceSocket({ url, settings, Connection, onOpen, setUp, timeoutMs, pingMs, ...events }) {
  const socket = new WebSocket(url, {
    headers: headersOf(settings),
    maxPayload: MAX_FRAME_BYTES,
    perMessageDeflate: false,
  })
  const connection = new Connection(socket)
  return new Promise((resolve, reject) => {
    let isSetUp = false
    const fail = (/** @type {string} */ reason) => {
      clearTimeout(timer)
      socket.terminate()
      reject(new Error(`the provider could not be reached: ${reason}`))
    }
    const timer = setTimeout(fail, timeoutMs, `not set up within ${timeoutMs} ms`)
    const receiveSetUp = (/** @type {object} */ event) => {
      try {
        isSetUp = setUp(event, connection)
      } catch (error) {
        return fail(/** @type {Error} */ (error).message)
      }
      if (!isSetUp) return
      keepAlive(socket, pingMs)
      clearTimeout(timer)
      resolve(connection)
    }
    socket.on('open', () => onOpen?.(connection))
    socket.on('message', data => {
      const event = parseObject(data)
      if (event === null) events.onBadFrame('a frame that is not a JSON object')
      else if (isSetUp) events.onMessage(event)
      else receiveSetUp(event)
    })
    socket.on('error', error => isSetUp || fail(error.message))
    socket.on('close', (code, reason) => {
      const why = reason.length > 0 ? `closed (${code}): ${reason}` : `closed (${code})`
      if (isSetUp) events.onClosed(why)
      else fail(why)
    })
  })
}

/**
 * @param {Pick<OpenAISettings, 'baseUrl' | 'url'>} settings
 * @param {string} path below the API version
 * @param {Record<string, string>} [query]
 */
export function serviceUrl({ baseUrl, url: whole }, path, query = {}) {
  const url = new URL(whole ?? baseUrl ?? DEFAULT_BASE_URL)
  url.protocol = url.protocol.replace('http', 'ws')
  if (whole !== undefined) return url
  url.pathname = `${url.pathname.replace(/\/+$/, '')}${path}`
  for (const [name, value] of Object.entries(query)) url.searchParams.set(name, value)
  return url
}

/** Names in lower case: HTTP takes names that differ by case for the same. @param {OpenAISettings} settings */
function headersOf({ apiKey, headers = {} }) {
  const own = Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value])
  return { ...(apiKey ? { authorization: `Bearer ${apiKey}` } : {}), ...Object.fromEntries(own) }
}
