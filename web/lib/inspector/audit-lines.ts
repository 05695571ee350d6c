// Audit lines as the inspector's page shows them.
import type { Tone } from '@/components/ui/badge'

/** A line of the gate, or a gap that the server reported. */
export type AuditItem =
  | { key: string; kind: 'line'; line: AuditLine; tool: string | undefined; text: string }
  | { key: string; kind: 'gap'; lost: number }

export interface AuditLine {
  at: string
  event: string
  sessionId?: string
  [field: string]: unknown
}

export interface AuditFilter {
  event: string
  tool: string
  search: string
}

export const lineItem = (key: string, text: string): AuditItem => {
  const line = JSON.parse(text) as AuditLine
  return { key, kind: 'line', line, tool: line.toolId as string | undefined, text: text.toLowerCase() }
}

/** A gap matches every filter: its lost lines may have matched. */
export function matchesFilter(item: AuditItem, { event, tool, search }: AuditFilter): boolean {
  if (item.kind === 'gap') return true
  return (
    (event === '' || item.line.event === event) &&
    (tool === '' || item.tool === tool) &&
    item.text.includes(search.toLowerCase())
  )
}

const STOPPED = new Set([
  'tool_refused',
  'signal_ignored',
  'registry_version_mismatch',
  'unrecorded',
  'confirmation_expired',
])
const WARNED = new Set([
  'latency_warning',
  'budget_warning',
  'context_warning',
  'loop_detected',
  'tool_retried',
  'tool_cancelled',
  'confirmation_requested',
  'intent_dropped',
  'confirmation_denied',
])
const AGREED = new Set(['confirmation_granted', 'confirmation_counted', 'grant_used', 'intent_applied'])

export function toneOf({ event, ok, errorType }: AuditLine): Tone {
  if (event === 'tool_execution') return ok === true ? 'ok' : 'stop'
  // A question is no refusal, although the gate answers the call with an error.
  if (errorType === 'CONFIRMATION_REQUIRED') return 'ask'
  if (STOPPED.has(event)) return 'stop'
  if (WARNED.has(event)) return 'ask'
  return AGREED.has(event) ? 'ok' : 'neutral'
}

/** The line's main values besides its event and tool. */
export function lineSummary(line: AuditLine): string {
  const {
    errorType,
    duration,
    latencyMs,
    reason,
    mode,
    turn,
    message,
    intent,
    name,
    field,
    calls,
    registryVersion,
    tools,
  } = line
  const time = (duration ?? latencyMs) as number | undefined
  const parts = [
    errorType,
    time === undefined ? '' : `${time < 10 ? time.toFixed(1) : Math.round(time)} ms`,
    intent,
    name,
    field,
    reason,
    calls === undefined ? '' : `${String(calls)} ${calls === 1 ? 'call' : 'calls'}`,
    tools === undefined ? '' : `${String(tools)} tools, ${String(registryVersion)}`,
    mode,
    turn === undefined ? '' : `turn ${String(turn)}`,
    errorType === undefined ? message : '',
  ]
  return parts.filter(part => part !== undefined && part !== '').join(' · ')
}
