// Opens one Live connection through `@google/genai`, and closes three gaps of it: a connection that fails before it is
// set up leaves `connect` waiting for ever, a frame that is not JSON becomes an unhandled rejection (which ends the
// process), and a socket that is still connecting cannot be closed.
import { GoogleGenAI } from '@google/genai'

/**
 * @typedef {object} GeminiSettings
 * @property {string} [apiKey] of the Developer API, or of Vertex AI in express mode
 * @property {'developer' | 'vertex'} [surface]
 * @property {string} [project] of Vertex AI
 * @property {string} [location] of Vertex AI
 * @property {object} [googleAuthOptions] of Vertex AI: how the SDK finds its credentials; the machine's own without
 * @property {string | null} [baseUrl] a simulator, a proxy
 * @property {string} model
 */

/**
 * What the SDK's client is made with.
 *
 * @param {GeminiSettings} settings
 * @returns {import('@google/genai').GoogleGenAIOptions}
 */
export function clientOptions({ apiKey, surface, project, location, googleAuthOptions, baseUrl }) {
  const at = baseUrl ? { httpOptions: { baseUrl } } : {}
  if (surface !== 'vertex') return { apiKey, ...at }
  // With a project the SDK takes no key.
  const account = project ? { project, location, ...(googleAuthOptions ? { googleAuthOptions } : {}) } : { apiKey }
  return { vertexai: true, ...account, ...at }
}

/**
 * @param {object} options
 * @param {GeminiSettings} options.settings
 * @param {object} options.config the SDK's LiveConnectConfig
 * @param {(message: object) => void} options.onMessage must not throw
 * @param {(reason: string) => void} options.onClosed once, after the connection was open
 * @param {(problem: string) => void} options.onBadFrame
 * @param {number} options.timeoutMs for connecting and setup
 * @returns {Promise<{ session: import('@google/genai').Session, unsentBytes(): number }>} rejects where it was not set up
 */
export function connectLive({ settings, config, onMessage, onClosed, onBadFrame, timeoutMs }) {
  const ai = new GoogleGenAI(clientOptions(settings))
  const socket = watchSocket(ai, onBadFrame)
  return new Promise((resolve, reject) => {
    let opened = false
    const fail = reason => {
      clearTimeout(timer)
      if (!opened) socket.close()
      reject(new Error(`the provider could not be reached: ${reason}`))
    }
    const timer = setTimeout(fail, timeoutMs, `not set up within ${timeoutMs} ms`)
    const callbacks = {
      onmessage: onMessage,
      onerror: event => fail(event?.message ?? 'connection error'),
      onclose: event => (opened ? onClosed(describeClose(event)) : fail(describeClose(event))),
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

/** Puts itself between the SDK and its socket. Where a release names things differently, its gaps stay as they are. */
function watchSocket(ai, onBadFrame) {
  const factory = ai.live.webSocketFactory
  let socket = null
  if (typeof factory?.create === 'function') {
    ai.live.webSocketFactory = {
      create(url, headers, callbacks) {
        const onmessage = event =>
          isJsonObject(event.data) ? callbacks.onmessage(event) : onBadFrame('a frame that is no JSON object')
        socket = factory.create(url, headers, { ...callbacks, onmessage })
        return socket
      },
    }
  }
  return {
    /** Where the SDK keeps its socket elsewhere, nothing is known to wait. */
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

function isJsonObject(data) {
  try {
    const value = JSON.parse(data)
    return typeof value === 'object' && value !== null && !Array.isArray(value)
  } catch {
    return false
  }
}

function describeClose({ code, reason } = {}) {
  return reason ? `closed (${code}): ${reason}` : `closed (${code ?? 'no code'})`
}
