// Opens one Live connection through `@google/genai`, and works around three of its defects: a connection that fails
// before setup leaves `connect` pending for ever, a frame that is not JSON becomes an unhandled rejection (which ends
// the process), and a socket that is still connecting cannot be closed.
import { GoogleGenAI } from '@google/genai'

/**
 * @typedef {object} GeminiSettings
 * @property {string} [apiKey] of the Developer API, or of Vertex AI in express mode
 * @property {'developer' | 'vertex'} [surface]
 * @property {string} [project] of Vertex AI
 * @property {string} [location] of Vertex AI
 * @property {object} [googleAuthOptions] of Vertex AI: where the SDK finds credentials; default: the machine's own
 * @property {string | null} [baseUrl] of a simulator or a proxy
 * @property {string} model
 */

/**
 * @typedef {{ session: import('@google/genai').Session, unsentBytes(): number }} GeminiConnection
 * @typedef {{ onmessage: (event: { data: unknown }) => void }} SocketCallbacks
 * @typedef {{ close(): void, ws?: { bufferedAmount?: number } }} LiveSocket
 * @typedef {{ create(url: string, headers: object, callbacks: SocketCallbacks): LiveSocket }} SocketFactory
 */

/**
 * Returns the options of the SDK's client.
 *
 * @param {GeminiSettings} settings
 * @returns {import('@google/genai').GoogleGenAIOptions}
 */
export function clientOptions({ apiKey, surface, project, location, googleAuthOptions, baseUrl }) {
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
 * @returns {Promise<GeminiConnection>} rejects if setup fails
 */
export function connectLive({ settings, config, onMessage, onClosed, onBadFrame, timeoutMs }) {
  const ai = new GoogleGenAI(clientOptions(settings))
  const socket = watchSocket(ai, onBadFrame)
  return new Promise((resolve, reject) => {
    let opened = false
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
        clearTimeout(timer)
        resolve({ session, unsentBytes: socket.unsentBytes })
      },
      error => fail(error.message),
    )
  })
}

/**
 * Wraps the SDK's socket factory. If an SDK release has no such factory, nothing is wrapped and its defects remain.
 * @param {GoogleGenAI} ai
 * @param {(problem: string) => void} onBadFrame
 */
function watchSocket(ai, onBadFrame) {
  const live = /** @type {{ webSocketFactory?: SocketFactory }} */ (/** @type {unknown} */ (ai.live))
  const factory = live.webSocketFactory
  /** @type {LiveSocket | null} */
  let socket = null
  if (typeof factory?.create === 'function') {
    live.webSocketFactory = {
      create(url, headers, callbacks) {
        const onmessage = (/** @type {{ data: unknown }} */ event) =>
          isJsonObject(event.data) ? callbacks.onmessage(event) : onBadFrame('a frame that is not a JSON object')
        socket = factory.create(url, headers, { ...callbacks, onmessage })
        return socket
      },
    }
  }
  return {
    /** 0 if the SDK's socket is not accessible. */
    unsentBytes: () => socket?.ws?.bufferedAmount ?? 0,
    close() {
      try {
        socket?.close()
      } catch {
        // never connected
      }
    },
  }
}

/** @param {unknown} data */
function isJsonObject(data) {
  try {
    const value = JSON.parse(/** @type {string} */ (data))
    return typeof value === 'object' && value !== null && !Array.isArray(value)
  } catch {
    return false
  }
}

/** @param {{ code?: number, reason?: string }} [event] */
function describeClose({ code, reason } = {}) {
  return reason ? `closed (${code}): ${reason}` : `closed (${code ?? 'no code'})`
}
