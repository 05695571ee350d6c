// When a call waited for a person, paused between attempts, and ran.
import { type RunCall, type RunSession, numberOf } from './runs'

export interface TimeSpan {
  kind: 'person' | 'pause' | 'run'
  from: number
  to: number
}

const ANSWERS = ['confirmation_granted', 'confirmation_denied', 'confirmation_expired']

export function spansOf({ lines }: RunCall): TimeSpan[] {
  const spans: TimeSpan[] = []
  const isLate = lines.some(({ late }) => late === true)
  let askedAt: number | null = null
  for (const { event, time, duration, afterMs, durationMs, late } of lines) {
    if (event === 'confirmation_requested') askedAt = time
    if (ANSWERS.includes(event) && askedAt !== null) {
      spans.push({ kind: 'person', from: askedAt, to: time })
      askedAt = null
    }
    if (event === 'tool_retried') spans.push({ kind: 'pause', from: time, to: time + numberOf(afterMs) })
    // A handler that ended after its deadline ran on until then.
    if (event === 'tool_execution' && (late === true || !isLate))
      spans.push({ kind: 'run', from: time - numberOf(duration), to: time })
    // Without audit lines, a kept call alone says how long it took.
    if (event === 'call' && !lines.some(line => line.event === 'tool_execution' || line.event === 'tool_refused'))
      spans.push({ kind: 'run', from: time - numberOf(durationMs), to: time })
  }
  return spans
}

/** Begin and length of a turn, for its bars; at least a millisecond. */
export function frameOf(calls: readonly RunCall[]): { from: number; length: number } {
  const spans = calls.flatMap(spansOf)
  const from = Math.min(...spans.map(span => span.from))
  return spans.length === 0
    ? { from: 0, length: 1 }
    : { from, length: Math.max(1, ...spans.map(({ to }) => to - from)) }
}

export const sumOf = (spans: readonly TimeSpan[], kind: TimeSpan['kind']): number =>
  spans.filter(span => span.kind === kind).reduce((sum, { from, to }) => sum + Math.max(0, to - from), 0)

export function shownTime(ms: number): string {
  if (ms < 10) return `${ms.toFixed(1)} ms`
  if (ms < 1000) return `${Math.round(ms)} ms`
  return ms < 60_000 ? `${(ms / 1000).toFixed(1)} s` : `${Math.round(ms / 60_000)} min`
}

/** The estimate of the gate: four bytes are a token. */
export const tokensOf = ({ lines }: RunCall): number =>
  Math.ceil(
    lines.reduce(
      (sum, line) => sum + (line.event === 'tool_execution' && line.late !== true ? numberOf(line.resultBytes) : 0),
      0,
    ) / 4,
  )

/** The calls of each turn, the first turn first. */
export function turnsOf({ calls }: RunSession): { turn: number; calls: RunCall[] }[] {
  const turns = new Map<number, RunCall[]>()
  for (const call of calls) turns.set(call.turn, [...(turns.get(call.turn) ?? []), call])
  return [...turns].map(([turn, its]) => ({ turn, calls: its })).sort((one, other) => one.turn - other.turn)
}
