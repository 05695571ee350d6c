'use strict'

// The views of an answer: for the model (without the confirmation token), for speech, for the user.

const native = require('../native.js')

/** The warning in the user's view if the full data of a shortened answer is not kept. */
const NOT_KEPT = 'full_data_not_kept'

/** Answer → the origin of its full data. A WeakMap instead of a member, so that the answer's JSON text is unchanged. */
const origins = new WeakMap()
/** The user's view → its answer, so that `toModelResponse` of a user's view returns the model's view. */
const answers = new WeakMap()

/** @internal Remembers the session of a shortened answer. Returns the answer. */
function trackOrigin(answer, session) {
  if (answer?.meta?.truncated !== undefined) origins.set(answer, session.origin)
  return answer
}

/** The answer for a model: without the confirmation token, so that only a user can confirm. */
function toModelResponse(response) {
  const answer = answers.get(response) ?? response
  if (answer?.error?.confirmation_request?.token === undefined) return answer
  const { token: _token, ...request } = answer.error.confirmation_request
  return { ...answer, error: { ...answer.error, confirmation_request: request } }
}

/** The answer with its full data; if that is not kept, the shortened answer with a warning in `meta.warnings`. */
function toUiResponse(response, session) {
  checkResponse(response)
  const { truncated, ...meta } = response.meta ?? {}
  if (truncated === undefined || answers.has(response)) return response
  const full = (session?.origin ?? origins.get(response))?.fullData(response.meta) ?? null
  const view =
    full === null
      ? { ...response, meta: { ...response.meta, warnings: [...(meta.warnings ?? []), NOT_KEPT] } }
      : { ...response, data: JSON.parse(full), meta }
  answers.set(view, response)
  return view
}

/** The answer as text for speech: short, without ids, addresses and code. */
function toSpeech(response) {
  checkResponse(response)
  return native.speech(JSON.stringify(response))
}

function checkResponse(response) {
  if (typeof response?.ok !== 'boolean') throw new TypeError('not a ToolResponse: it has no boolean `ok`')
}

module.exports = { trackOrigin, toModelResponse, toSpeech, toUiResponse }
