// What all connections of one server share: the registry, the model's settings, the credentials, who is connected.
import { ResumptionShelf } from './resumption-shelf.js'
import { createSessionCredentials } from './session-credentials.js'

export const DEFAULT_LIMITS = {
  /** Largest frame of a client, bytes. */
  maxFrameBytes: 256 * 1024,
  /** Text frames per second, on average; four times as many at once. */
  framesPerSecond: 20,
  /** Audio bytes per second, on average; eight times as many at once. Speech needs 32 000. */
  audioBytesPerSecond: 128 * 1024,
  maxConnections: 1000,
  startTimeoutMs: 10_000,
  connectTimeoutMs: 15_000,
  /** How long a farewell may take. */
  farewellTimeoutMs: 20_000,
  heartbeatMs: 30_000,
  /** Sound that the client's socket is given ahead; the rest waits where an interruption can take it back. */
  audioAheadMs: 1000,
  /** A client that leaves more unread is cut off before it costs memory. */
  maxUnreadBytes: 8 * 1024 * 1024,
  /** Sound of the user that is kept while the provider does not take it. */
  inputBacklogMs: 2000,
  /** How often another place's answer to an open question is looked for. */
  pendingPollMs: 1000,
}

export class VoiceHost {
  shelf = new ResumptionShelf()
  /** @type {Set<import('./voice-connection.js').VoiceConnection>} */
  connections = new Set()
  #bySession = new Map()

  /**
   * @param {object} options
   * @param {import('toolgate').ToolRegistry} options.registry loaded
   * @param {'gemini' | 'openai'} options.provider
   * @param {string} options.model
   * @param {boolean} options.simulator
   * @param {(events: object) => import('./links/provider-link.js').ProviderLink} options.makeLink
   * @param {Record<string, object>} options.services
   * @param {null | ((text: string) => 'yes' | 'no' | null)} options.spokenConsent what is taken for a spoken answer
   * @param {object} options.logger
   * @param {typeof DEFAULT_LIMITS} options.limits
   * @param {string | Buffer} [options.resumeSecret]
   */
  constructor({ resumeSecret, ...shared }) {
    Object.assign(this, shared)
    this.credentials = createSessionCredentials(resumeSecret)
  }

  /** New credentials, or the client's own; null where they do not belong together. */
  credentialsFor({ sessionId, resumeToken }) {
    if (sessionId === undefined && resumeToken === undefined) return this.credentials.issue()
    return this.credentials.check(sessionId ?? '', resumeToken ?? '')
  }

  /** Makes a connection the session's only one. */
  async claim(sessionId, connection) {
    const previous = this.#bySession.get(sessionId)
    this.#bySession.set(sessionId, connection)
    await previous?.supersede()
  }

  owns(sessionId, connection) {
    return this.#bySession.get(sessionId) === connection
  }

  release(connection) {
    this.connections.delete(connection)
    for (const [sessionId, owner] of this.#bySession) if (owner === connection) this.#bySession.delete(sessionId)
  }
}
