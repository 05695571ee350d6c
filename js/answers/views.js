'use strict'

// The views of an answer: for the model (without the confirmation token), for speech, for the user.

const native = require('../../native.js')

/** The warning in the user's view if the full data of a shortened answer is not kept. */
const NOT_KEPT = 'full_data_not_kept'

/**
 * @typedef {import('../../index.js').ToolResponse} ToolResponse
 * @typedef {import('../../index.js').ToolResponseMeta} ToolResponseMeta
 * @typedef {Extract<ToolResponse, { ok: false }>} FailedResponse
 * @typedef {{ fullData(meta: ToolResponseMeta): string | null }} DataOrigin reads the full data of a shortened answer
 */

/**
 * Answer → the origin of its full data. A WeakMap instead of a member, so that the answer's JSON text is unchanged.
 * @type {WeakMap<ToolResponse, DataOrigin>}
 */
const origins = new WeakMap()
/**
 * The user's view → its answer, so that `toModelResponse` of a user's view returns the model's view.
 * @type {WeakMap<ToolResponse, ToolResponse>}
 */
const answers = new WeakMap()

/**
 * @internal Remembers the session of a shortened answer. Returns the answer.
 * @param {ToolResponse} answer
 * @param {{ origin: DataOrigin }} session
 */
function trackOrigin(answer, session) {
  if (answer?.meta?.truncated !== undefined) origins.set(answer, session.origin)
  return answer
}

/** The members of `meta` that change what a model does next. */
const LEAN_META = /** @type {const} */ ([
  'clamped',
  'edited',
  'truncated',
  'warnings',
  'reconciled',
  '_idempotent_cache_hit',
])

/**
 * The answer for a model: without the confirmation token, so that only a user can confirm. `lean` also leaves out the
 * envelope's members that a model has no use for.
 * @param {ToolResponse} response
 * @param {{ meta?: import('../../index.js').ModelMeta }} [options]
 * @returns {any} a ToolResponse if `meta` is `full`, else a LeanResponse
 */
function toModelResponse(response, { meta = 'lean' } = {}) {
  checkModelMeta(meta)
  const full = withoutToken(answers.get(response) ?? response)
  return meta === 'full' || typeof full?.ok !== 'boolean' ? full : lean(full)
}

/** Throws for an unknown choice. @param {unknown} meta */
function checkModelMeta(meta) {
  if (meta !== 'lean' && meta !== 'full') throw new TypeError('`meta` must be `lean` or `full`')
}

/** @param {ToolResponse} response @returns {import('../../index.js').LeanResponse} */
function lean({ intents, meta, ...rest }) {
  const known = Object.entries(meta ?? {}).filter(([name]) => LEAN_META.some(kept => kept === name))
  return {
    ...rest,
    ...(intents?.length > 0 && { intents }),
    ...(known.length > 0 && { meta: Object.fromEntries(known) }),
  }
}

/** @param {ToolResponse} answer @returns {ToolResponse} */
function withoutToken(answer) {
  const error = /** @type {Partial<FailedResponse> | null | undefined} */ (answer)?.error
  if (error?.confirmation_request?.token === undefined) return answer
  const { token: _token, ...request } = error.confirmation_request
  return /** @type {FailedResponse} */ ({ ...answer, error: { ...error, confirmation_request: request } })
}

/**
 * The answer with its full data; if that is not kept, the shortened answer with a warning in `meta.warnings`.
 * @param {ToolResponse} response
 * @param {{ origin?: DataOrigin }} [session]
 * @returns {ToolResponse}
 */
function toUiResponse(response, session) {
  checkResponse(response)
  const { truncated, ...meta } = /** @type {Partial<ToolResponseMeta>} */ (response.meta ?? {})
  if (truncated === undefined || answers.has(response)) return response
  const full = (session?.origin ?? origins.get(response))?.fullData(response.meta) ?? null
  const view = /** @type {ToolResponse} */ (
    full === null
      ? { ...response, meta: { ...response.meta, warnings: [...(meta.warnings ?? []), NOT_KEPT] } }
      : { ...response, data: JSON.parse(full), meta }
  )
  answers.set(view, response)
  return view
}

/** The answer as text for speech: short, without ids, addresses and code. @param {ToolResponse} response */
function toSpeech(response) {
  checkResponse(response)
  return native.speech(JSON.stringify(response))
}

/** @param {ToolResponse} response */
function checkResponse(response) {
  if (typeof response?.ok !== 'boolean') throw new TypeError('not a ToolResponse: it has no boolean `ok`')
}

module.exports = { checkModelMeta, trackOrigin, toModelResponse, toSpeech, toUiResponse }
