'use strict'

// Confirmation outside of the client: the question is answered on the host's page, by a link, or in any process on the store, and
// the call waits for that. A client gives up after a while, so before that the call is answered: it is pending. The same call made
// again goes on under the id of the first one, whose question and run the gate joins.

const { createHash } = require('node:crypto')

const { canonicalJson } = require('../values/canonical-json.js')
const { canShowForms, declined, unanswered } = require('./question.js')
const { LOOK_MS } = require('./rounds.js')

/** Most clients give up after a minute. */
const DEFAULT_WAIT_MS = 50_000
const DEFAULT_PLACE = 'where they confirm calls'
const CHOICES = ['client', 'elsewhere', 'client-or-elsewhere']
const MAX_PLACE = 300
/** The most calls whose outcome their clients have not got; of more, the oldest are forgotten. */
const MAX_UNHEARD = 1000

const EXPIRED = 'ask the user what they want, and call again if they want it'
const AGAIN = 'call again with the same arguments: you get the result, and nothing is asked or done twice'
const CLOSED = { retryable: false, partialSideEffects: false }

/**
 * @typedef {import('toolgate').Session} Session
 * @typedef {import('./tool-calls.js').IdentifiedCall} IdentifiedCall
 * @typedef {import('./question.js').ToolResponse} ToolResponse
 * @typedef {import('./question.js').FailedResponse} FailedResponse
 * @typedef {import('./question.js').QuestionResponse} QuestionResponse
 * @typedef {{ sessionId: string, callId: string }} UnheardCall
 * @typedef {object} ElsewhereRequest
 * @property {string} key of the call, from `keyOf`
 * @property {AbortSignal} signal
 * @property {string} reason of a cancellation
 * @property {() => void} onAsk the user is asked
 * @property {(ended: Promise<unknown>) => void} onWait gets the end of a call that outlives its request
 */

class ConsentElsewhere {
  #consent
  #waitMs
  #place
  /** Calls whose outcome their clients have not got, by key. @type {Map<string, UnheardCall>} */
  #unheard = new Map()
  /** The waits of the requests of a running call, by its id. @type {Map<string, Set<Wait>>} */
  #running = new Map()

  /** @param {import('./index.js').McpServerOptions} options */
  constructor({ consent = 'client', consentWaitMs = DEFAULT_WAIT_MS, consentPlace = DEFAULT_PLACE }) {
    this.#consent = consent
    this.#waitMs = consentWaitMs
    this.#place = consentPlace
  }

  /** Whether the user of a client is asked elsewhere. @param {Record<string, any> | undefined} capabilities the client's */
  isFor(capabilities) {
    return this.#consent === 'elsewhere' || (this.#consent === 'client-or-elsewhere' && !canShowForms(capabilities))
  }

  /** Whether questions reach the user of a client at all. @param {Record<string, any> | undefined} capabilities the client's */
  canAsk(capabilities) {
    return this.isFor(capabilities) || canShowForms(capabilities)
  }

  /** What the server of a source may ask of: of a client whose user is asked elsewhere, only the user. @param {Record<string, any>} [capabilities] the client's */
  reachable(capabilities = {}) {
    return this.isFor(capabilities) ? { elicitation: {} } : capabilities
  }

  /**
   * What equal calls of a client have in common.
   * @param {string | null} client @param {import('./tool-calls.js').CallParams} params
   */
  keyOf(client, { name, arguments: args }) {
    return createHash('sha256')
      .update(textOf([client, name, args ?? null]))
      .digest('base64url')
  }

  /** The equal call whose outcome the client has not got. @param {string} key */
  unheard(key) {
    return this.#unheard.get(key)
  }

  /**
   * The session of the equal call whose outcome the client has not got.
   * @param {string | null} client @param {import('./tool-calls.js').CallParams} params
   */
  sessionOf(client, params) {
    return this.#unheard.size === 0 ? undefined : this.#unheard.get(this.keyOf(client, params))?.sessionId
  }

  /**
   * A question of a handler's call: it stays open for whoever answers it. False if the client asks its user.
   * @param {import('toolgate').NestedConfirmation} question
   */
  ask({ callId }) {
    const waits = this.#running.get(callId ?? '')
    for (const wait of waits ?? []) wait.begin()
    return waits !== undefined || this.#consent === 'elsewhere'
  }

  /**
   * The call up to its answer, or, after a while, to the answer that it is pending.
   * @param {Session} session @param {IdentifiedCall} call @param {ElsewhereRequest} request
   * @returns {Promise<ToolResponse>}
   */
  async answer(session, call, request) {
    const wait = new Wait(this.#waitMs, request.onAsk)
    const known = this.#unheard.has(request.key)
    try {
      const refusal = known ? await this.#refusalMeanwhile(session, call, wait) : null
      const response = refusal ?? (await this.#settled(session, call, request, wait))
      if (response === null) return await this.#pending(session, call)
      if (questionOf(response) !== null) return this.#postponed(/** @type {QuestionResponse} */ (response))
      // The gate calls it a replay, because the run began with the user's answer and not with this request.
      const isFirst = this.#unheard.has(request.key)
      // A client that does not wait for its answer asks again for it.
      if (!request.signal.aborted) this.#unheard.delete(request.key)
      return isFirst ? asRun(response) : response
    } finally {
      wait.end()
    }
  }

  /**
   * The answer of a call that its user denied, or did not confirm in time, when no request waited: the gate would ask again.
   * @param {Session} session @param {IdentifiedCall} call @param {Wait} wait
   */
  async #refusalMeanwhile(session, { id, name }, wait) {
    const { status, confirmation } = await session.outcome({ callId: id })
    if (status === 'pending' || status === 'running') wait.begin()
    const response = /** @type {FailedResponse} */ ({ ok: false, error: CLOSED, meta: { toolId: name } })
    if (status === 'denied') return declined(response)
    if (status === 'not_found') return closed(response, 'gone')
    return status === 'expired' && confirmation === undefined ? closed(response, status) : null
  }

  /**
   * @param {Session} session @param {IdentifiedCall} call @param {ElsewhereRequest} request @param {Wait} wait
   * @returns {Promise<ToolResponse | null>} the question if it waits on; null if the call runs on
   */
  async #settled(session, call, { key, signal, reason, onWait }, wait) {
    const stop = new AbortController()
    const abort = () => stop.abort()
    if (signal.aborted) abort()
    signal.addEventListener('abort', abort)
    try {
      for (;;) {
        const outcome = session.execute(call, { signal: stop.signal, reason })
        this.#track(call.id, wait, outcome)
        const response = await Promise.race([outcome, wait.over])
        if (response === null) {
          this.#keep(key, { sessionId: session.sessionId, callId: call.id })
          onWait(outcome.catch(() => {}))
          return null
        }
        const question = questionOf(response)
        if (question === null) return response
        this.#keep(key, { sessionId: session.sessionId, callId: call.id })
        wait.begin()
        const status = await decided(session, question.token, wait, signal)
        if (status === 'pending') return response
        if (status === 'denied') return declined(/** @type {FailedResponse} */ (response))
        if (status === 'expired' || status === 'gone') return closed(/** @type {FailedResponse} */ (response), status)
      }
    } finally {
      signal.removeEventListener('abort', abort)
    }
  }

  /** @param {string} callId @param {Wait} wait @param {Promise<unknown>} outcome */
  #track(callId, wait, outcome) {
    const waits = this.#running.get(callId) ?? new Set()
    this.#running.set(callId, waits.add(wait))
    const end = () => {
      waits.delete(wait)
      if (waits.size === 0) this.#running.delete(callId)
    }
    outcome.then(end, end)
  }

  /** @param {string} key @param {UnheardCall} call */
  #keep(key, call) {
    this.#unheard.delete(key)
    this.#unheard.set(key, call)
    if (this.#unheard.size <= MAX_UNHEARD) return
    const [oldest] = this.#unheard.keys()
    this.#unheard.delete(oldest)
  }

  /** @param {QuestionResponse} response @returns {FailedResponse} */
  #postponed(response) {
    const { error } = response
    const whom = error.confirmation_request.approvers === undefined ? this.#tellUser() : String(error.suggestion)
    const suggestion = `${whom}; when it is answered, ${AGAIN}`
    return { ...response, error: { ...error, retryable: true, suggestion } }
  }

  /**
   * The answer of a call that runs on. It may wait for the user: its handler's call has asked.
   * @param {Session} session @param {IdentifiedCall} call
   * @returns {Promise<ToolResponse>}
   */
  async #pending(session, { id, name }) {
    const pending = await session.listPending()
    const isAsked = pending.some(({ parentCallId }) => parentCallId === id)
    const error = isAsked
      ? {
          type: 'CONFIRMATION_REQUIRED',
          message: `\`${name}\` has begun, and waits for its user's answer to a question`,
          suggestion: `${this.#tellUser()}; when it is answered, ${AGAIN}`,
        }
      : { type: 'TRANSIENT', message: `\`${name}\` runs, and has no result yet`, suggestion: `after a while ${AGAIN}` }
    const whole = { ok: false, error: { ...error, retryable: true, partialSideEffects: false }, meta: { toolId: name } }
    return /** @type {FailedResponse} */ (/** @type {unknown} */ (whole))
  }

  #tellUser() {
    return `tell the user to answer it ${this.#place}`
  }
}

/** The answer of a call that has run for its client, whose later request got it. @param {ToolResponse} response @returns {ToolResponse} */
function asRun(response) {
  const { _idempotent_cache_hit: _, ...meta } = response.meta
  return /** @type {ToolResponse} */ ({ ...response, meta })
}

/** @param {unknown[]} parts */
function textOf(parts) {
  try {
    return canonicalJson(parts)
  } catch {
    // The gate refuses arguments that have no canonical form.
    return JSON.stringify(parts)
  }
}

/** How long a request waits for its user, from the first question on. */
class Wait {
  #ms
  #onBegin
  /** @type {NodeJS.Timeout | undefined} */
  #timer
  #hasBegun = false
  /** @type {(value: null) => void} */
  #resolve = () => {}
  isOver = false
  /** @type {Promise<null>} */
  over = new Promise(resolve => {
    this.#resolve = resolve
  })

  /** @param {number} ms @param {() => void} onBegin */
  constructor(ms, onBegin) {
    this.#ms = ms
    this.#onBegin = onBegin
  }

  begin() {
    if (this.#hasBegun) return
    this.#hasBegun = true
    this.#onBegin()
    this.#timer = setTimeout(() => {
      this.isOver = true
      this.#resolve(null)
    }, this.#ms)
  }

  /** No question begins it any more. */
  end() {
    this.#hasBegun = true
    clearTimeout(this.#timer)
  }
}

/**
 * What became of a question, if that is no run.
 * @param {Session} session @param {string} token @param {Wait} wait @param {AbortSignal} signal
 * @returns {Promise<'pending' | 'denied' | 'expired' | 'gone' | 'goes on'>} `gone`: the store keeps nothing of it
 */
async function decided(session, token, wait, signal) {
  for (;;) {
    // A store that fails has its say in the call's own answer.
    const { status, confirmation } = await session.outcome({ token }).catch(() => PENDING)
    if (status === 'denied') return status
    if (status === 'not_found') return 'gone'
    if (status === 'expired') return confirmation === undefined ? 'expired' : 'goes on'
    if (status !== 'pending') return 'goes on'
    if (wait.isOver || signal.aborted) return status
    await Promise.race([wait.over, new Promise(resolve => setTimeout(resolve, LOOK_MS))])
  }
}

/** @type {import('toolgate').CallOutcome} */
const PENDING = { status: 'pending' }

/** The question of an answer. @param {ToolResponse} response */
function questionOf(response) {
  if (response.ok || response.error.type !== 'CONFIRMATION_REQUIRED') return null
  return /** @type {QuestionResponse} */ (response).error.confirmation_request ?? null
}

/** @param {FailedResponse} response @param {'expired' | 'gone'} status @returns {FailedResponse} */
function closed({ error: { confirmation_request: _closed, ...error }, ...response }, status) {
  const name = response.meta.toolId
  const message =
    status === 'expired'
      ? `\`${name}\` has not run: it was not confirmed in time, or its question made way for newer ones`
      : `\`${name}\` has done nothing: its question is gone, or what was confirmed has failed`
  const type = /** @type {const} */ ('CONFIRMATION_EXPIRED')
  return unanswered({ ...response, error: { ...error, type, message } }, EXPIRED)
}

/** @param {import('./index.js').McpServerOptions} options @throws {TypeError} */
function checkConsent({ consent = 'client', consentPlace = DEFAULT_PLACE }) {
  if (!CHOICES.includes(consent)) throw new TypeError(`\`consent\` must be one of \`${CHOICES.join('`, `')}\``)
  if (typeof consentPlace !== 'string' || consentPlace === '' || consentPlace.length > MAX_PLACE)
    throw new TypeError(
      `\`consentPlace\` must be a text of 1 to ${MAX_PLACE} characters, such as \`on the page Approvals\``,
    )
}

module.exports = { ConsentElsewhere, checkConsent }
