'use strict'

// The connection of one session (or principal) to a source, over its restarts: it opens for the first call, is compared with
// the lock, and opens again after a pause if it is lost.

const { ToolError } = require('../answers/errors.js')
const { callTracing } = require('../observe/call-tracing.js')
const { memberOf, messageOf } = require('../values/foreign.js')
const { Connection } = require('./connection.js')
const { driftFrom } = require('./drift.js')
const { InFlight } = require('./in-flight.js')
const { newsOf } = require('./news.js')
const { shapeProblem } = require('./result-shape.js')
const { Slots } = require('./slots.js')
const { callError, clipped, unreachable, wrongShape } = require('./source-error.js')
const { Subscriptions } = require('./subscriptions.js')
const { paused, unlessAborted } = require('./waiting.js')

/** @typedef {import('./types.js').SourceCallOptions} CallOptions */
/** @typedef {import('./types.js').ForwardOptions} ForwardOptions */
/** @typedef {import('../shared-types.js').JsonObject} JsonObject */
/**
 * @typedef {object} LinkOptions
 * @property {string} name of the source
 * @property {import('./types.js').SourceConfig} config
 * @property {import('./types.js').LockedSource} locked
 * @property {import('./types.js').Variables} [env]
 * @property {import('./types.js').SourceLog} [log]
 * @property {() => void} onListed is called after each comparison with the lock
 * @property {string} [sessionId] whose connection it is alone
 * @property {(news: import('./types.js').SourceNews) => void} [onNews]
 * @property {import('./source.js').SourceOptions['rootsOf']} [rootsOf]
 */

/** Pauses before a lost connection opens again. */
const BACKOFF_MS = [100, 400, 1600, 6400]
/** A server that announces changes without end is listed for a tenth of the time. */
const RELIST_PAUSE = 9
const MAX_RELIST_PAUSE_MS = 1000
/** HTTP statuses after which the connection can't be used: its token or its session is refused. */
const UNUSABLE = new Set([401, 403, 404])

class Link {
  #options
  #slots
  /** @type {Connection | undefined} */
  #connection
  /** Connections that take no more calls. @type {Set<Connection>} */
  #retired = new Set()
  /** The connection that opens. @type {Connection | undefined} */
  #unopened
  /** @type {Promise<Connection> | undefined} */
  #opening
  /** @type {Promise<void> | undefined} */
  #refreshing
  #isStale = false
  #relistPauseMs = 0
  #isClosed = false
  #failures = 0
  #pauseMs = 0
  #notBefore = -Infinity
  #inFlight = new InFlight()
  #subscriptions = new Subscriptions()

  /** The bearer token of the principal. @type {string | undefined} */
  token
  /** What was unlike the lock when the tools were last listed; undefined before. @type {import('./drift.js').Drift | undefined} */
  drift
  lastUsed = performance.now()
  lastListed = -Infinity

  /** @param {LinkOptions} options */
  constructor(options) {
    this.#options = options
    this.#slots = new Slots(options.config.limits.calls)
  }

  get isIdle() {
    return this.#slots.isIdle
  }

  /** Whether a session waits for news. */
  get isListening() {
    return this.#subscriptions.uris.length > 0
  }

  get isConnected() {
    return this.#connection !== undefined
  }

  /** Whether it waits before it connects again. */
  get isDown() {
    return this.#failures > 0 && this.#connection === undefined
  }

  /** @param {string} tool @param {JsonObject} args @param {CallOptions} options @returns {Promise<JsonObject>} */
  call(tool, args, options) {
    return this.#using(options.signal, connection => {
      this.#checkDrift(tool)
      return this.#send(connection, tool, args, options)
    })
  }

  /** A request that is no call. @param {string} method @param {JsonObject} params @param {ForwardOptions} options @returns {Promise<JsonObject>} */
  request(method, params, options) {
    return this.#using(options.signal, connection => this.#forward(connection, method, params, options))
  }

  /** @param {string} uri of a resource @param {boolean} isWanted @param {ForwardOptions} options */
  async subscribe(uri, isWanted, { sessionId = '', signal }) {
    await this.#using(signal, async connection => {
      const isNews = isWanted ? this.#subscriptions.add(uri, sessionId) : this.#subscriptions.remove(uri, sessionId)
      if (!isNews) return
      await connection.subscribeTo(uri, isWanted, signal).catch(error => {
        this.#subscriptions.remove(uri, sessionId)
        throw error
      })
    })
  }

  /** The session has ended. @param {string} sessionId */
  forget(sessionId) {
    const signal = AbortSignal.timeout(this.#options.config.limits.connectMs)
    for (const uri of this.#subscriptions.forget(sessionId))
      this.#connection?.subscribeTo(uri, false, signal).catch(() => {})
  }

  /** @template T @param {AbortSignal} signal @param {(connection: Connection) => Promise<T>} use @returns {Promise<T>} */
  async #using(signal, use) {
    const release = await this.#slots.take(signal)
    try {
      return await use(await unlessAborted(signal, this.#current()))
    } finally {
      this.lastUsed = performance.now()
      release()
      this.#closeRetired()
    }
  }

  /** Opens the connection, which lists. @throws {ToolError} if the server can't be reached */
  async connect() {
    await this.#current()
    this.lastUsed = performance.now()
  }

  /** Lists the tools of an open connection and compares them with the lock. A list that fails closes it. */
  async refresh() {
    this.#isStale = true
    if (this.#connection === undefined) return
    this.#refreshing ??= this.#relist(this.#connection).finally(() => {
      this.#refreshing = undefined
    })
    await this.#refreshing
  }

  async close() {
    this.#isClosed = true
    const connection = this.#connection
    this.#connection = undefined
    await Promise.all([connection, this.#unopened, ...this.#retired].map(each => each?.close()))
  }

  /** The open connection, compared with the lock since its last announcement of a change. @returns {Promise<Connection>} */
  async #current() {
    const waitMs = Math.ceil(this.#notBefore - performance.now())
    if (this.#connection === undefined && waitMs > 0) throw this.#unreachable({ retryAfterMs: waitMs })
    if (this.#connection === undefined) {
      this.#opening ??= this.#open().finally(() => {
        this.#opening = undefined
      })
      await this.#opening
    }
    await this.#refreshing
    if (this.#connection === undefined) throw this.#unreachable({ retryAfterMs: this.#pauseMs })
    return this.#connection
  }

  async #open() {
    const connection = this.#newConnection()
    this.#unopened = connection
    try {
      await connection.open()
      this.#isStale = false
      await this.#list(connection)
      if (this.#isClosed) throw new Error('the session has ended')
    } catch (error) {
      if (this.#isClosed) throw this.#unreachable({ cause: error })
      const retryAfterMs = this.#failed()
      await connection.close()
      if (error instanceof ToolError) throw error
      const message = `the server \`${this.#options.name}\` can't be reached: ${clipped(connection.fault ?? messageOf(error))}`
      throw this.#openError(error, { message, retryAfterMs, cause: error })
    } finally {
      this.#unopened = undefined
    }
    this.#connection = connection
    for (const uri of this.#subscriptions.uris) this.#resubscribe(connection, uri)
    // A change that was announced during the list.
    if (this.#isStale) void this.refresh()
    return connection
  }

  /** @param {unknown} error @param {{ message: string, retryAfterMs: number, cause: unknown }} options */
  #openError(error, options) {
    const classified = callError(error, { source: this.#options.name, writes: false })
    return classified.type === 'AUTH' ? classified : this.#unreachable(options)
  }

  #newConnection() {
    const { name, config, locked, env, log } = this.#options
    const connection = new Connection(name, config, {
      ...(env === undefined ? {} : { env }),
      ...(log === undefined ? {} : { log }),
      ...(locked.era === undefined ? {} : { era: locked.era }),
      ...(locked.protocolVersion === undefined ? {} : { protocolVersion: locked.protocolVersion }),
      token: () => this.token,
      onQuestion: params => this.#asked(params),
      onClientRequest: (method, params) => this.#askedClient(method, params),
    })
    connection.onclose = () => this.#lost(connection)
    connection.onnews = (method, params) => this.#heard(method, params)
    connection.ontoolschanged = () => void this.refresh()
    return connection
  }

  /** A question does not say which call it belongs to: it is put to the only one, or declined. @type {import('./types.js').QuestionHandler} */
  #asked(params) {
    const { onQuestion } = this.#inFlight.only ?? {}
    if (onQuestion !== undefined) return onQuestion(params)
    this.#log('a question of its server was declined: it belongs to no single call in flight')
    return { action: 'decline' }
  }

  /** @type {import('./types.js').ClientRequestHandler} */
  async #askedClient(method, params) {
    const { onClientRequest } = this.#inFlight.only ?? {}
    if (onClientRequest !== undefined) return onClientRequest(method, params)
    const { sessionId, rootsOf } = this.#options
    return method === 'roots/list' && sessionId !== undefined ? rootsOf?.(sessionId) : undefined
  }

  /** @param {string} method @param {JsonObject} params */
  #heard(method, params) {
    const { onNews, sessionId } = this.#options
    const { onLog } = method === 'notifications/message' ? (this.#inFlight.only ?? {}) : {}
    if (onLog !== undefined) return onLog(params)
    const news = newsOf(method, params, { subscriptions: this.#subscriptions, sessionId })
    if (news !== undefined) onNews?.(news)
  }

  /** @param {Connection} connection @param {string} uri */
  #resubscribe(connection, uri) {
    const signal = AbortSignal.timeout(this.#options.config.limits.connectMs)
    connection.subscribeTo(uri, true, signal).catch(error => this.#log(clipped(messageOf(error))))
  }

  /** @param {Connection} connection */
  async #list(connection) {
    const begun = performance.now()
    this.drift = driftFrom(await connection.list(), this.#options.locked)
    this.lastListed = performance.now()
    this.#relistPauseMs = Math.min((this.lastListed - begun) * RELIST_PAUSE, MAX_RELIST_PAUSE_MS)
    this.#options.onListed()
  }

  /** @param {Connection} connection */
  async #relist(connection) {
    while (this.#isStale && this.#connection === connection) {
      await paused(this.lastListed + this.#relistPauseMs - performance.now())
      this.#isStale = false
      try {
        await this.#list(connection)
      } catch (error) {
        this.#log(clipped(messageOf(error)))
        this.#lost(connection)
        await connection.close()
      }
    }
  }

  /** @param {string} tool */
  #checkDrift(tool) {
    const reason = this.drift?.get(tool)
    if (reason === undefined) return
    const why = reason === 'definition_gone' ? 'its server no longer has it' : 'its definition is not the accepted one'
    throw new ToolError('NOT_FOUND', `\`${tool}\` is not available: ${why}`, { retryable: false, details: { reason } })
  }

  /** @param {Connection} connection @param {string} tool @param {JsonObject} args @param {CallOptions} options */
  async #send(connection, tool, args, options) {
    const { name } = this.#options
    const { signal, meta, round, writes } = options
    signal.throwIfAborted()
    const ended = this.#inFlight.add(options)
    try {
      const send = (/** @type {JsonObject} */ carried) =>
        connection.call(tool, args, {
          ...sentWith(options),
          meta: { ...meta, ...carried },
          ...(round === undefined ? {} : { round }),
        })
      const { tracer } = callTracing
      const result = await (tracer === null ? send({}) : tracer.callMcp(tool, send, name))
      this.#failures = 0
      const problem = result.resultType === 'input_required' ? undefined : shapeProblem(result)
      if (problem !== undefined) throw wrongShape(name, writes, problem)
      return result
    } catch (error) {
      if (UNUSABLE.has(Number(memberOf(error, 'status')))) this.#retire(connection)
      throw callError(error, {
        source: name,
        writes,
        ...(connection.fault === undefined ? {} : { fault: connection.fault }),
      })
    } finally {
      ended()
    }
  }

  /** @param {Connection} connection @param {string} method @param {JsonObject} params @param {ForwardOptions} options */
  async #forward(connection, method, params, options) {
    const ended = this.#inFlight.add(options)
    try {
      const result = await connection.request(method, params, sentWith(options))
      this.#failures = 0
      return result
    } catch (error) {
      if (UNUSABLE.has(Number(memberOf(error, 'status')))) this.#retire(connection)
      throw error
    } finally {
      ended()
    }
  }

  /** The next call opens another connection; calls in flight end on this one. @param {Connection} connection */
  #retire(connection) {
    if (this.#connection === connection) this.#connection = undefined
    this.#retired.add(connection)
  }

  #closeRetired() {
    if (!this.#inFlight.isEmpty) return
    for (const connection of this.#retired) void connection.close()
    this.#retired.clear()
  }

  /** @param {Connection} connection */
  #lost(connection) {
    if (this.#connection !== connection) return
    this.#connection = undefined
    this.#failed()
  }

  /** @returns {number} milliseconds before it is tried again */
  #failed() {
    const pauseMs = BACKOFF_MS[Math.min(this.#failures, BACKOFF_MS.length - 1)] ?? 0
    this.#failures += 1
    this.#pauseMs = pauseMs
    this.#notBefore = performance.now() + pauseMs
    return pauseMs
  }

  /** @param {string} error */
  #log(error) {
    this.#options.log?.({ source: this.#options.name, error })
  }

  /** @param {{ message?: string, retryAfterMs?: number, cause?: unknown }} options */
  #unreachable(options) {
    return unreachable(this.#options.name, options)
  }
}

/** What a request to the server has of the options of its caller. @param {ForwardOptions} options @returns {import('./types.js').RequestOptions} */
const sentWith = ({ signal, progress, logLevel, capabilities }) => ({
  signal,
  ...(progress === undefined ? {} : { onprogress: progress }),
  ...(logLevel === undefined ? {} : { logLevel }),
  ...(capabilities === undefined ? {} : { capabilities }),
})

module.exports = { Link }
