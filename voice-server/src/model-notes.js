// What the model is told in words because no frame of the protocol says it: what became of a confirmation.
import { toModelResponse } from 'toolgate'

/** @param {import('toolgate').ToolResponse} response of `session.confirm` */
export function confirmedNote(response) {
  const outcome = response.ok ? 'It has run.' : 'It did not succeed.'
  return `[The user confirmed \`${response.meta.toolId}\`. ${outcome} Its answer: ${JSON.stringify(toModelResponse(response))} Tell the user in one sentence.]`
}

/** @param {string} tool @param {string} [reason] the user's own words */
export function deniedNote(tool, reason) {
  const why = reason === undefined ? '' : ` Their reason: ${JSON.stringify(reason)}.`
  return `[The user declined \`${tool}\`.${why} It has not run; do not call it again unless they ask for it.]`
}
