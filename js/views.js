'use strict'

// The views of an answer: for the model (without the confirmation token), for speech, for the user.

const native = require('../native.js')

/** The warning in the user's view if the full data of a shortened answer is not kept. */
const NOT_KEPT = 'full_data_not_kept'

/**
 * @typedef {import('../index.js').ToolResponse} ToolResponse
 * @typedef {import('../index.js').ToolResponseMeta} ToolResponseMeta
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

/**
 * The answer for a model: without the confirmation token, so that only a user can confirm.
 * @param {ToolResponse} response
 * @returns {ToolResponse}
 */
function toModelResponse(response) {
  const answer = answers.get(response) ?? response
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

module.exports = { trackOrigin, toModelResponse, toSpeech, toUiResponse }
