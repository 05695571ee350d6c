'use strict'

// What a server says without being asked, and who hears it.

/** @typedef {import('./types.js').SourceNews} SourceNews */

/** Announcements of changed lists, besides that of tools. @type {Map<string, import('./types.js').ForwardedList>} */
const LISTS = new Map([
  ['notifications/prompts/list_changed', 'prompts'],
  ['notifications/resources/list_changed', 'resources'],
])

/**
 * @param {string} method
 * @param {import('../shared-types.js').JsonObject} params
 * @param {{ subscriptions: import('./subscriptions.js').Subscriptions, sessionId?: string | undefined }} connection `sessionId`: whose it is
 *   alone: on a shared one it is not known to whom a message for the log belongs
 * @returns {SourceNews | undefined}
 */
function newsOf(method, params, { subscriptions, sessionId }) {
  const list = LISTS.get(method)
  if (list !== undefined) return { list }
  const { uri } = params
  if (method === 'notifications/resources/updated' && typeof uri === 'string')
    return { updated: uri, sessions: subscriptions.sessionsOf(uri) }
  const isLog = method === 'notifications/message' && sessionId !== undefined
  return isLog ? { log: params, sessions: [sessionId] } : undefined
}

module.exports = { newsOf }
