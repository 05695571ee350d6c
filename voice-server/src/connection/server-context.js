// The state that all connections of one server share: registry, model settings, credentials, open connections.
import { ResumptionCache } from './resumption-cache.js'
import { createSessionCredentials } from './session-credentials.js'

/** The longest text that a host can have said. */
const MAX_SAID = 2000

/**
 * @typedef {import('./voice-connection.js').VoiceConnection} VoiceConnection
 * @typedef {import('toolgate/http').Identity} Identity
 */

export class ServerContext {
  /** Counters of `/metrics`. */
  counters = { providerSilences: 0, answerRetries: 0, idleEndings: 0, durationEndings: 0 }
  resumptionCache = new ResumptionCache()
  /** @type {Set<VoiceConnection>} */
  connections = new Set()
  /** @type {Map<string, VoiceConnection>} */
  #bySession = new Map()

  /**
   * @param {object} options
   * @param {import('toolgate').ToolRegistry} options.registry loaded
   * @param {import('../providers/providers.js').ProviderName} options.provider
   * @param {string} options.model
   * @param {boolean} options.simulator
   * @param {(events: import('../voice-types.js').ConversationEvents) => import('../voice-types.js').VoiceLink} options.makeLink
   * @param {import('../voice-types.js').Delegate} [options.delegate] works for the model
   * @param {import('../voice-types.js').ReadAloud} [options.readAloud] the host's voice, for questions
   * @param {Record<string, object>} options.services
   * @param {null | ((text: string) => 'yes' | 'no' | null)} options.consentOf classifies a transcript as an answer; null if a spoken yes confirms nothing
   * @param {import('../audio/audible-line.js').Lines} options.lines
   * @param {import('toolgate').ModelMeta} options.meta what the model gets of an answer
   * @param {import('../voice-types.js').Logger} options.logger
   * @param {typeof import('../settings/limits.js').DEFAULT_LIMITS} options.limits
   * @param {string | Buffer} [options.resumeSecret]
   */
  constructor({ resumeSecret, ...shared }) {
    this.registry = shared.registry
    this.provider = shared.provider
    this.model = shared.model
    this.simulator = shared.simulator
    this.makeLink = shared.makeLink
    this.delegate = shared.delegate
    this.readAloud = shared.readAloud
    this.services = shared.services
    this.consentOf = shared.consentOf
    this.lines = shared.lines
    this.logger = shared.logger
    this.limits = shared.limits
    this.meta = shared.meta
    this.credentials = createSessionCredentials(resumeSecret)
  }

  /**
   * Returns new credentials, or the client's own; null if the token does not match the session.
   * @param {{ sessionId?: string, resumeToken?: string }} given
   * @param {Identity | null} identity
   */
  credentialsFor({ sessionId, resumeToken }, identity) {
    const owner = identity?.principal ?? null
    if (sessionId === undefined && resumeToken === undefined) return this.credentials.issue(owner)
    return this.credentials.check(sessionId ?? '', resumeToken ?? '', owner)
  }

  /** What `/healthz` says of this server. */
  healthDetails() {
    const { provider, model, simulator } = this
    return { sessions: this.connections.size, provider, model, simulator }
  }

  get hasRoom() {
    return this.connections.size < this.limits.maxConnections
  }

  /**
   * Makes `connection` the session's only one and supersedes the previous one.
   * @param {string} sessionId
   * @param {VoiceConnection} connection
   */
  async claim(sessionId, connection) {
    const previous = this.#bySession.get(sessionId)
    this.#bySession.set(sessionId, connection)
    await previous?.supersede()
  }

  /** @param {string} sessionId @param {VoiceConnection} connection */
  owns(sessionId, connection) {
    return this.#bySession.get(sessionId) === connection
  }

  /**
   * Has the model of a session's call on this server say a text.
   * @param {string} sessionId
   * @param {string} text
   * @returns {boolean} false if the session has no call here
   * @throws {TypeError} if the text is none
   */
  say(sessionId, text) {
    if (typeof text !== 'string' || text.trim() === '' || text.length > MAX_SAID)
      throw new TypeError(`\`text\` must be a text of 1 to ${MAX_SAID} characters`)
    return this.#bySession.get(sessionId)?.call?.say(text) ?? false
  }

  /** @param {VoiceConnection} connection */
  release(connection) {
    this.connections.delete(connection)
    for (const [sessionId, owner] of this.#bySession) if (owner === connection) this.#bySession.delete(sessionId)
  }
}
