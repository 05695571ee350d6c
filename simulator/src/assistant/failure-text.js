// Says in sentences why a call did not do what was asked: no error codes, no tokens.

import { periodText } from './times.js'

/**
 * @import { JsonObject } from '../parse-json.js'
 * @import { Audience } from './report.js'
 */

/** By error type. @type {Record<string, string>} */
const REASONS = {
  BUDGET_EXCEEDED: 'I have used up what I may look up for one message. Ask me again.',
  LOOP_DETECTED: 'I was repeating myself, so I stopped.',
  MODE_RESTRICTED: 'That cannot be done in this conversation.',
  AUTH: 'You do not have the permission for that.',
  RATE_LIMIT: 'That was asked for too often. Try again in a while.',
  TRANSIENT: 'That did not work just now. Try again in a while.',
  CANCELLED: 'That was stopped.',
  CONFIRMATION_EXPIRED: 'The question for your consent has expired, and nothing was done.',
  INTERNAL: 'That did not work.',
}

/** @param {string} tool @param {JsonObject} error @param {Audience} audience */
export function failureText(tool, error, audience) {
  const { type, message, details } = error
  if (type === 'CONFIRMATION_REQUIRED') return consentText(error)
  const free = details?.free_slots
  if (type === 'CONFLICT' && Array.isArray(free)) {
    const offered = free.map(({ start, end }) => periodText(start, end, audience.clock)).join('; ')
    return `That time is taken. ${offered === '' ? '' : `Free near it: ${offered}.`}`.trim()
  }
  if (tool.startsWith('capture_') && type === 'NOT_FOUND')
    return `I see nothing: ${sentence(message)} Share it, and ask me again.`
  if (type === 'NOT_FOUND') return `I found nothing: ${sentence(message)}`
  return (
    REASONS[type] ??
    `That did not work: ${sentence(withoutPointers(String(message ?? type ?? 'the reason is not known')))}`
  )
}

/** @param {JsonObject} error */
function consentText({ details }) {
  // What a voice server wants to be read aloud.
  if (typeof details?.readBack === 'string') return details.readBack
  return 'This needs your consent: nothing has happened yet.'
}

/** @param {string} message */
const withoutPointers = message => message.replaceAll(/(?:^|(?<=[\s;]))\/[\w/]+: /g, '')

/** @param {unknown} text */
function sentence(text) {
  const plain = String(text ?? '')
    .replaceAll('`', '"')
    .trim()
  return plain === '' || /[.!?]$/.test(plain) ? plain : `${plain}.`
}
