// Opens one Live connection through `@google/genai`, and works around three of its defects: a connection that fails
// before setup leaves `connect` pending for ever, a frame that is not JSON becomes an unhandled rejection (which ends
// the process), and a socket that is still connecting cannot be closed.
import { GoogleGenAI } from '@google/genai'
import { keepAlive } from '../keep-alive.js'
import { parseObject } from '../parse-object.js'

/**
 * @typedef {object} GeminiSettings
 * @property {string} [apiKey] of the Developer API, or of Vertex AI in express mode
 * @property {'developer' | 'vertex'} [surface]
 * @property {string} [project] of Vertex AI
 * @property {string} [location] of Vertex AI
 * @property {object} [googleAuthOptions] of Vertex AI: where the SDK finds credentials; default: the machine's own
 * @property {string | null} [baseUrl] of a simulator or a proxy
 * @property {string} [url] the whole address of the socket, in place of the SDK's, which has the key in it
 * @property {Record<string, string>} [headers] take the place of the SDK's of the same name
 * @property {string} model
 */

/**
 * @typedef {{ session: import('@google/genai').Session, unsentBytes(): number }} GeminiConnection
 * @typedef {{ onmessage: (event: { data: unknown }) => void }} SocketCallbacks
 * @typedef {{ close(): void, ws?: Partial<import('ws').WebSocket> }} LiveSocket
 * @typedef {{ create(url: string, headers: object, callbacks: SocketCallbacks): LiveSocket }} SocketFactory
 */

/**
 * Returns the options of the SDK's client.
 *
 * @param {GeminiSettings} settings
 * @returns {import('@google/genai').GoogleGenAIOptions}
 */
export function clientOptions({ apiKey: key, url, surface, project, location, googleAuthOptions, baseUrl }) {
  // The SDK starts with none at all; an address of the host's has its own.
  const apiKey = key ?? (url !== undefined && surface !== 'vertex' ? 'none' : undefined)
  const at = baseUrl ? { httpOptions: { baseUrl } } : {}
  if (surface !== 'vertex') return { apiKey, ...at }
  // The SDK accepts no key together with a project.
  const account = project ? { project, location, ...(googleAuthOptions ? { googleAuthOptions } : {}) } : { apiKey }
  return { vertexai: true, ...account, ...at }
}

/**
 * @param {object} options
 * @param {GeminiSettings} options.settings
 * @param {import('@google/genai').LiveConnectConfig} options.config
 * @param {(message: object) => void} options.onMessage must not throw
 * @param {(reason: string) => void} options.onClosed called once, after the connection was open
 * @param {(problem: string) => void} options.onBadFrame
 * @param {number} options.timeoutMs for connecting and setup
 * @param {number} options.pingMs
 * @returns {Promise<GeminiConnection>} rejects if setup fails
 */
export function connectLive({ settings, config, onMessage, onClosed, onBadFrame, timeoutMs, pingMs }) {
  const ai = new GoogleGenAI(clientOptions(settings))
  let opened = false
  const socket = watchSocket(ai, settings, { onBadFrame, onMessage, isOpen: () => opened })
  return new Promise((resolve, reject) => {
    const fail = (/** @type {string} */ reason) => {
      clearTimeout(timer)
      if (!opened) socket.close()
      reject(new Error(`the provider could not be reached: ${reason}`))
    }
    const timer = setTimeout(fail, timeoutMs, `not set up within ${timeoutMs} ms`)
    const callbacks = {
      onmessage: onMessage,
      onerror: (/** @type {{ message?: string } | undefined} */ event) => fail(event?.message ?? 'connection error'),
      onclose: (/** @type {CloseEvent | undefined} */ event) =>
        opened ? onClosed(describeClose(event)) : fail(describeClose(event)),
    }
    ai.live.connect({ model: settings.model, config, callbacks }).then(
      session => {
        opened = true
        socket.keepAlive(pingMs)
        clearTimeout(timer)
        resolve({ session, unsentBytes: socket.unsentBytes })
      },
      error => fail(error.message),
    )
  })
}

/**
 * Wraps the SDK's socket factory. Each frame is parsed once: the SDK reads the frames of the setup, later messages are
 * delivered directly. Their members that the link reads have the same names on both surfaces. If an SDK release has no
 * such factory, nothing is wrapped and its defects remain.
 *
 * @param {GoogleGenAI} ai
 * @param {GeminiSettings} settings
 * @param {{ onBadFrame: (problem: string) => void, onMessage: (message: object) => void, isOpen: () => boolean }} events
 */
function watchSocket(ai, { url: own, headers: more = {} }, { onBadFrame, onMessage, isOpen }) {
  const live = /** @type {{ webSocketFactory?: SocketFactory }} */ (/** @type {unknown} */ (ai.live))
  const factory = live.webSocketFactory
  /** @type {LiveSocket | null} */
  let socket = null
  if (typeof factory?.create === 'function') {
    live.webSocketFactory = {
      create(url, headers, callbacks) {
        const onmessage = (/** @type {{ data: unknown }} */ event) => {
          const message = parseObject(event.data)
          if (message === null) onBadFrame('a frame that is not a JSON object')
          else if (isOpen()) onMessage(message)
          else callbacks.onmessage(event)
        }
        socket = factory.create(own?.replace(/^http/, 'ws') ?? url, withHeaders(headers, more), {
          ...callbacks,
          onmessage,
        })
        return socket
      },
    }
  }
  return {
    /** 0 if the SDK's socket is not accessible. */
    unsentBytes: () => socket?.ws?.bufferedAmount ?? 0,
    /** @param {number} intervalMs */
    keepAlive(intervalMs) {
      const ws = socket?.ws
      if (typeof ws?.ping === 'function') keepAlive(/** @type {import('ws').WebSocket} */ (ws), intervalMs)
    },
    close() {
      try {
        socket?.close()
      } catch {
        // never connected
      }
    },
  }
}

/** The SDK's names are in lower case. @param {object} headers @param {Record<string, string>} more */
function withHeaders(headers, more) {
  return { ...headers, ...Object.fromEntries(Object.entries(more).map(([name, value]) => [name.toLowerCase(), value])) }
}

/** @param {{ code?: number, reason?: string }} [event] */
function describeClose({ code, reason } = {}) {
  return reason ? `closed (${code}): ${reason}` : `closed (${code ?? 'no code'})`
}
