'use strict'

// The connection of one session (or principal) to a source, over its restarts: it opens for the first call, is compared with
// the lock, and opens again after a pause if it is lost.

const { ToolError } = require('../answers/errors.js')
const { callTracing } = require('../observe/call-tracing.js')
const { memberOf, messageOf } = require('../values/foreign.js')
const { Connection } = require('./connection.js')
const { driftFrom } = require('./drift.js')
const { shapeProblem } = require('./result-shape.js')
const { Slots } = require('./slots.js')
const { callError, clipped, unreachable, wrongShape } = require('./source-error.js')

/** @typedef {import('./types.js').SourceCallOptions} CallOptions */
/** @typedef {import('../shared-types.js').JsonObject} JsonObject */
/**
 * @typedef {object} LinkOptions
 * @property {string} name of the source
 * @property {import('./types.js').SourceConfig} config
 * @property {import('./types.js').LockedSource} locked
 * @property {import('./types.js').Variables} [env]
 * @property {import('./types.js').SourceLog} [log]
 * @property {() => void} onListed is called after each comparison with the lock
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
  #notBefore = -Infinity
  /** The calls that the server has been sent. @type {Set<Pick<CallOptions, 'onQuestion'>>} */
  #inFlight = new Set()

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

  get isConnected() {
    return this.#connection !== undefined
  }

  /** Whether it waits before it connects again. */
  get isDown() {
    return this.#failures > 0 && this.#connection === undefined
  }

  /** @param {string} tool @param {JsonObject} args @param {CallOptions} options @returns {Promise<JsonObject>} */
  async call(tool, args, options) {
    const { signal } = options
    const release = await this.#slots.take(signal)
    try {
      const connection = await unlessAborted(signal, this.#current())
      this.#checkDrift(tool)
      return await this.#send(connection, tool, args, options)
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
    if (this.#connection === undefined) throw this.#unreachable({ retryAfterMs: BACKOFF_MS[0] })
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
    })
    connection.onclose = () => this.#lost(connection)
    connection.ontoolschanged = () => void this.refresh()
    return connection
  }

  /** A question does not say which call it belongs to: it is put to the only one, or declined. @type {import('./types.js').QuestionHandler} */
  #asked(params) {
    const [call, ...others] = this.#inFlight
    if (call?.onQuestion !== undefined && others.length === 0) return call.onQuestion(params)
    const { name, log } = this.#options
    log?.({ source: name, error: 'a question of its server was declined: it belongs to no single call in flight' })
    return { action: 'decline' }
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
        this.#options.log?.({ source: this.#options.name, error: clipped(messageOf(error)) })
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
    const { signal, meta, round, progress, writes } = options
    signal.throwIfAborted()
    const call = { ...(options.onQuestion === undefined ? {} : { onQuestion: options.onQuestion }) }
    this.#inFlight.add(call)
    try {
      const send = (/** @type {JsonObject} */ carried) =>
        connection.call(tool, args, {
          signal,
          meta: { ...meta, ...carried },
          ...(round === undefined ? {} : { round }),
          ...(progress === undefined ? {} : { onprogress: progress }),
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
      this.#inFlight.delete(call)
    }
  }

  /** The next call opens another connection; calls in flight end on this one. @param {Connection} connection */
  #retire(connection) {
    if (this.#connection === connection) this.#connection = undefined
    this.#retired.add(connection)
  }

  #closeRetired() {
    if (this.#inFlight.size > 0) return
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
    this.#notBefore = performance.now() + pauseMs
    return pauseMs
  }

  /** @param {{ message?: string, retryAfterMs?: number, cause?: unknown }} options */
  #unreachable(options) {
    return unreachable(this.#options.name, options)
  }
}

/** @param {number} ms */
const paused = ms => (ms > 0 ? new Promise(resolve => setTimeout(resolve, ms)) : undefined)

/** @template T @param {AbortSignal} signal @param {Promise<T>} promise @returns {Promise<T>} */
async function unlessAborted(signal, promise) {
  signal.throwIfAborted()
  /** @type {() => void} */
  let abort = () => {}
  /** @type {Promise<never>} */
  const aborted = new Promise((_, reject) => {
    abort = () => reject(signal.reason)
    signal.addEventListener('abort', abort, { once: true })
  })
  try {
    return await Promise.race([promise, aborted])
  } finally {
    signal.removeEventListener('abort', abort)
  }
}

module.exports = { Link }
