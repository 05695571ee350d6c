// A chat message in the form in which a session keeps it: bounded, with sensitive arguments masked.
import { getToolName, isToolUIPart } from 'ai'
import type { ToolResponse } from 'toolgate'
import type { ChatMessage } from './chat-message'
import { type ToolPart, answeredPart } from 'toolgate-react/parts'

/** Of a message as JSON. The history of a session's state keeps the last 200 changes, so it bounds these too. */
const MAX_BYTES = 8 * 1024
const MAX_PARTS = 40
const MAX_TEXT = 4000
const MAX_OUTPUT_BYTES = 2 * 1024
const MAX_RECORDS = 10
const MAX_WORDS = 300

type Part = ChatMessage['parts'][number]
/** Arguments as a person may see them. */
export type Masking = (tool: string, args: unknown) => unknown

/** Null if nothing is left to keep. */
export function keptMessage({ id, role, parts }: ChatMessage, masked: Masking): ChatMessage | null {
  let kept = parts.slice(-MAX_PARTS).flatMap(part => keptPart(part, masked) ?? [])
  // The beginning of a long answer goes first: its end has the result.
  while (sizeOf(kept) > MAX_BYTES) kept = kept.slice(1)
  return kept.some(part => part.type !== 'step-start') ? { id, role, parts: kept } : null
}

/** The message, with the answer of one of its calls in the place of the question. Null if it has no such call. */
export function withAnswer(message: ChatMessage, callId: string | undefined, output: ToolResponse): ChatMessage | null {
  let isThere = false
  const parts = message.parts.map(part => {
    if (!isToolUIPart(part) || part.toolCallId !== callId) return part
    isThere = true
    return answeredPart(part as ToolPart, keptOutput(output))
  })
  return isThere ? { ...message, parts } : null
}

function keptPart(part: Part, masked: Masking): Part | null {
  if (part.type === 'text') return part.text === '' ? null : { type: 'text', text: cut(part.text, MAX_TEXT) }
  if (part.type === 'step-start') return { type: 'step-start' }
  if (!isToolUIPart(part)) return null
  const { toolCallId, title } = part
  const name = getToolName(part)
  const call = { type: `tool-${name}` as const, toolCallId, title, input: keptInput(masked(name, part.input)) }
  if (part.state === 'output-available')
    return { ...call, state: 'output-available', output: keptOutput(part.output as ToolResponse) }
  // A call without an answer was stopped: nothing is known of it.
  const errorText = part.state === 'output-error' ? cut(part.errorText, MAX_WORDS) : 'stopped'
  return { ...call, state: 'output-error', errorText }
}

const keptInput = (input: unknown) => (sizeOf(input) > MAX_OUTPUT_BYTES ? {} : input)

/** What the page draws and the model is reminded of: of large data the records that an answer cites. */
function keptOutput(response: ToolResponse): ToolResponse {
  const { meta } = response
  const { toolId, duration, attempts, _idempotent_cache_hit } = meta ?? {}
  const base = {
    ...response,
    intents: [],
    meta: { toolId, duration, attempts, _idempotent_cache_hit },
  } as unknown as ToolResponse
  if (!base.ok) {
    const { type, message, retryable, partialSideEffects, confirmation_request: asked } = base.error
    const error = { type, message: cut(message, MAX_WORDS), retryable, partialSideEffects }
    const request = asked?.approvers && { confirmation_request: { approvers: asked.approvers } }
    return { ...base, error: { ...error, ...request } } as ToolResponse
  }
  return sizeOf(base.data) <= MAX_OUTPUT_BYTES ? base : { ...base, data: recordsIn(base.data) }
}

function recordsIn(data: unknown): unknown {
  const { results } = (data ?? {}) as { results?: unknown }
  const records: unknown[] = Array.isArray(results) ? results : [data]
  const named = records.slice(0, MAX_RECORDS).map(record => {
    const { id, title, url } = (record ?? {}) as Record<string, unknown>
    return { id: textOf(id), title: textOf(title), url: textOf(url) }
  })
  return Array.isArray(results) ? { results: named } : named[0]
}

const textOf = (value: unknown) => (typeof value === 'string' ? cut(value, MAX_WORDS) : undefined)

/** Never in the middle of a character. */
const cut = (text: string, length: number): string =>
  text.length > length ? `${text.slice(0, length).replace(/[\uD800-\uDBFF]$/, '')}…` : text

const sizeOf = (value: unknown): number => Buffer.byteLength(JSON.stringify(value) ?? '')
