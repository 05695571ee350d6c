'use strict'
// Toolgate's tools for the AI SDK (`ai` 6 and 7): every call of `streamText` and `generateText` goes through a session.
// No policy lives here, and nothing is imported from `ai`: its schemas are recognised by a registered symbol.
const { parsedArgs } = require('../json-text.js')
const { approvalsIn, denyDeclined } = require('./ai-sdk-approvals.js')

/** How `asSchema` of the AI SDK distinguishes a ready schema from a Zod one. */
const AI_SDK_SCHEMA = Symbol.for('vercel.ai.schema')

/** What a tool of ours carries, so that `repairToolCall` needs nothing but the tools. Survives `{ ...tools }`. */
const GATE = Symbol('toolgate.aiSdkGate')

// The AI SDK parses a call's JSON before a tool sees it, and a repaired call is parsed again. Text that is no JSON
// travels under this key, which no model can guess, and then beside the input object instead of in it.
const UNPARSED_KEY = `toolgate:unparsed:${crypto.randomUUID()}`
const unparsedTexts = new WeakMap()

/** Why a call was cancelled, in its answer and in the audit. */
const ABORTED = 'the request was aborted'

/**
 * The tools that a session may use, for `streamText({ tools })`.
 *
 * Arguments are not checked by the AI SDK: they reach the gate as the model sent them, and a bad one comes back as a
 * VALIDATION answer that the model can correct. Pass {@link repairToolCall} as `experimental_repairToolCall` too, so that
 * broken JSON and unknown tools are answered by the gate as well.
 *
 * @param {import('toolgate').Session} session an attached session
 * @param {object} [options]
 * @param {import('toolgate').ToolRegistry} [options.registry] where the tools are declared; the process-wide one by default
 * @param {string[]} [options.services] names of the services that this session adds to the registry's
 * @param {(response: import('toolgate').ToolResponse, call: { id: string, name: string }) => unknown}
 *   [options.onToolResponse] gets each answer whole, confirmation token included: for the host, never for the model
 * @param {boolean} [options.approvals] whether the AI SDK asks the user what the gate wants to know, by its approval requests;
 *   by default where no `onToolResponse` takes the gate's questions
 * @returns {Record<string, object>} AI SDK tools by name; the record has no prototype, so that a model's `constructor` is
 *   an unknown tool
 */
function toAiSdkTools(session, options = {}) {
  const {
    registry = require('../../index.js').toolRegistry,
    services,
    onToolResponse,
    approvals = !onToolResponse,
  } = options
  const gate = { session, registry, onToolResponse, approvals, declined: new Set() }
  const tools = Object.create(null)
  for (const { function: declaration } of registry.getProviderSchemas('openai', { mode: session.mode, services })) {
    tools[declaration.name] = toAiSdkTool(gate, declaration)
  }
  return tools
}

/**
 * Brings a call that the AI SDK cannot parse, or whose tool it does not know, to the gate: for
 * `experimental_repairToolCall`. Nothing is guessed: the gate gets the text as it came, refuses it, and its answer goes
 * to the model. `null` (the AI SDK's own error) where the tools are not the gate's.
 */
async function repairToolCall({ toolCall, tools }) {
  const known = Object.hasOwn(tools, toolCall.toolName) ? tools[toolCall.toolName] : undefined
  const gate = known ? known[GATE] : Object.values(tools).find(tool => tool[GATE])?.[GATE]
  if (!gate) return null
  if (!known && !addUndeclared(tools, gate, toolCall.toolName)) return null
  return { ...toolCall, input: JSON.stringify({ [UNPARSED_KEY]: toolCall.input }) }
}

/** Not enumerable, so that the AI SDK finds the tool of this one call but never declares it to the model. */
function addUndeclared(tools, gate, name) {
  const value = toAiSdkTool(gate, { name, description: '', parameters: { type: 'object' } })
  return Reflect.defineProperty(tools, name, { value, configurable: true })
}

function toAiSdkTool(gate, { name, description, parameters }) {
  return {
    title: gate.registry.getToolMetadata(name)?.title,
    description,
    inputSchema: toUncheckedSchema(parameters),
    execute: (input, options) => executeThroughGate(gate, name, input, options),
    ...(gate.approvals ? { needsApproval: (input, options) => needsApproval(gate, name, input, options) } : {}),
    toModelOutput: ({ output }) => ({ type: output?.ok === true ? 'json' : 'error-json', value: output }),
    [GATE]: gate,
  }
}

/** A schema that is shown to the model and accepts everything: checking is the gate's work. */
function toUncheckedSchema(jsonSchema) {
  return {
    [AI_SDK_SCHEMA]: true,
    _type: undefined,
    jsonSchema,
    validate: value => ({ success: true, value: takeUnparsed(value) }),
  }
}

/** Providers want an object as a call's input, also of a call that had none: the text is kept beside it. */
function takeUnparsed(value) {
  if (value === null || typeof value !== 'object' || !Object.hasOwn(value, UNPARSED_KEY)) return value
  const input = {}
  unparsedTexts.set(input, value[UNPARSED_KEY])
  return input
}

/**
 * Whether the gate has asked the user about a call: then the AI SDK stops and asks. Of a call that the history calls
 * approved it asks again, before it runs the tool: that is for `execute` to find out, and no reason for a question.
 */
async function needsApproval({ session, onToolResponse, declined }, name, input, { toolCallId: id, messages }) {
  await denyDeclined(session, messages, declined)
  if (approvalsIn(messages).get(id)?.approved) return true
  const asked = await session.ask({ id, name, args: toArgs(input) })
  if (asked === null) return false
  await tellHost(onToolResponse, asked, { id, name })
  return true
}

async function executeThroughGate({ session, registry, onToolResponse, approvals }, name, input, options) {
  const { toolCallId: id, abortSignal, messages } = options
  if (abortSignal?.aborted) return cancelledBeforeStart(session, registry, { id, name })
  const cancel = () => session.cancel(id, ABORTED)
  abortSignal?.addEventListener('abort', cancel, { once: true })
  try {
    const call = { id, name, args: toArgs(input) }
    // What the history calls approved runs only where the gate has asked about it, and never asks by itself.
    const isApproval = approvals && approvalsIn(messages).get(id)?.approved
    const response = await (isApproval ? session.approve(call) : session.execute(call))
    await tellHost(onToolResponse, response, { id, name })
    return require('../../index.js').toModelResponse(response)
  } finally {
    abortSignal?.removeEventListener('abort', cancel)
  }
}

const toArgs = input => (unparsedTexts.has(input) ? unparsedTexts.get(input) : parsedArgs(input))

/** The gate's answer to a cancelled call, where the call never came to the gate: nothing is admitted, so nothing is recorded. */
function cancelledBeforeStart(session, registry, { id, name }) {
  return {
    ok: false,
    error: {
      type: 'CANCELLED',
      message: `\`${name}\` was cancelled: nothing was done`,
      retryable: false,
      partialSideEffects: false,
      details: { outcome: 'aborted', reason: ABORTED },
    },
    intents: [],
    meta: {
      toolId: name,
      toolVersion: registry.getToolMetadata(name)?.version ?? null,
      registryVersion: session.toolsVersion,
      duration: 0,
      timestamp: new Date().toISOString(),
      responseSchemaVersion: '1.0.0',
      callId: id,
      mode: session.mode,
      turn: session.turn,
    },
  }
}

/** The call has its answer, and a write may have happened: a host's faulty listener must not take that away. */
async function tellHost(onToolResponse, response, call) {
  try {
    await onToolResponse?.(response, call)
  } catch (error) {
    process.emitWarning(`onToolResponse failed for \`${call.name}\`: ${error?.message ?? error}`, 'ToolgateWarning')
  }
}

module.exports = { toAiSdkTools, repairToolCall, denyDeclined }
