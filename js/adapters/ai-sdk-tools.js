'use strict'
// Toolgate's tools for the AI SDK (`ai` 6 and 7): every call of `streamText` and `generateText` goes through a session,
// which applies the policy. Nothing is imported from `ai`: its schemas are recognised by a registered symbol.

const { randomUUID } = require('node:crypto')

const { parsedArgs } = require('../values/json-text.js')
const { approvalsIn, denyDeclined, unnamedId } = require('./ai-sdk-approvals.js')
const { progressThenAnswer } = require('./call-progress.js')
const { ConfirmationCards, callText } = require('./confirmation-cards.js')
const { callThroughGate, declarationsOf, questionOf, runningAnswer } = require('./gate-call.js')
const { toUncheckedSchema } = require('./unchecked-schema.js')
const { lastUserMessage, messageOfRun } = require('./user-message.js')
const { checkModelMeta, toModelResponse } = require('../answers/views.js')

/**
 * The member of a tool that contains its gate, so that `repairToolCall` needs only the tools. Survives `{ ...tools }`.
 */
const GATE = Symbol('toolgate.aiSdkGate')

// The AI SDK parses a call's JSON before it calls the tool, and parses a repaired call again. Text that is not JSON is
// passed under this key, which no model can guess, and then in a WeakMap by the input object.
const UNPARSED_KEY = `toolgate:unparsed:${randomUUID()}`
/** @type {WeakMap<object, string>} */
const unparsedTexts = new WeakMap()

/** Options of a tool for the AI SDK's providers that have a tool search; the others ignore them. */
const DEFERRED = { openai: { deferLoading: true }, anthropic: { deferLoading: true } }

/**
 * @typedef {import('toolgate').Session} Session
 * @typedef {import('toolgate').ToolRegistry} ToolRegistry
 * @typedef {import('toolgate').ToolResponse} ToolResponse
 * @typedef {import('./gate-call.js').ResponseListener} ResponseListener
 * @typedef {import('./gate-call.js').AskingGate & { meta: import('toolgate').ModelMeta, declined: Set<string>,
 *   unasked: Map<string, ToolResponse>, progress: boolean }} Gate `declined`: ids of declined approvals; `unasked`: answers to calls that the user is not
 *   asked about, until the AI SDK executes them
 * @typedef {import('./gate-call.js').Declaration} Declaration
 * @typedef {Record<string, { [GATE]?: Gate }>} GatedTools
 * @typedef {{ toolCallId?: string, messages: unknown, abortSignal?: AbortSignal }} CallOptions of the AI SDK
 */

/**
 * The tools that a session may use, for `streamText({ tools })`.
 *
 * Arguments are not checked by the AI SDK: they reach the gate as the model sent them, and a bad one comes back as a
 * VALIDATION answer that the model can correct. Pass {@link repairToolCall} as `experimental_repairToolCall` too, so
 * that broken JSON and unknown tools are answered by the gate as well.
 *
 * @param {Session} session an attached session
 * @param {object} [options]
 * @param {import('toolgate').ToolRegistry} [options.registry] the registry of the tools; the session's by
 *   default
 * @param {string[]} [options.services] names of the services that this session adds to the registry's
 * @param {ResponseListener} [options.onToolResponse] receives each full answer with its confirmation token: for the
 *   host, never for the model
 * @param {boolean} [options.approvals] whether the AI SDK asks the user the gate's questions, by its approval requests;
 *   by default true unless `onToolResponse` is given
 * @param {boolean} [options.progress] whether the progress of calls is given as preliminary results
 * @param {import('toolgate').ModelMeta} [options.meta] what the model gets of each answer, by default `lean`; the output of
 *   a tool is the full ToolResponse
 * @returns {Record<string, object>} AI SDK tools by name; the record has no prototype, so that a model's `constructor`
 *   is an unknown tool
 */
function toAiSdkTools(session, options = {}) {
  const { registry = session.registry, services, onToolResponse, approvals = !onToolResponse } = options
  const { meta = 'lean', progress = false } = options
  checkModelMeta(meta)
  /** @type {Gate} */
  const gate = {
    session,
    registry,
    onToolResponse,
    approvals,
    meta,
    progress,
    cards: new ConfirmationCards(),
    declined: new Set(),
    unasked: new Map(),
  }
  const tools = Object.create(null)
  for (const declaration of declarationsOf(session, { registry, services })) {
    tools[declaration.name] = toAiSdkTool(gate, declaration)
  }
  return tools
}

/**
 * For `prepareStep`, with `toolSearch: 'gate'`: each step declares the tools that are declared from the start, those found
 * so far, and the host's own.
 * @param {Session} session that the tools were made for
 * @param {GatedTools} tools
 */
function prepareFoundTools(session, tools) {
  /** @param {string} name */
  const isActive = name => tools[name]?.[GATE] === undefined || session.isDeclared(name)
  return () => ({ activeTools: Object.keys(tools).filter(isActive) })
}

/**
 * For `experimental_repairToolCall`: passes a call that the AI SDK can't parse, or whose tool is unknown, to the gate.
 * The text is not repaired: the gate refuses it, and its answer goes to the model. Returns `null` (the AI SDK reports
 * its own error) if the tools are not the gate's.
 * @param {{ toolCall: { toolName: string, input: string }, tools: GatedTools }} failed
 */
async function repairToolCall({ toolCall, tools }) {
  const known = Object.hasOwn(tools, toolCall.toolName) ? tools[toolCall.toolName] : undefined
  const gate = known ? known[GATE] : Object.values(tools).find(tool => tool[GATE])?.[GATE]
  if (!gate) return null
  if (!known && !addUndeclared(tools, gate, toolCall.toolName)) return null
  return { ...toolCall, input: JSON.stringify({ [UNPARSED_KEY]: toolCall.input }) }
}

/**
 * Not enumerable, so that the AI SDK finds the tool of this one call but never declares it to the model.
 * @param {GatedTools} tools
 * @param {Gate} gate
 * @param {string} name
 */
function addUndeclared(tools, gate, name) {
  const value = toAiSdkTool(gate, { name, description: '', parameters: { type: 'object' } })
  return Reflect.defineProperty(tools, name, { value, configurable: true })
}

/** @param {Gate} gate @param {Declaration} declaration */
function toAiSdkTool(gate, { name, description, parameters }) {
  return {
    title: gate.registry.getToolMetadata(name)?.title,
    description,
    inputSchema: toUncheckedSchema(parameters, takeUnparsed),
    // The gate's declaration is sent as it is: strict mode would require another one.
    strict: false,
    /** @param {unknown} input @param {CallOptions} options */
    execute: (input, options) =>
      gate.progress ? executeInSteps(gate, name, input, options) : executeThroughGate(gate, name, input, options),
    ...(gate.approvals && {
      /** @param {unknown} input @param {CallOptions} options */
      needsApproval: async (input, options) => (await askedOf(gate, name, input, options)) !== null,
    }),
    /** @param {{ output: ToolResponse }} result */
    toModelOutput: ({ output }) => ({
      type: output?.ok === true ? 'json' : 'error-json',
      value: toModelResponse(output, { meta: gate.meta }),
    }),
    ...(isDeferred(gate, name) && { providerOptions: DEFERRED }),
    [GATE]: gate,
  }
}

/** @param {Gate} gate @param {string} name */
const isDeferred = ({ session, registry }, name) =>
  session.toolSearch === 'provider' && registry.getToolMetadata(name)?.alwaysDeclared !== true

/**
 * Providers require an object as a call's input, also if it was not one: returns `{}` and keeps the text in a WeakMap.
 * @param {unknown} value
 */
function takeUnparsed(value) {
  if (value === null || typeof value !== 'object' || !Object.hasOwn(value, UNPARSED_KEY)) return value
  const input = {}
  unparsedTexts.set(input, /** @type {Record<string, string>} */ (value)[UNPARSED_KEY])
  return input
}

/**
 * The question that the call needs the user's answer to: then the AI SDK stops and asks. Null if it needs none. The AI
 * SDK also asks for a call that is approved in the history, before it runs the tool; `execute` checks such an approval,
 * so no question is asked here.
 * @param {Gate} gate
 * @param {string} name
 * @param {unknown} input
 * @param {CallOptions} options
 * @returns {Promise<{ preview?: string } | null>}
 */
async function askedOf(gate, name, input, options) {
  const { messages } = options
  await denyDeclined(gate.session, messages, gate.declined)
  const call = toCall(name, input, options)
  if (isApproved(call, options)) return {}
  const { answer, question } = await questionOf(gate, call, Array.isArray(messages) ? messages : undefined)
  if (answer !== undefined) gate.unasked.set(unaskedKey(call), answer)
  if (question === undefined) return null
  return { preview: question.ok ? undefined : question.error.confirmation_request?.preview }
}

/**
 * For `toolApproval` of the AI SDK 7: as `needsApproval` of each tool, and the approval request has the question's preview
 * as its reason. Tools of the host are left to their own settings.
 * @param {GatedTools} tools
 * @returns {Record<string, (input: unknown, options: CallOptions) => Promise<undefined | { type: 'user-approval', reason?: string }>>}
 */
function toolApproval(tools) {
  const approvals = Object.create(null)
  for (const [name, { [GATE]: gate }] of Object.entries(tools)) {
    if (!gate?.approvals) continue
    /** @param {unknown} input @param {CallOptions} options */
    approvals[name] = async (input, options) => {
      const question = await askedOf(gate, name, input, options)
      return question === null ? undefined : { type: 'user-approval', reason: question.preview }
    }
  }
  return approvals
}

/**
 * The progress of a call as preliminary results, and its answer. The AI SDK takes the last of them for the result.
 * @param {Gate} gate @param {string} name @param {unknown} input @param {CallOptions} options
 */
function executeInSteps(gate, name, input, options) {
  const call = toCall(name, input, options)
  return progressThenAnswer(
    onProgress => executeThroughGate(gate, name, input, options, onProgress),
    update => runningAnswer(gate, call, update),
  )
}

/**
 * @param {Gate} gate @param {string} name @param {unknown} input @param {CallOptions} options
 * @param {import('./call-progress.js').TakeProgress} [onProgress]
 */
async function executeThroughGate(gate, name, input, options, onProgress) {
  const { session, registry, onToolResponse, approvals, unasked } = gate
  const call = toCall(name, input, options)
  const key = unaskedKey(call)
  const answer = unasked.get(key)
  if (answer !== undefined && unasked.delete(key)) return answer
  // A call approved in the history runs only if the gate has asked about it; `approve` never asks.
  const approved = approvals && isApproved(call, options)
  return callThroughGate({
    session,
    registry,
    call,
    signal: options.abortSignal,
    approved,
    onToolResponse,
    onProgress,
    meta: 'full',
  })
}

/**
 * The call for the gate. Some providers send no id, or an empty one.
 * @param {string} name
 * @param {unknown} input
 * @param {CallOptions} options
 */
function toCall(name, input, { toolCallId, messages }) {
  const args = toArgs(input)
  const message = lastUserMessage(messages) ?? messageOfRun(messages)
  const id = toolCallId || unnamedId(message, { name, args })
  return { id, name, args, message }
}

/**
 * Whether the user has approved this call: the latest answer to its id is an approval, and the call that it was requested
 * for is this one. The AI SDK runs the last call that has the id.
 * @param {{ name: string, args?: unknown }} call
 * @param {CallOptions} options
 */
function isApproved(call, { toolCallId, messages }) {
  const answer = approvalsIn(messages).get(toolCallId ?? '')
  return answer?.approved === true && answer.calls.length === 1 && callText(answer.calls[0]) === callText(call)
}

/** @param {{ id: string, name: string, args?: unknown }} call */
const unaskedKey = call => JSON.stringify([call.id, callText(call)])

/** @param {unknown} input */
const toArgs = input => {
  const unparsed = /** @type {object} */ (input)
  return unparsedTexts.has(unparsed) ? unparsedTexts.get(unparsed) : parsedArgs(input)
}

module.exports = { prepareFoundTools, repairToolCall, toAiSdkTools, toolApproval }
