'use strict'

// One source: its connections, and which of its tools are unlike the lock. Each session has a connection of its own, so that
// what a server remembers of one user is not another's; with tokens each principal, and a shared source one for all.

const { ToolError } = require('../answers/errors.js')
const { isSameDrift, mergedDrift } = require('./drift.js')
const { Link } = require('./link.js')
const { unauthorized, unreachable } = require('./source-error.js')

/** @typedef {import('./types.js').SourceConfig} SourceConfig */
/** @typedef {import('./types.js').SourceCallOptions} CallOptions */
/** @typedef {import('./types.js').ForwardOptions} ForwardOptions */
/** @typedef {import('../shared-types.js').JsonObject} JsonObject */
/**
 * @typedef {object} SourceOptions
 * @property {import('./types.js').LockedSource} locked
 * @property {(source: Source) => void} [onChange] is called when `unavailable` has changed
 * @property {(news: import('./types.js').SourceNews) => void} [onNews]
 * @property {(sessionId: string) => Promise<JsonObject | undefined>} [rootsOf] the folders of a session's MCP client
 * @property {import('./types.js').SourceLog} [log]
 * @property {import('./types.js').TokenProvider} [tokens] bearer tokens for a source with a URL
 * @property {import('./types.js').Variables} [env] whose variables the configuration names. Default: the process's
 * @property {number} [relistMs] between two lists of an open connection. Default: five minutes
 */

/** The keys of connections that are no session's. */
const SHARED = 'shared'
const WATCH = 'watch'
const SESSION = 'session '
const RELIST_MS = 5 * 60_000
const MAX_TICK_MS = 60_000
/** When a source with too many connections is worth another try. */
const FULL_RETRY_MS = 1000

class Source {
  #options
  /** @type {Map<string, Link>} */
  #links = new Map()
  /** Links of ended sessions whose calls have not ended. @type {Set<Link>} */
  #ending = new Set()
  /** @type {import('./drift.js').Drift} */
  #unavailable = new Map()
  /** @type {NodeJS.Timeout | undefined} */
  #timer
  #isClosed = false

  /** @param {string} name @param {SourceConfig} config @param {SourceOptions} options */
  constructor(name, config, options) {
    this.name = name
    this.config = config
    this.#options = options
  }

  /**
   * Tools that can't be called, and why. It stays when a connection closes, until a new list says otherwise.
   * @returns {ReadonlyMap<string, import('./types.js').DriftReason>}
   */
  get unavailable() {
    return this.#unavailable
  }

  /** @returns {'idle' | 'connected' | 'down'} */
  get state() {
    const links = [...this.#links.values()]
    if (links.some(link => link.isConnected)) return 'connected'
    return links.some(link => link.isDown) ? 'down' : 'idle'
  }

  /**
   * @param {string} tool its published name
   * @param {JsonObject} args
   * @param {CallOptions} options
   * @returns {Promise<import('./types.js').CallResult>}
   * @throws {ToolError}
   */
  async call(tool, args, options) {
    if (!Object.hasOwn(this.#options.locked.tools, tool))
      throw new ToolError('NOT_FOUND', `\`${tool}\` is not in the lock of \`${this.name}\``, { retryable: false })
    try {
      return await this.#using(options, link => link.call(tool, args, options))
    } catch (error) {
      // What is not classified was thrown before the request was sent.
      throw error instanceof ToolError ? error : unreachable(this.name, { cause: error })
    } finally {
      this.#closeEnded()
    }
  }

  /** A request that is no call. @param {string} method @param {JsonObject} params @param {ForwardOptions} options @returns {Promise<JsonObject>} */
  async request(method, params, options) {
    try {
      return await this.#using(options, link => link.request(method, params, options))
    } finally {
      this.#closeEnded()
    }
  }

  /** Has a session hear of changes of a resource, or no more. @param {string} uri @param {boolean} isWanted @param {ForwardOptions} options */
  async subscribe(uri, isWanted, options) {
    await this.#using(options, link => link.subscribe(uri, isWanted, options))
  }

  /** An unused link may be closed for another, so between this and its use is no pause. @template T @param {ForwardOptions} options @param {(link: Link) => Promise<T>} use @returns {Promise<T>} */
  async #using(options, use) {
    const token = await this.#token(options.principal)
    const link = this.#link(this.#key(options))
    link.token = token
    return use(link)
  }

  /**
   * Connects and lists, so that a tool unlike the lock is known before a user is asked about it. Not for a source with tokens,
   * whose connections belong to principals.
   */
  async watch() {
    if (!this.#usesTokens) await this.#link(this.config.shared ? SHARED : WATCH).connect()
  }

  /** Closes the connection that no session has. */
  stopWatching() {
    const link = this.#links.get(WATCH)
    if (link !== undefined) this.#drop(WATCH, link)
  }

  /** Closes the session's own connection, after the calls that it has in flight. @param {string} sessionId */
  async endSession(sessionId) {
    const key = sessionKey(sessionId)
    const link = this.#links.get(key)
    if (link === undefined) {
      for (const other of this.#links.values()) other.forget(sessionId)
      return
    }
    this.#links.delete(key)
    this.#ending.add(link)
    await this.#closeEnded()
  }

  async close() {
    this.#isClosed = true
    clearInterval(this.#timer)
    const links = [...this.#links.values(), ...this.#ending]
    this.#links.clear()
    this.#ending.clear()
    await Promise.all(links.map(link => link.close()))
  }

  get #usesTokens() {
    return this.#options.tokens !== undefined && 'url' in this.config.transport
  }

  /** @param {ForwardOptions} options */
  #key({ sessionId, principal }) {
    if (this.#usesTokens && principal !== undefined) return `principal ${principal}`
    // What is of no session, such as a list for a request that stands alone, is what is watched.
    if (sessionId === undefined && !this.#usesTokens) return this.config.shared ? SHARED : WATCH
    // A shared connection would send one user's token for another.
    return this.config.shared && !this.#usesTokens ? SHARED : sessionKey(sessionId ?? '')
  }

  /** @param {string | undefined} principal @returns {Promise<string | undefined>} */
  async #token(principal) {
    const { tokens } = this.#options
    if (!this.#usesTokens || tokens === undefined) return undefined
    let token
    try {
      token = await tokens(this.name, principal)
    } catch (cause) {
      throw unreachable(this.name, { message: `no token for \`${this.name}\` now`, cause })
    }
    if (typeof token === 'string' && token !== '') return token
    throw unauthorized(this.name, `this user has no access to \`${this.name}\``)
  }

  /** @param {string} key */
  #link(key) {
    if (this.#isClosed) throw unreachable(this.name, { message: `the source \`${this.name}\` is closed` })
    const existing = this.#links.get(key)
    if (existing !== undefined) return existing
    if (this.#links.size + this.#ending.size >= this.config.limits.connections) this.#closeLeastUsed()
    const { locked, env, log, onNews, rootsOf } = this.#options
    const link = new Link({
      name: this.name,
      config: this.config,
      locked,
      ...(env === undefined ? {} : { env }),
      ...(log === undefined ? {} : { log }),
      ...(onNews === undefined ? {} : { onNews }),
      ...(rootsOf === undefined ? {} : { rootsOf }),
      ...(key.startsWith(SESSION) ? { sessionId: key.slice(SESSION.length) } : {}),
      onListed: () => this.#compare(),
    })
    this.#links.set(key, link)
    this.#timer ??= setInterval(() => this.#tick(), this.#tickMs).unref()
    return link
  }

  #closeLeastUsed() {
    const idle = [...this.#links].filter(([, link]) => link.isIdle)
    const [oldest] = idle.sort(([, one], [, other]) => one.lastUsed - other.lastUsed)
    if (oldest === undefined)
      throw unreachable(this.name, {
        message: `all connections to \`${this.name}\` are in use`,
        retryAfterMs: FULL_RETRY_MS,
      })
    this.#drop(...oldest)
  }

  /** @param {string} key @param {Link} link */
  #drop(key, link) {
    this.#links.delete(key)
    void link.close()
  }

  /** Takes over what the open connections list. */
  #compare() {
    const drifts = [...this.#links.values()].flatMap(({ drift }) => (drift === undefined ? [] : [drift]))
    if (drifts.length === 0) return
    const merged = mergedDrift(drifts)
    if (isSameDrift(merged, this.#unavailable)) return
    this.#unavailable = merged
    this.#options.onChange?.(this)
  }

  async #closeEnded() {
    const idle = [...this.#ending].filter(link => link.isIdle)
    for (const link of idle) this.#ending.delete(link)
    await Promise.all(idle.map(link => link.close()))
  }

  get #relistMs() {
    return this.#options.relistMs ?? RELIST_MS
  }

  get #tickMs() {
    return Math.min(MAX_TICK_MS, this.config.limits.idleMs / 2, this.#relistMs / 2)
  }

  #tick() {
    const now = performance.now()
    for (const [key, link] of this.#links) {
      if (link.isIdle && !link.isListening && now - link.lastUsed > this.config.limits.idleMs) this.#drop(key, link)
      else if (link.isConnected && now - link.lastListed > this.#relistMs) void link.refresh()
    }
    if (this.#links.size > 0) return
    clearInterval(this.#timer)
    this.#timer = undefined
  }
}

/** @param {string} id */
const sessionKey = id => SESSION + id

module.exports = { Source }
