// Summarizes the tool calls of a message for the page, from their ToolResponses.
import { type DynamicToolUIPart, type ToolUIPart, getToolName, isToolUIPart } from 'ai'
import type { ToolResponse } from 'toolgate'
import type { ChatMessage } from './chat-message.js'

export type ToolPart = ToolUIPart | DynamicToolUIPart

export interface ToolActivity {
  callId: string
  name: string
  title: string
  /**
   * `running`: no answer yet; `stopped`: no answer will come; `asking`: waits for the user's
   * consent; `deciding`: for that of others; `dropped`: it was denied, or the
   * question expired; `closed`: the question waits no longer; `unknown`: it was
   * approved, and what came of it is not known.
   */
  outcome: 'running' | 'stopped' | 'asking' | 'deciding' | 'dropped' | 'closed' | 'unknown' | 'ok' | 'failed'
  /** Whether the handler ran: an error is then the tool's answer, not a refusal of the gate. Absent in voice calls. */
  hasRun?: boolean
  /** The error's type and message on failure. */
  errorType?: string
  message?: string
  durationMs?: number
  /** Set if the call exceeds its latency target; the usual duration, if known. */
  isSlow?: boolean
  expectedMs?: number | null
  /** The handler's last progress message. */
  progress?: string
  replayed: boolean
  /** The call's arguments; absent in voice calls, because the voice server does not send them. */
  input?: unknown
}

/** How a call has ended whose answer the page does not have. */
export type CallEnd = 'ok' | 'failed' | 'running' | 'dropped' | 'closed' | 'unknown'

export interface Citation {
  id: string
  title: string
  url: string | null
}

/**
 * @param live whether the message's answer is still being streamed
 * @param ends of calls that have asked, by their ids
 */
export function toolActivities(
  message: ChatMessage,
  live: boolean,
  ends: ReadonlyMap<string | null, CallEnd>,
): ToolActivity[] {
  return message.parts.filter(isToolUIPart).map(part => {
    const activity = toActivity(part as ToolPart, live)
    const end = ends.get(part.toolCallId)
    if (end !== undefined && ASKING.has(activity.outcome))
      return {
        ...activity,
        outcome: end,
        hasRun: true,
        errorType: undefined,
        message: undefined,
        durationMs: undefined,
      }
    return activity.outcome === 'running' ? { ...activity, progress: progressOf(message, part.toolCallId) } : activity
  })
}

const ASKING = new Set<ToolActivity['outcome']>(['asking', 'deciding'])

function progressOf(message: ChatMessage, callId: string): string | undefined {
  const told = message.parts.findLast(
    part => part.type === 'data-tool-message' && part.data.type === 'tool_progress' && part.data.callId === callId,
  )
  const update = told?.type === 'data-tool-message' ? told.data.update : undefined
  return typeof update === 'string' ? update : undefined
}

function toActivity(part: ToolPart, live: boolean): ToolActivity {
  const name = getToolName(part)
  const base = { callId: part.toolCallId, name, title: part.title ?? name, replayed: false, input: part.input }
  if (part.state === 'output-error') return { ...base, outcome: 'failed', message: part.errorText }
  if (part.state !== 'output-available') return { ...base, outcome: live ? 'running' : 'stopped' }
  const response = part.output as ToolResponse
  const durationMs = response.meta?.duration
  const replayed = response.meta?._idempotent_cache_hit === true
  if (response.ok) return { ...base, outcome: 'ok', durationMs, replayed }
  const { type, message } = response.error ?? {}
  const asking = response.error?.confirmation_request?.approvers ? 'deciding' : 'asking'
  const outcome = type === 'CONFIRMATION_REQUIRED' ? asking : isDropped(response.error) ? 'dropped' : 'failed'
  return {
    ...base,
    outcome,
    hasRun: response.meta?.attempts !== undefined,
    errorType: type,
    message,
    durationMs,
    replayed,
  }
}

/** Whether the user has denied the call, or did not answer in time. */
function isDropped(error: Extract<ToolResponse, { ok: false }>['error'] | undefined): boolean {
  const { reason } = (error?.details ?? {}) as { reason?: unknown }
  return (
    (error?.type === 'CANCELLED' && reason === 'denied') ||
    (error?.type === 'CONFIRMATION_EXPIRED' && reason === 'expired')
  )
}

/** The part with the answer of its call: also of one whose question came after the answer around it had been stopped. */
export function answeredPart({ type, toolCallId, title, input, ...rest }: ToolPart, output: ToolResponse) {
  const name = 'toolName' in rest ? { toolName: rest.toolName } : {}
  const call = { type, ...name, toolCallId, title, input: input ?? {} }
  return { ...call, state: 'output-available', output } as ChatMessage['parts'][number]
}

/** The records that the message's calls returned, without duplicates, in order of arrival. */
export function citations(message: ChatMessage): Citation[] {
  const found = new Map<string, Citation>()
  for (const part of message.parts) {
    if (!isToolUIPart(part) || part.state !== 'output-available') continue
    for (const citation of recordsOf(part.output as ToolResponse)) {
      if (!found.has(citation.id)) found.set(citation.id, citation)
    }
  }
  return [...found.values()]
}

/** Retrieval tools return one record or `results`; web results have a URL in place of an id. */
function recordsOf(response: ToolResponse): Citation[] {
  if (!response.ok || typeof response.data !== 'object' || response.data === null) return []
  const records: unknown[] = Array.isArray(response.data.results) ? response.data.results : [response.data]
  return records.flatMap(record => {
    const { id, url, title } = record as Record<string, unknown>
    const key = typeof id === 'string' ? id : url
    if (typeof key !== 'string' || typeof title !== 'string') return []
    return [{ id: key, title, url: typeof url === 'string' && /^https?:/.test(url) ? url : null }]
  })
}
