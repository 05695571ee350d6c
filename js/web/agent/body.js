'use strict'

// Bodies of the routes, checked by small functions. A browser can send any history: it grants nothing, and is only text for the
// model.

const { HttpRefusal } = require('../http-refusal.js')
const { checkContentType, jsonMembers, readBody } = require('../request-checks.js')
const { chatIdOf } = require('./visitor.js')

/** Of the body of a chat, and of all others. */
const MAX_CHAT_BYTES = 4 * 1024 * 1024
const MAX_BODY_BYTES = 256 * 1024
/** The newest messages, which the model gets: older ones hardly influence an answer, and are not read. */
const MAX_MESSAGES = 100
/** The parts of these messages together: far more than a hundred usual ones have. */
const MAX_PARTS = 2_000
/** Of an argument or a result in the history: the depth at which the gate refuses arguments. */
const MAX_DEPTH = 64
const MAX_USER_CHARACTERS = 16_000
const MAX_SPOKEN = 40
const MAX_SPOKEN_CHARACTERS = 8000
const MAX_KNOWN = 64
const MAX_CONFIRMATIONS = 10
const MAX_CALL_ID = 256
const DECISION_MEMBERS = ['id', 'voice', 'confirmationToken', 'decision', 'args', 'grant']

/**
 * @typedef {import('../../shared-types.js').JsonObject} JsonObject
 * @typedef {import('./chat-session.js').VoiceKey} VoiceKey
 * @typedef {{ id: string, role: 'user' | 'assistant', parts: JsonObject[], metadata?: JsonObject }} ChatMessage
 * @typedef {{ chatId: string, voice?: VoiceKey }} Named
 * @typedef {Named & { messages: ChatMessage[], timeZone?: string }} ChatBody
 * @typedef {{ token: string, confirmations?: number }} KnownQuestion
 * @typedef {Named & { confirmationToken: string, decision: 'approve' | 'deny', args?: JsonObject, grant?: import('toolgate').NewGrant }} Decision
 */

/** @param {string} place @param {string} problem @returns {never} */
function wrong(place, problem) {
  throw new HttpRefusal(400, 'VALIDATION', `the body has a wrong shape: \`${place}\` ${problem}`)
}

/** @param {Request} request @param {number} [maxBytes] @returns {Promise<JsonObject>} */
async function readJson(request, maxBytes = MAX_BODY_BYTES) {
  checkContentType(request, 'the body')
  return jsonMembers((await readBody(request, maxBytes, 'the body is')).toString(), '{}')
}

/** @param {unknown} value @param {number} longest @returns {value is string} */
const isText = (value, longest, shortest = 1) =>
  typeof value === 'string' && value.length >= shortest && value.length <= longest && value.isWellFormed()

/** @param {unknown} value @returns {value is JsonObject} */
const isObject = value => typeof value === 'object' && value !== null && !Array.isArray(value)

/** Whether a value can be written as JSON again. @param {unknown} value @returns {boolean} */
const isShallow = (value, left = MAX_DEPTH) =>
  typeof value !== 'object' ||
  value === null ||
  (left > 0 && Object.values(value).every(inner => isShallow(inner, left - 1)))

/** @param {unknown} value @param {number} least @param {number} most @returns {value is number} */
const isWhole = (value, least, most) => Number.isInteger(value) && Number(value) >= least && Number(value) <= most

/** @param {JsonObject} body @returns {Named} */
function namedIn({ id, voice }) {
  const chatId = chatIdOf(id)
  if (voice === undefined || voice === null) return { chatId }
  const { sessionId, resumeToken } = isObject(voice)
    ? voice
    : wrong('/voice', 'must be the credentials of a voice call')
  if (!isText(sessionId, 22, 22) || !/^[\w-]+$/.test(sessionId))
    wrong('/voice/sessionId', 'must be that of a voice call')
  if (!isText(resumeToken, 128, 16)) wrong('/voice/resumeToken', 'must be that of a voice call')
  return { chatId, voice: { sessionId, resumeToken } }
}

/** @param {Request} request @param {number} [maxBytes] @returns {Promise<ChatBody>} */
async function readChat(request, maxBytes = MAX_CHAT_BYTES) {
  const body = await readJson(request, maxBytes)
  const { messages, timeZone } = body
  const named = namedIn(body)
  if (!Array.isArray(messages) || messages.length === 0) wrong('/messages', 'must be a list of messages')
  if (timeZone !== undefined && !isText(timeZone, 64)) wrong('/timeZone', 'must be the name of a time zone')
  const newest = newestOf(messages)
  const first = messages.length - newest.length
  const checked = newest.map((message, at) => messageOf(message, `/messages/${first + at}`))
  return { ...named, messages: checked, timeZone }
}

/**
 * The newest messages within the limits, from one of the user on: the AI SDK takes milliseconds for each hundred parts of a history.
 * @param {unknown[]} messages
 */
function newestOf(messages) {
  let [first, parts] = [messages.length - 1, partsIn(messages.at(-1))]
  while (first > 0 && messages.length - first < MAX_MESSAGES) {
    parts += partsIn(messages[first - 1])
    if (parts > MAX_PARTS) break
    first -= 1
  }
  const newest = messages.slice(first)
  if (first === 0) return newest
  const begin = newest.findIndex(message => isObject(message) && message.role === 'user')
  return newest.slice(Math.max(0, begin))
}

/** @param {unknown} message */
const partsIn = message => (isObject(message) && Array.isArray(message.parts) ? message.parts.length : 0)

/** @param {unknown} message @param {string} place @returns {ChatMessage} */
function messageOf(message, place) {
  const { id, role, parts } = isObject(message) ? message : wrong(place, 'must be a message')
  if (!isText(id, 128)) wrong(`${place}/id`, 'must be a text of 1 to 128 characters')
  if (role !== 'user' && role !== 'assistant') wrong(`${place}/role`, 'must be `user` or `assistant`')
  if (!Array.isArray(parts)) wrong(`${place}/parts`, 'must be a list')
  if (parts.length > MAX_PARTS) throw new HttpRefusal(413, 'VALIDATION', `a message has more than ${MAX_PARTS} parts`)
  const partOf = role === 'user' ? userPart : assistantPart
  const read = parts.flatMap((part, at) => partOf(part, `${place}/parts/${at}`) ?? [])
  if (role === 'user' && read.length === 0) wrong(`${place}/parts`, 'must have a text')
  return { id, role, parts: read }
}

/** @param {unknown} part @param {string} place @returns {JsonObject | null} */
function userPart(part, place) {
  const { type, text, url, mediaType, filename } = isObject(part) ? part : wrong(place, 'must be a part')
  if (type === 'text') {
    if (typeof text !== 'string') wrong(`${place}/text`, 'must be a text')
    if (text.length > MAX_USER_CHARACTERS) wrong(`${place}/text`, `must have at most ${MAX_USER_CHARACTERS} characters`)
    return { type, text }
  }
  if (type !== 'file') return null
  // Another address would be fetched, by this server.
  if (typeof url !== 'string' || !url.startsWith('data:') || !isText(mediaType, 128))
    wrong(place, 'must be a file with its content, as a `data:` URL')
  return { type, url, mediaType, ...(isText(filename, 256) && { filename }) }
}

/** Null for what the page shows and the model does not get. @param {unknown} part @param {string} place @returns {JsonObject | null} */
function assistantPart(part, place) {
  const { type, text } = isObject(part) ? part : wrong(place, 'must be a part')
  if (typeof type !== 'string') wrong(`${place}/type`, 'must be a text')
  if (type === 'step-start') return { type }
  if (type === 'text') return typeof text === 'string' ? { type, text } : wrong(`${place}/text`, 'must be a text')
  return type.startsWith('tool-') || type === 'dynamic-tool' ? toolPart(/** @type {JsonObject} */ (part), place) : null
}

/** @param {JsonObject} part @param {string} place @returns {JsonObject} */
function toolPart({ type, toolName, toolCallId, state, input, output, errorText, title }, place) {
  if (!isText(toolCallId, MAX_CALL_ID)) wrong(`${place}/toolCallId`, `must be a text of 1 to ${MAX_CALL_ID} characters`)
  const name = type === 'dynamic-tool' ? toolName : type.slice('tool-'.length)
  if (!isText(name, 128)) wrong(`${place}/type`, 'must name a tool')
  if (!isShallow(input)) wrong(`${place}/input`, `must have at most ${MAX_DEPTH} levels`)
  if (!isShallow(output)) wrong(`${place}/output`, `must have at most ${MAX_DEPTH} levels`)
  const call = {
    type: `tool-${name}`,
    toolCallId,
    ...(isText(title, 256) && { title }),
    input: isObject(input) ? input : {},
  }
  if (state === 'output-available') return { ...call, state, output: output ?? null }
  if (state === 'output-error')
    return { ...call, state, errorText: typeof errorText === 'string' ? errorText : 'failed' }
  return { ...call, state: state === 'input-streaming' ? state : 'input-available' }
}

/** Words of a voice call, and no calls. @param {Request} request @returns {Promise<Named & { messages: ChatMessage[] }>} */
async function readSpoken(request) {
  const body = await readJson(request)
  const { messages } = body
  if (!Array.isArray(messages) || messages.length === 0 || messages.length > MAX_SPOKEN)
    wrong('/messages', `must be a list of 1 to ${MAX_SPOKEN} messages`)
  const checked = messages.map((message, at) => {
    const place = `/messages/${at}`
    const { id, role, parts } = isObject(message) ? message : wrong(place, 'must be a message')
    if (!isText(id, 128)) wrong(`${place}/id`, 'must be a text of 1 to 128 characters')
    if (role !== 'user' && role !== 'assistant') wrong(`${place}/role`, 'must be `user` or `assistant`')
    const part = Array.isArray(parts) && parts.length === 1 ? parts[0] : null
    if (part?.type !== 'text' || !isText(part.text, MAX_SPOKEN_CHARACTERS))
      wrong(`${place}/parts`, `must be one text of 1 to ${MAX_SPOKEN_CHARACTERS} characters`)
    return { id, role, parts: [{ type: 'text', text: part.text }] }
  })
  return { ...namedIn(body), messages: /** @type {ChatMessage[]} */ (checked) }
}

/** @param {Request} request @returns {Promise<Decision>} */
async function readDecision(request) {
  const body = await readJson(request)
  const { confirmationToken, decision, args, grant } = body
  // A misspelt change would run what was shown.
  const unknown = Object.keys(body).find(name => !DECISION_MEMBERS.includes(name))
  if (unknown !== undefined)
    wrong(`/${unknown.slice(0, 64)}`, `is not known; known are \`${DECISION_MEMBERS.join('`, `')}\``)
  if (!isText(confirmationToken, 512)) wrong('/confirmationToken', 'must be the token of a question')
  if (decision !== 'approve' && decision !== 'deny') wrong('/decision', 'must be `approve` or `deny`')
  if (args !== undefined && !isObject(args)) wrong('/args', 'must be an object')
  if (grant !== undefined && !isGrant(grant))
    wrong('/grant', 'must have `scope`, `calls` (1 to 100) and `ttlMs` (1 s to a day)')
  for (const [name, given] of Object.entries({ args, grant }))
    if (given !== undefined && decision !== 'approve') wrong(`/${name}`, 'can be given with an approval only')
  return { ...namedIn(body), confirmationToken, decision, args, grant }
}

/** @param {unknown} grant @returns {grant is import('toolgate').NewGrant} */
const isGrant = grant =>
  isObject(grant) &&
  (grant.scope === 'args' || grant.scope === 'tool') &&
  isWhole(grant.calls, 1, 100) &&
  isWhole(grant.ttlMs, 1000, 86_400_000)

/** @param {Request} request @returns {Promise<Named & { known: KnownQuestion[] }>} */
async function readKnown(request) {
  const body = await readJson(request)
  const { known } = body
  if (!Array.isArray(known) || known.length > MAX_KNOWN)
    wrong('/known', `must be a list of at most ${MAX_KNOWN} questions`)
  const checked = known.map((question, at) => {
    const { token, confirmations = 0 } = isObject(question) ? question : wrong(`/known/${at}`, 'must be a question')
    if (!isText(token, 512)) wrong(`/known/${at}/token`, 'must be the token of a question')
    if (!isWhole(confirmations, 0, MAX_CONFIRMATIONS)) wrong(`/known/${at}/confirmations`, 'must be a small number')
    return { token, confirmations }
  })
  return { ...namedIn(body), known: checked }
}

/** @param {Request} request @returns {Promise<Named & { revoke?: string }>} */
async function readRevocation(request) {
  const body = await readJson(request)
  const { revoke } = body
  if (revoke !== undefined && !isText(revoke, 128)) wrong('/revoke', 'must be the id of a grant')
  return { ...namedIn(body), revoke }
}

/** @param {Request} request @returns {Promise<Named & { callId: string }>} */
async function readCallId(request) {
  const body = await readJson(request)
  const { callId } = body
  if (!isText(callId, MAX_CALL_ID)) wrong('/callId', 'must be the id of a call')
  return { ...namedIn(body), callId }
}

/** Of a GET: the chat that its query names. @param {Request} request @returns {Named} */
const readQuery = ({ url }) => ({ chatId: chatIdOf(new URL(url).searchParams.get('id')) })

module.exports = { readCallId, readChat, readDecision, readKnown, readQuery, readRevocation, readSpoken }
