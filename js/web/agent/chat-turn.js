'use strict'

// One chat request: its session, its turn, and its answer as a stream. The model's calls go through the gate, and each of them is
// answered: a question is an answer, and the page gets its card beside it. A request whose last message is the assistant's asks for
// the model's words about what was decided since; each decision is reported once.

const { randomUUID } = require('node:crypto')
const { repairToolCall, toAiSdkTools } = require('../../adapters/ai-sdk-tools.js')
const { ToolError } = require('../../answers/errors.js')
const { listChat } = require('./chat-list.js')
const { openChat, openKnownChat, openOrBeginChat, openVoice, whileAttached } = require('./chat-session.js')
const { completeHistory } = require('./complete-history.js')
const { keepMessages, keepRequest } = require('./conversation.js')
const { callIdsIn, endingWith, withoutAnswers } = require('./decided-calls.js')
const { withRows } = require('./questions.js')
const { ShownParts } = require('./shown-parts.js')
const { streamResponse } = require('./ui-stream.js')
const { addUnreported, takeDecided } = require('./unreported.js')
const { recordUserTimeout, refuseDuringTimeout, userTimeoutUntil } = require('./user-timeout.js')

const MAX_STEPS = 10

/**
 * @typedef {import('../../gate/session.js').Session} Session
 * @typedef {import('./chat-session.js').Asked} Asked
 * @typedef {import('./body.js').ChatBody} ChatBody
 * @typedef {import('./body.js').ChatMessage} ChatMessage
 * @typedef {import('./ui-stream.js').Write} Write
 * @typedef {Parameters<typeof repairToolCall>[0] & { toolCall: { toolCallId: string } }} FailedCall
 * @typedef {{ session: Session, decided: Set<string>, deliverTo(write: Write | null): void }} Attached
 * @typedef {object} Turn
 * @property {Asked} asked
 * @property {ChatBody} body
 * @property {Attached} attached
 * @property {ChatMessage[]} messages each call with its answer
 * @property {Set<string>} decided the calls about which the user has decided, and which this turn reports to the model
 * @property {Set<string>} questions the calls of this answer that ask
 * @property {AbortController} stopped
 */

/** @param {Asked} asked @param {ChatBody} body @returns {Promise<Response>} */
async function answerChat(asked, body) {
  const { settings, visitor, request } = asked
  const headers = body.voice === undefined && !(goesOn(body) && visitor.isNew) ? visitor.headers : {}
  const attached = await openTurn(asked, body)
  if (attached === null) return streamResponse(async () => {}, { headers, onGone: () => {} })
  const { session, decided } = attached
  const stopped = new AbortController()
  const onGone = () => stopped.abort()
  if (request.signal.aborted) onGone()
  request.signal.addEventListener('abort', onGone, { once: true })
  const end = async () => {
    request.signal.removeEventListener('abort', onGone)
    attached.deliverTo(null)
    settings.running.delete(session)
    await session.detach()
  }
  settings.running.add(session)
  try {
    const messages = await historyOf(asked, body, attached)
    const turn = { asked, body, attached, messages, decided, questions: new Set(), stopped }
    if (!goesOn(body)) await keep(turn, keeper => keepRequest(keeper, /** @type {ChatMessage} */ (messages.at(-1))))
    if (body.voice === undefined || !visitor.isNew) await listChat(asked, body.chatId, titleOf(messages))
    // Before the response: what the host refuses has a status.
    const begun = await beginAnswer(turn)
    return streamResponse(write => streamAnswer(turn, begun, write).finally(end), { headers, onGone })
  } catch (error) {
    addUnreported(session, decided)
    await end()
    throw error
  }
}

/** Whether the request has no new message. @param {ChatBody} body */
const goesOn = ({ messages }) => messages.at(-1)?.role === 'assistant'

/**
 * Attaches, and begins the turn of the user's last message; the same message sent again continues its turn. Null if the request has no
 * new message, and no decision is left to report to the model.
 * @param {Asked} asked @param {ChatBody} body @returns {Promise<Attached | null>}
 */
async function openTurn(asked, body) {
  const { chatId, voice, messages, timeZone } = body
  /** @type {Write | null} */
  let write = null
  const send = (/** @type {import('./ui-stream.js').StreamPart} */ message) => {
    if (write === null) throw new ToolError('TRANSIENT', 'the page is no longer connected', { retryable: true })
    recordUserTimeout(/** @type {Session} */ (session), message)
    write({ type: 'data-tool-message', data: message })
  }
  const options = {
    messaging: { send },
    onProgress: (/** @type {import('toolgate').ProgressNews} */ news) =>
      write?.({ type: 'data-tool-message', data: { type: 'tool_progress', ...news } }),
    timeZone,
  }
  const session =
    voice !== undefined
      ? await openVoice(asked, voice, options)
      : await (goesOn(body) ? openKnownChat(asked, chatId, options) : openOrBeginChat(asked, chatId, options))
  if (session === null) return null
  try {
    refuseDuringTimeout(session)
    await session.beginTurn((messages.findLast(({ role }) => role === 'user') ?? messages.at(-1))?.id)
    const decided = await takeDecided(session, callIdsIn(messages))
    if (decided.size > 0 || !goesOn(body)) return { session, decided, deliverTo: next => void (write = next) }
    await session.detach()
    return null
  } catch (error) {
    await session.detach()
    throw error
  }
}

/** The messages, each call with its answer. @param {Asked} asked @param {ChatBody} body @param {Attached} attached */
async function historyOf(asked, { messages, chatId, voice }, { session, decided }) {
  const sent = withoutAnswers(messages, decided)
  if (voice === undefined) return completeHistory([session], sent)
  // What was called before the voice call is in the chat's own session.
  return whileAttached(await openKnownChat(asked, chatId), own =>
    completeHistory(own === null ? [session] : [session, own], sent),
  )
}

/**
 * What the model's tools show while it answers, until the stream is open.
 * @typedef {{ parts(options: object): ReadableStream<import('./ui-stream.js').StreamPart>, showTo(write: Write): void, shown: ShownParts, limit: AbortSignal | null }} Begun
 * @param {Turn} turn @returns {Promise<Begun>}
 */
async function beginAnswer({ asked, body, attached: { session }, messages, decided, questions, stopped }) {
  const { registry, settings, visitor, request } = asked
  /** @type {Write | null} */
  let write = null
  /** @type {import('./ui-stream.js').StreamPart[]} */
  const early = []
  const tools = toAiSdkTools(session, {
    registry,
    approvals: false,
    meta: settings.meta,
    onToolResponse: response => {
      const card = cardOf(session, response)
      if (card === null) return
      if (response.meta.callId) questions.add(response.meta.callId)
      if (write === null) early.push(card)
      else write(card)
    },
  })
  const shown = new ShownParts(session, registry, Object.keys(tools))
  const limit = settings.answerMs === undefined ? null : AbortSignal.timeout(settings.answerMs)
  const abortSignal = limit === null ? stopped.signal : AbortSignal.any([stopped.signal, limit])
  const gate = /** @type {import('./index.js').AgentTurn} */ ({
    messages: /** @type {unknown[]} */ (goesOn(body) ? endingWith(messages, decided) : messages),
    tools,
    experimental_repairToolCall: async (/** @type {FailedCall} */ failed) => {
      const repaired = await repairToolCall(failed)
      if (repaired !== null) shown.answeredByGate(failed.toolCall.toolCallId)
      return repaired
    },
    stopWhen: (/** @type {{ steps: unknown[] }} */ { steps }) =>
      steps.length >= MAX_STEPS || userTimeoutUntil(session) > Date.now(),
    abortSignal,
  })
  const { identity } = visitor
  const result = await settings.answer(gate, { session, request, identity, timeZone: body.timeZone })
  return {
    parts: options => result.toUIMessageStream(options),
    shown,
    showTo: next => {
      write = next
      early.splice(0).forEach(next)
    },
    limit,
  }
}

/** Never rejects. @param {Turn} turn @param {Begun} begun @param {Write} write */
async function streamAnswer(turn, { parts, showTo, shown, limit }, write) {
  const { asked, attached, messages } = turn
  const { settings, request } = asked
  /** @type {{ message: ChatMessage, isAborted: boolean } | null} */
  let answer = null
  let isBroken = false
  attached.deliverTo(write)
  showTo(write)
  /** @param {unknown} error */
  const onError = error => {
    isBroken = true
    settings.onError(error, request)
    return settings.errorText(error)
  }
  try {
    const stream = parts({
      originalMessages: messages,
      generateMessageId: randomUUID,
      onError,
      onFinish: (/** @type {{ responseMessage: ChatMessage, isAborted: boolean }} */ { responseMessage, isAborted }) =>
        void (answer = { message: responseMessage, isAborted }),
    })
    // Read to its end also if the page has gone: only then is the last call settled, and the answer whole.
    for await (const part of stream) shown.of(part).forEach(write)
    if (limit?.aborted) write({ type: 'error', errorText: tooLong(Number(settings.answerMs)) })
  } catch (error) {
    write({ type: 'error', errorText: onError(error) })
  }
  if (isBroken) turn.decided.forEach(callId => turn.questions.add(callId))
  const made = /** @type {{ message: ChatMessage, isAborted: boolean } | null} */ (answer)
  addUnreported(attached.session, turn.questions)
  if (made === null) return
  const isCut = made.isAborted || isBroken
  await keep(turn, keeper => keepMessages(keeper, [made.message], { isCut })).catch(error =>
    settings.onError(error, request),
  )
}

/** @param {number} ms */
const tooLong = ms => `the answer took longer than ${ms / 1000} seconds and was stopped`

/**
 * Changes the conversation, which the chat's own session keeps, also while a turn uses that of a voice call. Attached anew: another
 * tab may have added to it since the turn began.
 * @param {Turn} turn @param {(session: Session) => void} change
 */
async function keep({ asked, body }, change) {
  if (body.voice !== undefined && asked.visitor.isNew) return
  await whileAttached(await openChat(asked, body.chatId), change)
}

/** @param {ChatMessage[]} messages */
const titleOf = messages =>
  String(messages.find(({ role }) => role === 'user')?.parts.find(({ type }) => type === 'text')?.text ?? '')

/**
 * The card of a question, outside of the messages, because they come back with the next request: it has the token.
 * @param {Session} session @param {import('toolgate').ToolResponse} response @returns {import('./ui-stream.js').StreamPart | null}
 */
function cardOf(session, response) {
  if (response.ok || response.error.type !== 'CONFIRMATION_REQUIRED') return null
  const request = response.error.confirmation_request
  if (!request?.token) return null
  const data = { ...withRows(session, request), callId: response.meta.callId ?? null }
  return { type: 'data-confirmation', data, transient: true }
}

module.exports = { answerChat }
