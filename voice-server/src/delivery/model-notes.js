// Notes to the model about events that the provider's protocol has no frame for: results of confirmations, and results
// of calls that can no longer be answered. Text of third parties is included as JSON.
import { toModelResponse, toResultNote } from 'toolgate'

/** @typedef {import('toolgate').ModelMeta} ModelMeta what the model gets of an answer */

/** @type {Record<string, string>} */
const HAS_RUN = { committed: 'It has run.', failed: 'It did not succeed.', running: 'It is running.' }

/** @param {import('toolgate').ToolResponse} response of a call that the user confirmed @param {ModelMeta} [meta] */
export function confirmedNote(response, meta) {
  const outcome = response.meta.pending ? HAS_RUN.running : response.ok ? HAS_RUN.committed : HAS_RUN.failed
  const changed = response.meta.edited === undefined ? '' : ' with changes of their own (`edited` in its answer)'
  const what = `The user confirmed \`${response.meta.toolId}\`${changed}. ${outcome} Its answer: ${answerOf(response, meta)}`
  const instead = changed === '' ? '' : ' Do not call it again with what you asked for.'
  return `[${what}${instead} Tell the user in one sentence.]`
}

/**
 * @param {import('toolgate').ToolResponse} response of an answer that ran nothing, to a question that is still open
 * @param {ModelMeta} [meta]
 */
export function notConfirmedNote(response, meta) {
  const what = `The user confirmed \`${response.meta.toolId}\`, which has not run. Its answer: ${answerOf(response, meta)}`
  return `[${what} The question still waits for their answer. Tell the user in one sentence.]`
}

/** Of a yes to a question that a server asks. */
export const FORM_NOTE =
  '[This question has a form on the page, and no answer yet: a spoken yes does not fill it in. Tell the user in one sentence.]'

/** @param {string} tool @param {string} [reason] in the user's own words */
export function deniedNote(tool, reason) {
  const why = reason === undefined ? '' : ` Their reason: ${JSON.stringify(reason)}.`
  return `[The user declined \`${tool}\`.${why} It has not run; do not call it again unless they ask for it.]`
}

/** @param {string} tool @param {string} outcome as the gate reports it */
export function elsewhereNote(tool, outcome) {
  const what = HAS_RUN[outcome] ?? 'Whether it took effect is not known; do not call it again for that.'
  return `[The user confirmed \`${tool}\` in another place. ${what} Tell the user in one sentence.]`
}

/** @param {string} tool */
export function goneNote(tool) {
  return `[The question about \`${tool}\` is not open any more, and what became of it is not known. Do not call it again for that.]`
}

/** @param {string} tool */
export function expiredNote(tool) {
  return `[The time to confirm \`${tool}\` is over. It has not run.]`
}

/** @param {string} readBack */
export function waitingNote(readBack) {
  return `[A question still waits for the user's answer. When you speak next, say it word for word: ${JSON.stringify(readBack)}]`
}

/** @param {string} readBack */
export function askNote(readBack) {
  const how = 'word for word, without a translation and with nothing before or after it, then wait for the answer'
  return `[Ask the user now. Say this ${how}: ${JSON.stringify(readBack)}]`
}

/** @param {string} readBack that the application has said in its own voice */
export function askedNote(readBack) {
  return `[The application has asked the user, aloud: ${JSON.stringify(readBack)} Wait for the answer.]`
}

/** @param {string} text */
export function typedNote(text) {
  return `[The user has typed: ${JSON.stringify(text)} Its answer follows.]`
}

export function continueNote() {
  return '[The connection was interrupted. Go on with what the user has asked for last.]'
}

/** @param {string} text of the application that runs the server, for the user */
export function sayNote(text) {
  return `[The application has a message for the user. Say it word for word, and nothing else: ${JSON.stringify(text)}]`
}

/**
 * @param {string} tool
 * @param {import('toolgate').ToolResponse} response of a call whose turn is over
 * @param {ModelMeta} [meta]
 */
export function lateNote(tool, response, meta) {
  const what = `\`${tool}\`, which was asked for before the user interrupted, has been carried out.`
  return `[${what} Its answer: ${answerOf(response, meta)} Do not call it again for that.]`
}

/**
 * @param {string} tool
 * @param {import('toolgate').ToolResponse} response of a call whose connection broke, or that was answered before it ended
 * @param {ModelMeta} [meta]
 */
export function resultNote(tool, response, meta) {
  return toResultNote({ toolId: tool, response }, { meta: meta ?? 'full' })
}

/** @param {string} transcript what the user asked for @param {string} answer of the host, that was not heard */
export function delegatedNote(transcript, answer) {
  return `[The user asked earlier: ${JSON.stringify(transcript)} The answer: ${JSON.stringify(answer)}]`
}

/**
 * @param {'failed' | 'late' | 'left'} why work of the host came to nothing: it failed, took too long, or the user left
 * @param {string[]} writes names of tools that have changed something for it
 */
export function brokenOffNote(why, writes) {
  const what = { failed: 'failed', late: 'took too long and was stopped', left: 'was broken off when they left' }[why]
  const done = writes.length === 0 ? '' : ` Carried out before that: ${writes.map(name => `\`${name}\``).join(', ')}.`
  return `[What the user asked for ${what}.${done} Say so in one sentence, and offer to try it again.]`
}

/** @param {string} tool @param {import('toolgate').ToolResponse | null} response null: the write begins */
export function writtenNote(tool, response) {
  if (response === null)
    return `[\`${tool}\` was called. Unless its outcome follows, it is still running; do not call it again for that.]`
  return `[\`${tool}\` ${response.ok ? 'succeeded' : `failed: ${response.error.type}`}.]`
}

/** @param {import('toolgate').ToolResponse} response */
function answerOf(response, meta = /** @type {ModelMeta} */ ('full')) {
  return JSON.stringify(toModelResponse(response, { meta }))
}
