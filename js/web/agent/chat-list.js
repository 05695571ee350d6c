'use strict'

// The list of a user's chats: kept in the state of a session of its own.

const { openList, whileAttached } = require('./chat-session.js')
const { cut } = require('./kept-message.js')

/** Of more, the one that was used longest ago goes. */
const MAX_CHATS = 50
const MAX_TITLE = 80
const FIELD = 'chat.'

/**
 * @typedef {import('../../gate/session.js').Session} Session
 * @typedef {import('./chat-session.js').Asked} Asked
 * @typedef {{ id: string, title: string, updatedAt: string }} ListedChat
 */

/** The newest first. @param {Asked} asked @returns {Promise<ListedChat[]>} */
async function readChats(asked) {
  return whileAttached(await openList(asked, { resumeOnly: true }), session =>
    session === null ? [] : fieldsOf(session).map(([, chat]) => chat),
  )
}

/** Puts a chat first; its title is its first message. @param {Asked} asked @param {string} id @param {string} text */
async function listChat(asked, id, text) {
  await whileAttached(await openList(asked, {}), session => {
    if (session === null) return
    const fields = fieldsOf(session)
    const [name, known] = fields.find(([, chat]) => chat.id === id) ?? [freeField(fields), null]
    const title = known?.title ?? cut(text.trim().replace(/\s+/g, ' '), MAX_TITLE)
    session.state.set(name, { id, title, updatedAt: new Date().toISOString() })
  })
}

/** @param {Session} session @returns {[string, ListedChat][]} */
function fieldsOf(session) {
  const fields = Object.entries(session.state.getSnapshot()).filter(([name]) => name.startsWith(FIELD))
  return /** @type {[string, ListedChat][]} */ (fields).toSorted(([, a], [, b]) => (a.updatedAt < b.updatedAt ? 1 : -1))
}

/** @param {[string, ListedChat][]} fields */
function freeField(fields) {
  const oldest = fields.at(-1)
  if (oldest !== undefined && fields.length >= MAX_CHATS) return oldest[0]
  const used = new Set(fields.map(([name]) => name))
  const number = Array.from({ length: MAX_CHATS }, (_, at) => at).find(at => !used.has(`${FIELD}${at}`))
  return `${FIELD}${number ?? 0}`
}

module.exports = { listChat, readChats }
