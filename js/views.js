'use strict'

// One answer, three views: the model's (as the gate gave it, without a confirmation's token), a voice's, the user's.

const native = require('../native.js')

/** What an answer of a session says in its warnings where the user's view of it is the model's. */
const NOT_KEPT = 'full_data_not_kept'

/** Answer → where all of its data is looked for. Beside the answer and not in it: its JSON text stays what it is. */
const origins = new WeakMap()
/** The user's view → the answer that it was made of: passed on to a model by mistake, it is the model's view again. */
const answers = new WeakMap()

/** @internal An answer of a session, as it was parsed. */
function ofSession(answer, session) {
  if (answer?.meta?.truncated !== undefined) origins.set(answer, session.origin)
  return answer
}

/** The answer as a model may see it: the confirmation token is left out, so that only a user can give it back. */
function toModelResponse(response) {
  const answer = answers.get(response) ?? response
  if (answer?.error?.confirmation_request?.token === undefined) return answer
  const { token: _token, ...request } = answer.error.confirmation_request
  return { ...answer, error: { ...answer.error, confirmation_request: request } }
}

/** The answer with all of its data, as far as that is kept; `meta.warnings` says if it is not. */
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

/** The answer as a voice can say it: short, without ids, addresses and code. */
function toSpeech(response) {
  checkResponse(response)
  return native.speech(JSON.stringify(response))
}

function checkResponse(response) {
  if (typeof response?.ok !== 'boolean') throw new TypeError('not a ToolResponse: it has no boolean `ok`')
}

module.exports = { ofSession, toModelResponse, toSpeech, toUiResponse }
