'use strict'

// Who sends a request, and which sessions are theirs. The server chooses the ids of sessions: an HMAC of the user and the chat, so
// that no page names a session, and no user can have, or take, the id of another one's.

const { createHmac } = require('node:crypto')
const { messageOf } = require('../../values/foreign.js')
const { HttpRefusal } = require('../http-refusal.js')
const { createSessionCookie } = require('../session-cookie.js')

/** The chat of requests that name none. */
const MAIN_CHAT = 'main'
const CHAT_ID = /^[\w-]{1,128}$/

/**
 * @typedef {import('../../http/client-limits.js').Client} Client
 * @typedef {import('../../http/authentication.js').Identity} Identity
 * @typedef {import('../../gate/registry.js').ToolRegistry} ToolRegistry
 * @typedef {object} Visitor
 * @property {Identity | null} identity null without authentication
 * @property {Client} client whose limits count
 * @property {string} principal
 * @property {boolean} isNew whether no request before has shown who they are: they have no session
 * @property {(chatId: string) => string} sessionIdOf the id of a chat's session
 * @property {string} listId the id of the session that has the list of chats
 * @property {Record<string, string>} headers of the answer: the cookie, renewed
 */

/**
 * @param {Request} request
 * @param {{ registry: ToolRegistry, identify: ((asked: import('../../http/authentication.js').Incoming) => Promise<Identity | null>) | null,
 *   cookieSecret?: string | Uint8Array, addressOf?: (request: Request) => string | null, onError: (error: unknown, request: Request) => unknown }} settings
 * @returns {Promise<Visitor>}
 */
async function visitorOf(request, settings) {
  const { registry, identify, addressOf = () => null } = settings
  const address = addressOf(request)
  const key = await registry.keyOf('chat')
  if (identify === null) return guestOf(request, settings, key, { address })
  const identity = await identified(request, identify, settings, address)
  const { principal, limits } = identity
  const owner = ['user', principal]
  return {
    identity,
    client: { address, principal, limits },
    principal,
    isNew: false,
    sessionIdOf: chatId => sessionId(key, [...owner, chatId]),
    listId: sessionId(key, owner),
    headers: {},
  }
}

/** @param {Request} request @param {Parameters<typeof visitorOf>[1]} settings @param {Buffer} key @param {Client} client @returns {Promise<Visitor>} */
async function guestOf(request, { registry, cookieSecret }, key, client) {
  const cookie = createSessionCookie({ registry, secret: cookieSecret })
  const known = await cookie.read(request)
  const user = known ?? cookie.create()
  const owner = ['cookie', user.id]
  return {
    identity: null,
    client,
    principal: user.principal,
    isNew: known === null,
    sessionIdOf: chatId => (chatId === MAIN_CHAT ? user.id : sessionId(key, [...owner, chatId])),
    listId: sessionId(key, owner),
    headers: { 'set-cookie': await cookie.header(request, user) },
  }
}

/**
 * @param {Request} request @param {NonNullable<Parameters<typeof visitorOf>[1]['identify']>} identify
 * @param {Parameters<typeof visitorOf>[1]} settings @param {string | null} address
 */
async function identified(request, identify, { onError }, address) {
  const { pathname, search } = new URL(request.url)
  const headers = Object.fromEntries(request.headers)
  const socket = { remoteAddress: address ?? undefined }
  const identity = await identify({ headers, method: request.method, url: pathname + search, socket }).catch(error => {
    onError(new Error(`\`authenticate\` failed: ${messageOf(error)}`, { cause: error }), request)
    throw new HttpRefusal(500, 'INTERNAL', 'the identity could not be checked')
  })
  if (identity === null) throw new HttpRefusal(401, 'AUTH', 'sign in first: the request has no identity')
  return identity
}

/** @param {Buffer} key @param {string[]} named */
const sessionId = (key, named) => createHmac('sha256', key).update(JSON.stringify(named)).digest('base64url')

/** The chat that a request names. @param {unknown} id */
function chatIdOf(id) {
  if (id === undefined || id === null) return MAIN_CHAT
  if (typeof id === 'string' && CHAT_ID.test(id)) return id
  throw new HttpRefusal(
    400,
    'VALIDATION',
    'the body has a wrong shape: `/id` must be 1 to 128 letters, digits, `_` and `-`',
  )
}

module.exports = { MAIN_CHAT, chatIdOf, visitorOf }
