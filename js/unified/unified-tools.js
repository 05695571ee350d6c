'use strict'

// Calls of code bases whose tools return `{ success, data?, error? }`: each call goes through the session that its
// context names.

const { randomUUID } = require('node:crypto')

const { toUncheckedSchema } = require('../adapters/unchecked-schema.js')
const { memberOf } = require('../values/foreign.js')
const { parsedArgs } = require('../values/json-text.js')
const { toolRegistry } = require('../gate/registries.js')
const { FAILED, invalidArguments, toToolResult } = require('./tool-result.js')

/** The session of calls whose context names none. */
const ANONYMOUS = 'anonymous'

/**
 * @typedef {import('toolgate').ToolRegistry} ToolRegistry
 * @typedef {import('toolgate').Session} Session
 * @typedef {import('toolgate').ToolResponse} ToolResponse
 * @typedef {import('toolgate').SessionOptions} SessionOptions
 * @typedef {import('./index.js').UnifiedContext} UnifiedContext
 * @typedef {import('./index.js').UnifiedOptions} UnifiedOptions
 * @typedef {import('./index.js').ToolResult} ToolResult
 */

/**
 * The functions over one registry. `context` is the base of each call's context.
 * @param {UnifiedOptions} [options]
 * @returns {import('./index.js').UnifiedTools}
 */
function createUnifiedTools({ registry = toolRegistry, ...base } = {}) {
  /** @type {import('./index.js').UnifiedTools['executeUnifiedTool']} */
  const executeUnifiedTool = async (toolName, args, context) =>
    executeInSession(registry, { name: String(toolName), args }, { ...base, ...context })
  return {
    executeUnifiedTool,
    validateToolArgs: (toolName, args) => validateWith(registry, toolName, args),
    getChatToolDefinitions: (sessionId, context) =>
      chatTools(registry, executeUnifiedTool, { ...base, ...context, ...(sessionId && { sessionId }) }),
  }
}

/**
 * @param {ToolRegistry} registry
 * @param {{ name: string, args: unknown }} call
 * @param {UnifiedContext} context
 * @returns {Promise<ToolResult>}
 */
async function executeInSession(registry, { name, args }, context) {
  await registry.load()
  let session
  try {
    session = await registry.createSession(sessionOptionsOf(context))
  } catch (error) {
    return refusalOf(error)
  }
  const id = context.callId ?? randomUUID()
  const { signal } = context
  try {
    // Without a turn of its caller a call is its own turn: the budgets of a turn can't refuse a later call.
    await session.beginTurn(context.turnId)
    const call = { id, name, args: /** @type {any} the gate refuses what is no object */ (args) }
    return toToolResult(await session.execute(call, { signal }))
  } catch (error) {
    return refusalOf(error)
  } finally {
    await session.detach()
  }
}

/**
 * A session that can't be used (another principal's, a failing store) is a failed call; misuse is thrown on.
 * @param {unknown} error
 * @returns {ToolResult}
 */
function refusalOf(error) {
  const message = memberOf(error, 'message')
  if (typeof memberOf(error, 'type') !== 'string') throw error
  return { success: false, error: typeof message === 'string' && message !== '' ? message : FAILED }
}

/**
 * A call with a connection is a voice call. Not exclusive: a call must not supersede the connection's own attachment.
 * @param {UnifiedContext} context
 * @returns {SessionOptions}
 */
function sessionOptionsOf({ sessionId, connectionId, agent, activeSessions, services, ...context }) {
  const { principal, roles, messaging, onCapabilityUsed, onToolCall, onProgress } = context
  const connection = connectionOf(activeSessions, connectionId)
  return {
    sessionId: sessionId || ANONYMOUS,
    mode: modeOf({ connectionId }),
    exclusive: false,
    clientId: connectionId,
    ws: connection?.ws,
    geminiSession: connection?.geminiSession,
    services: { ...services, ...(agent !== undefined && { agent }), ...(activeSessions && { activeSessions }) },
    principal,
    roles,
    messaging,
    onCapabilityUsed,
    onToolCall,
    onProgress,
  }
}

/** @param {Pick<UnifiedContext, 'connectionId'>} context */
const modeOf = ({ connectionId }) => (connectionId ? 'voice' : 'text')

/** @param {UnifiedContext['activeSessions']} sessions @param {string} [id] */
function connectionOf(sessions, id) {
  if (sessions === undefined || id === undefined) return undefined
  if (sessions instanceof Map) return sessions.get(id)
  return Object.hasOwn(sessions, id) ? /** @type {Record<string, any>} */ (sessions)[id] : undefined
}

/**
 * @param {ToolRegistry} registry a loaded one
 * @param {string} toolName
 * @param {unknown} args
 * @returns {{ valid: boolean, error?: string }}
 */
function validateWith(registry, toolName, args) {
  try {
    const { valid, errors } = registry.validateArgs(toolName, /** @type {any} of a model */ (args))
    return valid ? { valid } : { valid, error: invalidArguments(errors) }
  } catch (error) {
    return { valid: false, error: /** @type {Extract<ToolResult, { success: false }>} */ (refusalOf(error)).error }
  }
}

/**
 * The calls of one record belong to one turn: it is made for one request.
 * @param {ToolRegistry} registry a loaded one
 * @param {import('./index.js').UnifiedTools['executeUnifiedTool']} execute
 * @param {UnifiedContext} context
 * @returns {Record<string, any>}
 */
function chatTools(registry, execute, context) {
  const { roles, services } = sessionOptionsOf(context)
  const turnId = context.turnId ?? randomUUID()
  const tools = Object.create(null)
  const visible = { mode: modeOf(context), roles, services: serviceNames(registry, services) }
  for (const { function: declaration } of registry.getProviderSchemas('openai', visible)) {
    const { name, description, parameters } = declaration
    tools[name] = {
      title: registry.getToolMetadata(name)?.title,
      description,
      inputSchema: toUncheckedSchema(parameters),
      /** @param {unknown} input @param {{ toolCallId?: string, abortSignal?: AbortSignal }} [call] */
      execute: (input, { toolCallId, abortSignal } = {}) =>
        execute(name, parsedArgs(input), { ...context, turnId, callId: toolCallId, signal: abortSignal }),
    }
  }
  return tools
}

/**
 * The names of a registry's services that its tools require, and of a context's own.
 * @param {ToolRegistry} registry
 * @param {Record<string, unknown>} [own]
 */
function serviceNames(registry, own) {
  const missing = new Set(registry.hidden().flatMap(({ missingServices }) => missingServices))
  const required = [...registry.tools.values()].flatMap(({ requires }) => requires)
  return [...required.filter(name => !missing.has(name)), ...Object.keys(own ?? {})]
}

module.exports = { createUnifiedTools }
