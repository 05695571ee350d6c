'use strict'
// The route of a chat page that uses `useChat`: a web-standard Request with the page's messages becomes one answer of the model,
// whose tool calls go through the session of the chat. The host calls `streamText` itself.

const { RegistryVersionMismatch } = require('../answers/errors.js')
const { checkOptionNames } = require('../gate/option-checks.js')
const { createHostPolicy } = require('../http/host-policy.js')
const { isInstance } = require('../values/foreign.js')
const { HttpRefusal, refusalOf } = require('../web/http-refusal.js')
const {
  checkContentType,
  checkHost,
  checkMethod,
  checkOrigin,
  jsonMembers,
  readBody,
} = require('../web/request-checks.js')
const { denyDeclined } = require('./ai-sdk-approvals.js')
const { confirmationMetadata, repairToolCall, toAiSdkTools } = require('./ai-sdk-tools.js')

const OPTIONS = ['session', 'stream', 'allowedHosts', 'allowedOrigins', 'maxBodyBytes']
const MAX_BODY_BYTES = 4 * 1024 * 1024
const MAX_STEPS = 10
const EXAMPLE = '{ "id": "…", "messages": [] }'

/**
 * @typedef {import('toolgate').ToolRegistry} ToolRegistry
 * @typedef {import('toolgate').Session} Session
 * @typedef {import('./ai-sdk.js').ChatRouteOptions} ChatRouteOptions
 * @typedef {{ id: string, messages: unknown[] }} Chat
 */

/** @type {typeof import('./ai-sdk.js').createChatRoute} */
function createChatRoute(registry, options) {
  checkOptionNames(options, OPTIONS, 'chat route')
  for (const name of /** @type {const} */ (['session', 'stream'])) {
    if (typeof options[name] !== 'function') throw new TypeError(`\`${name}\` is missing; it must be a function`)
  }
  const isKnownHost = options.allowedHosts === undefined ? () => true : createHostPolicy(options.allowedHosts)
  return async request => {
    try {
      checkHost(request, isKnownHost)
      const chat = await readChat(request, options)
      const loaded = typeof registry === 'function' ? await registry() : registry
      return await answer(await openSession(loaded, chat.id, await options.session(request)), chat, request, options)
    } catch (error) {
      const refusal = refusalOf(error)
      // The server logs what it does not expect.
      if (refusal.type === 'INTERNAL') throw error
      return refusal.toResponse()
    }
  }
}

/** @param {Request} request @param {ChatRouteOptions} options @returns {Promise<Chat>} */
async function readChat(request, { allowedOrigins = [], maxBodyBytes = MAX_BODY_BYTES }) {
  checkMethod(request)
  checkOrigin(request, allowedOrigins)
  checkContentType(request, 'the chat')
  const body = await readBody(request, maxBodyBytes, 'the chat is')
  const { id, messages } = jsonMembers(Buffer.from(body).toString(), EXAMPLE)
  if (typeof id !== 'string' || id === '' || !Array.isArray(messages))
    throw new HttpRefusal(
      400,
      'VALIDATION',
      `the body must have the chat's \`id\` and its \`messages\`, such as \`${EXAMPLE}\``,
    )
  return { id, messages }
}

/**
 * The session of the chat, one for all of its requests. In development a session does not outlive a reload of the tool set: the chat
 * continues in another one.
 * @param {ToolRegistry} registry
 * @param {string} id
 * @param {Partial<import('toolgate').SessionOptions>} given
 */
async function openSession(registry, id, given) {
  /** @type {import('toolgate').SessionOptions} */
  const options = { sessionId: id, mode: 'text', ...given }
  const session = await registry.createSession(options)
  try {
    await session.executeAll([]) // throws what any call of the session would throw
    return session
  } catch (error) {
    await session.detach()
    if (!isInstance(error, RegistryVersionMismatch)) throw error
    return registry.createSession({ ...options, sessionId: `${options.sessionId}:${registry.getVersion()}` })
  }
}

/** @param {Session} session @param {Chat} chat @param {Request} request @param {ChatRouteOptions} options */
async function answer(session, { messages }, request, { stream }) {
  try {
    await denyDeclined(session, messages)
    const tools = toAiSdkTools(session)
    const messageMetadata = confirmationMetadata(/** @type {Parameters<typeof confirmationMetadata>[0]} */ (tools))
    const gate = /** @type {import('./ai-sdk.js').ChatStreamOptions} */ ({
      messages,
      tools,
      experimental_repairToolCall: repairToolCall,
      stopWhen: ({ steps }) => steps.length >= MAX_STEPS,
      abortSignal: request.signal,
    })
    const result = await stream(gate, { session, request, messageMetadata })
    const response =
      result instanceof Response
        ? result
        : result.toUIMessageStreamResponse({ originalMessages: messages, messageMetadata })
    return whenRead(response, () => session.detach())
  } catch (error) {
    await session.detach()
    throw error
  }
}

/**
 * The response; `end` runs once, when its body was read or its client has gone.
 * @param {Response} response @param {() => Promise<void>} end
 */
function whenRead(response, end) {
  if (response.body === null) return response
  const reader = response.body.getReader()
  /** @type {UnderlyingSource<Uint8Array>} */
  const source = {
    async pull(controller) {
      try {
        const { done, value } = await reader.read()
        if (!done) return controller.enqueue(value)
        controller.close()
      } catch (error) {
        controller.error(error)
      }
      await end()
    },
    async cancel(reason) {
      await reader.cancel(reason).finally(end)
    },
  }
  return new Response(new ReadableStream(source), response)
}

module.exports = { createChatRoute }
