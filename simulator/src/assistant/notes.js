// Messages that the page or a voice server writes in the user's name: what became of a question, what to say word for
// word.

import { reportOf } from './report.js'

/**
 * @import { Audience } from './report.js'
 * @import { ResultRound } from '../scenario/next-step.js'
 */

const WORD_FOR_WORD = /^\[.{0,300}?word for word[^:]{0,300}:\s*("(?:[^"\\]|\\.)*")\]$/s
const ANSWERED = /^\[.{0,300}?`(?<tool>\w{1,64})`.{0,300}?(?:Its answer|has answered):\s*(?<answer>\{.*\})/s
const DECLINED = /^\[The user declined `(?<tool>\w+)`/
const EXPIRED = /^\[The time to confirm/
const ELSEWHERE = /^\[The user confirmed `\w+` in another place\. (?<what>[^.]+\.)/
const OTHER = /^\[(?:The|`)[^]*\]$/
const APPROVED = /^Approved(?<failed>, but it failed)?: (?<what>[^]+)$/
const DENIED = /^(?:Denied|Declined): (?<what>[^]+)$/

/**
 * @param {string} text
 * @param {ResultRound | undefined} last the calls before this message, with their results
 * @param {Audience} audience
 * @returns {string | null} null: it is no such message
 */
export function answerToNote(text, last, audience) {
  const literal = literalOf(text)
  if (literal !== null) return literal
  const { tool, answer } = ANSWERED.exec(text)?.groups ?? {}
  if (tool !== undefined) return reportOf(tool, parsed(answer), audience)
  if (DECLINED.test(text) || DENIED.test(text)) return 'All right: nothing was done.'
  if (EXPIRED.test(text)) return 'The time to answer is over: nothing was done.'
  const elsewhere = ELSEWHERE.exec(text)
  if (elsewhere) return `You agreed to it in another place. ${elsewhere.groups?.what}`
  if (OTHER.test(text)) return ''
  const approved = APPROVED.exec(text)
  if (!approved) return null
  const at = last === undefined ? -1 : last.results.findLastIndex(result => !isQuestion(result))
  if (last !== undefined && at >= 0) return reportOf(last.tools[at], last.results[at], audience)
  return approved.groups?.failed === undefined ? 'Done.' : 'That could not be done. The card says why.'
}

/** What a note has the model say word for word. @param {string} text @returns {string | null} null: it is no such note */
export function literalOf(text) {
  const literal = WORD_FOR_WORD.exec(text)
  return literal && String(parsed(literal[1]) ?? '')
}

/** @param {any} result */
const isQuestion = result => result?.error?.type === 'CONFIRMATION_REQUIRED'

/** @param {string} json @returns {unknown} */
function parsed(json) {
  try {
    return JSON.parse(json)
  } catch {
    return undefined
  }
}
