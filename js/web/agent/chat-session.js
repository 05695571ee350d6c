'use strict'

// Attaches a request to a session of its user: that of a chat, or that of a voice call, of which the page has the resume token.

const { isInstance, memberOf } = require('../../values/foreign.js')
const { HttpRefusal } = require('../http-refusal.js')

/**
 * @typedef {import('../../gate/session.js').Session} Session
 * @typedef {import('toolgate').SessionOptions} SessionOptions
 * @typedef {import('./visitor.js').Visitor} Visitor
 * @typedef {{ sessionId: string, resumeToken: string }} VoiceKey
 * @typedef {object} Asked a request whose sender is known
 * @property {Request} request
 * @property {import('../../gate/registry.js').ToolRegistry} registry
 * @property {Visitor} visitor
 * @property {import('./routes.js').RouteSettings} settings
 */

/**
 * Attaches to the session of a chat.
 * @param {Asked} asked @param {string} chatId @param {Partial<SessionOptions>} [more] @returns {Promise<Session>}
 */
async function openChat({ registry, visitor, settings, request }, chatId, more = {}) {
  const given = await settings.session?.({ request, identity: visitor.identity })
  const own = { sessionId: visitor.sessionIdOf(chatId), principal: visitor.principal, roles: visitor.identity?.roles }
  return registry.createSession({ mode: 'text', exclusive: false, ...given, ...own, ...more })
}

/** Attaches to the session of a chat; null if there is none, or it is over. @param {Asked} asked @param {string} chatId @param {Partial<SessionOptions>} [more] */
async function openKnownChat(asked, chatId, more = {}) {
  if (asked.visitor.isNew) return null
  return openChat(asked, chatId, { ...more, resumeOnly: true }).catch(noneIfOver)
}

/**
 * Attaches to the session of a chat. It begins if there is none, which counts toward the client's new sessions: a client names its chats.
 * @param {Asked} asked @param {string} chatId @param {Partial<SessionOptions>} [more]
 */
async function openOrBeginChat(asked, chatId, more) {
  const known = await openKnownChat(asked, chatId, more)
  if (known !== null) return known
  asked.settings.limit.newSession(asked.visitor)
  return openChat(asked, chatId, more)
}

/**
 * Attaches to the session whose questions a page answers.
 * @param {Asked} asked @param {{ id?: unknown, chatId: string, voice?: VoiceKey }} named @param {Partial<SessionOptions>} [more] @returns {Promise<Session>}
 */
async function openAsked(asked, { chatId, voice }, more = {}) {
  if (voice !== undefined) return openVoice(asked, voice, more)
  if (asked.visitor.isNew)
    throw new HttpRefusal(401, 'AUTH', 'this browser has no session, so nothing waits for its confirmation')
  return openChat(asked, chatId, { ...more, resumeOnly: true })
}

/**
 * Attaches, in text mode, to the session of a voice call. The gate refuses another token or principal (AUTH), and makes no session.
 * @param {Asked} asked @param {VoiceKey} voice @param {Partial<SessionOptions>} [more] @returns {Promise<Session>}
 */
async function openVoice({ registry, visitor, settings, request }, { sessionId, resumeToken }, more = {}) {
  const given = await settings.session?.({ request, identity: visitor.identity })
  const { identity } = visitor
  const own = { sessionId, resumeToken, resumeOnly: true, principal: identity?.principal, roles: identity?.roles }
  return registry.createSession({ mode: 'text', exclusive: false, ...given, ...own, ...more })
}

/**
 * Attaches to the session that has the list of the user's chats; null if it must exist and does not.
 * @param {Asked} asked @param {{ resumeOnly?: boolean }} how
 */
async function openList({ registry, visitor }, { resumeOnly = false }) {
  const { listId: sessionId, principal } = visitor
  if (resumeOnly && visitor.isNew) return null
  return registry.createSession({ mode: 'text', exclusive: false, sessionId, principal, resumeOnly }).catch(noneIfOver)
}

/** A session that is over, or is not kept any more, has nothing. @param {unknown} error @returns {null} */
function noneIfOver(error) {
  if (isInstance(error, Error) && memberOf(error, 'type') === 'SESSION_INACTIVE') return null
  throw error
}

/** Runs `act` and detaches in any case. @template {Session | null} S @template T @param {S} session @param {(session: S) => Promise<T> | T} act */
async function whileAttached(session, act) {
  try {
    return await act(session)
  } finally {
    await session?.detach()
  }
}

module.exports = { noneIfOver, openAsked, openChat, openKnownChat, openList, openOrBeginChat, openVoice, whileAttached }
