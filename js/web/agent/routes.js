'use strict'

// The routes beside the chat: the conversation, its questions and their answers, grants, tools of the page, and the end of a call.

const { httpStatus } = require('../../answers/errors.js')
const { toModelResponse } = require('../../answers/views.js')
const { jsonResponse } = require('../http-refusal.js')
const { createToolRoute } = require('../tool-route.js')
const { readCallId, readChat, readDecision, readKnown, readQuery, readRevocation, readSpoken } = require('./body.js')
const { readChats } = require('./chat-list.js')
const { processClosing } = require('./closing.js')
const { openAsked, openKnownChat, openOrBeginChat, whileAttached } = require('./chat-session.js')
const { answerChat } = require('./chat-turn.js')
const { completeHistory } = require('./complete-history.js')
const { keepMessages, readConversation } = require('./conversation.js')
const { closedQuestions, differ, shownPending } = require('./questions.js')
const { refuseDuringTimeout } = require('./user-timeout.js')
const { MAIN_CHAT } = require('./visitor.js')
const { HttpRefusal } = require('../http-refusal.js')

/** Maximum wait, shorter than the request timeouts of platforms and proxies. */
const WATCH_MS = 20_000
/** How often the store is asked, which another process changes. */
const LOOK_MS = 1000
/** Of the arguments of a tool that the page calls. */
const MAX_ARGS_BYTES = 256 * 1024
/** The way in which the answer came, in audit lines. */
const VIA = 'page'

/**
 * @typedef {import('../../gate/session.js').Session} Session
 * @typedef {import('./chat-session.js').Asked} Asked
 * @typedef {(asked: Asked) => Promise<Response>} Route
 * @typedef {object} RouteSettings
 * @property {import('./index.js').AgentAnswer} answer
 * @property {import('./index.js').AgentRoutesOptions['session']} [session]
 * @property {import('toolgate').ModelMeta} meta
 * @property {number} [answerMs]
 * @property {number} [maxBodyBytes] of a chat
 * @property {AbortSignal} [closing]
 * @property {import('./limits.js').RouteLimits} limit
 * @property {ReturnType<typeof import('../http-refusal.js').errorListener>} onError
 * @property {(error: unknown) => string} errorText
 * @property {Set<Session>} running the sessions of turns that are being answered in this process
 * @property {Map<string, unknown>} progress the last news of approved calls that run in this process, by session and token
 */

/** @param {Asked} asked @param {unknown} body @param {number} [status] */
function answerOf({ visitor }, body, status = 200) {
  return jsonResponse(body, status, visitor.isNew ? {} : visitor.headers)
}

/** @type {Route} */
async function chat(asked) {
  return answerChat(asked, await readChat(asked.request, asked.settings.maxBodyBytes))
}

/** @type {Route} */
async function conversation(asked) {
  const { chatId } = readQuery(asked.request)
  const kept = await whileAttached(await openKnownChat(asked, chatId), async session => {
    if (session === null) return { messages: [], pending: [] }
    const [messages, pending] = [
      await completeHistory([session], readConversation(session)),
      await shownPending(session),
    ]
    return { messages, pending, ...(isRunning(asked, session) && { running: true }) }
  })
  return answerOf(asked, kept)
}

/** @param {Asked} asked @param {Session} session */
const isRunning = ({ settings }, { sessionId }) => [...settings.running].some(other => other.sessionId === sessionId)

/** Adds what was said in a voice call to the conversation. @type {Route} */
async function spoken(asked) {
  const { chatId, messages } = await readSpoken(asked.request)
  await whileAttached(await openOrBeginChat(asked, chatId), session => keepMessages(session, messages))
  return jsonResponse({ kept: messages.length }, 200, asked.visitor.headers)
}

/** @type {Route} */
const conversations = async asked => answerOf(asked, { conversations: await readChats(asked) })

/** @type {Route} */
async function pendingOf(asked) {
  const { chatId } = readQuery(asked.request)
  const pending = await whileAttached(await openKnownChat(asked, chatId), session =>
    session === null ? [] : shownPending(session),
  )
  return answerOf(asked, { pending })
}

/**
 * Approves or denies. An approval runs the call as it was shown, or as `args` change it; a refusal of `args` or `grant` leaves the
 * question pending.
 * @type {Route}
 */
async function decide(asked) {
  const { confirmationToken, decision, args, grant, ...named } = await readDecision(asked.request)
  const { progress } = asked.settings
  let key = ''
  const onProgress = (/** @type {import('toolgate').ProgressNews} */ { update }) => void progress.set(key, update)
  return whileAttached(await openAsked(asked, named, { onProgress }), async session => {
    refuseDuringTimeout(session)
    if (decision === 'deny')
      return answerOf(asked, { denied: await session.deny(confirmationToken, undefined, { via: VIA }) })
    key = progressKey(session, confirmationToken)
    const response = await session
      .confirm(confirmationToken, { via: VIA, args, grant })
      .finally(() => progress.delete(key))
    const status = response.ok ? 200 : httpStatus(response.error.type)
    return answerOf(asked, { response: toModelResponse(response, { meta: 'full' }) }, status)
  })
}

/** @param {Session} session @param {string} token */
const progressKey = ({ sessionId }, token) => `${sessionId} ${token}`

/**
 * Long poll: the pending questions, once they differ from those that the page knows, or after the wait; and what came of those that
 * no longer wait.
 * @type {Route}
 */
async function watch(asked) {
  const { settings, visitor, request } = asked
  const { known, ...named } = await readKnown(request)
  const closing = settings.closing ?? processClosing()
  const questions = await whileAttached(await openAsked(asked, named), session =>
    settings.limit.longPoll(visitor, async () => {
      const pending = await whenOther(session, known, [request.signal, closing])
      const progressOf = (/** @type {string} */ token) => settings.progress.get(progressKey(session, token))
      const gone = known.map(({ token }) => token).filter(token => !pending.some(question => question.token === token))
      return { pending: await shownPending(session, pending), closed: await closedQuestions(session, gone, progressOf) }
    }),
  )
  const response = answerOf(asked, questions)
  if (closing?.aborted) response.headers.set('connection', 'close')
  return response
}

/** @param {Session} session @param {import('./body.js').KnownQuestion[]} known @param {(AbortSignal | undefined)[]} ends */
async function whenOther(session, known, ends) {
  const until = Date.now() + WATCH_MS
  const end = AbortSignal.any(ends.flatMap(signal => signal ?? []))
  for (;;) {
    const pending = await session.listPending()
    if (differ(pending, known) || end.aborted || Date.now() >= until) return pending
    await pause(LOOK_MS, end)
  }
}

/** @param {number} ms @param {AbortSignal} end @returns {Promise<void>} */
function pause(ms, end) {
  return new Promise(resolve => {
    const done = () => {
      clearTimeout(timer)
      end.removeEventListener('abort', done)
      resolve()
    }
    const timer = setTimeout(done, ms)
    end.addEventListener('abort', done)
  })
}

/** @type {Route} */
async function grants(asked) {
  return answerOf(asked, { grants: await grantsOf(asked, readQuery(asked.request)) })
}

/** What the user has granted; ends one before, if `revoke` names it. @type {Route} */
async function changeGrants(asked) {
  const { revoke, ...named } = await readRevocation(asked.request)
  if (revoke === undefined && named.voice === undefined)
    return answerOf(asked, { grants: await grantsOf(asked, named) })
  return whileAttached(await openAsked(asked, named), async session => {
    if (revoke !== undefined) await session.revoke(revoke, { via: VIA })
    return answerOf(asked, { grants: await session.grants() })
  })
}

/** None in a chat that has not begun. @param {Asked} asked @param {{ chatId: string }} named */
async function grantsOf(asked, { chatId }) {
  return whileAttached(await openKnownChat(asked, chatId), session => (session === null ? [] : session.grants()))
}

/** A tool that the page calls, in the session of a chat. @type {Route} */
async function tool(asked) {
  const { request, registry, visitor, settings } = asked
  if (visitor.isNew) throw new HttpRefusal(401, 'AUTH', 'this browser has no session: send a message first')
  const { chatId } = readQuery(request)
  const route = createToolRoute(registry, {
    session: async () => ({
      mode: 'text',
      ...(await settings.session?.({ request, identity: visitor.identity })),
      sessionId: visitor.sessionIdOf(chatId),
      principal: visitor.principal,
      roles: visitor.identity?.roles,
      // A chat begins with a message.
      resumeOnly: chatId !== MAIN_CHAT,
    }),
    beforeCall: session => refuseDuringTimeout(/** @type {Session} */ (session)),
    // Checked before the request was dispatched.
    allowedOrigins: () => {},
    maxBodyBytes: MAX_ARGS_BYTES,
    onError: settings.onError,
  })
  return route(request)
}

/** Stops a call of the chat that runs in this process, as its effect class allows. @type {Route} */
async function cancelCall(asked) {
  const { callId, ...named } = await readCallId(asked.request)
  return whileAttached(await openAsked(asked, named), async session => {
    const isWaitedFor = session.cancel(callId, 'stopped by the user')
    const effect = isWaitedFor ? null : await session.cancelBackground(callId, 'stopped by the user')
    return answerOf(asked, { cancelled: isWaitedFor || effect !== null })
  })
}

/** By path and method. @type {Record<string, Record<string, Route>>} */
const ROUTES = {
  chat: { POST: chat },
  conversation: { GET: conversation, POST: spoken },
  conversations: { GET: conversations },
  confirmations: { GET: pendingOf, POST: decide },
  'confirmations/watch': { POST: watch },
  grants: { GET: grants, POST: changeGrants, DELETE: changeGrants },
  'calls/cancel': { POST: cancelCall },
}

/** The route of a request, by the end of its path. @param {Request} request @returns {Route} */
function routeOf({ method, url }) {
  const segments = new URL(url).pathname.split('/').filter(Boolean)
  const [room, last] = [segments.at(-2), segments.at(-1) ?? '']
  const routes = room === 'tools' ? { POST: tool } : (own(`${room}/${last}`) ?? own(last))
  if (routes === undefined) throw new HttpRefusal(404, 'NOT_FOUND', 'there is no such route')
  const route = Object.hasOwn(routes, method) ? /** @type {Record<string, Route>} */ (routes)[method] : undefined
  if (route !== undefined) return route
  const allow = Object.keys(routes).join(', ')
  throw new HttpRefusal(405, 'VALIDATION', `\`${method}\` is not supported; use ${allow}`, { allow })
}

/** @param {string} name */
const own = name => (Object.hasOwn(ROUTES, name) ? ROUTES[name] : undefined)

module.exports = { routeOf }
