// Opens one Realtime connection.
import { ServiceConnection, openServiceSocket, serviceUrl } from '../openai-socket.js'

/** @typedef {import('../openai-socket.js').OpenAISettings} OpenAISettings */

/**
 * @typedef {{ type?: string, response_id?: string, item?: Record<string, unknown>,
 *   response?: { id?: string, status?: string, metadata?: { purpose?: unknown } | null },
 *   error?: { code?: string, event_id?: string, message?: string } }} ServiceEvent of a Realtime model
 */

/**
 * @param {object} options
 * @param {OpenAISettings} options.settings
 * @param {object} options.config the `session` of `session.update`
 * @param {number} options.timeoutMs for connecting and setup
 * @param {number} options.pingMs
 * @param {(event: object) => void} options.onMessage must not throw
 * @param {(reason: string) => void} options.onClosed called once, after the connection was open
 * @param {(problem: string) => void} options.onBadFrame
 * @returns {Promise<ServiceConnection>} rejects if setup fails
 */
export function connectRealtime({ settings, config, ...options }) {
  const url = serviceUrl(settings, '/realtime', { model: settings.model })
  const setUp = (/** @type {ServiceEvent} */ event, /** @type {ServiceConnection} */ connection) => {
    if (event.type === 'session.created') connection.send({ type: 'session.update', session: config })
    if (event.type === 'error') throw new Error(event.error?.message ?? 'the session was refused')
    return event.type === 'session.updated'
  }
  return openServiceSocket({ url, settings, Connection: ServiceConnection, setUp, ...options })
}
