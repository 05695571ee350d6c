import { Ban, Check, Hand, LoaderCircle, Minus, TriangleAlert } from 'lucide-react'
import { visible } from '../text/visible-text.js'
import type { ToolActivity } from './tool-activity.js'

const SIGNS = {
  running: LoaderCircle,
  stopped: Minus,
  asking: Hand,
  deciding: Hand,
  dropped: Minus,
  closed: Minus,
  unknown: TriangleAlert,
  ok: Check,
  failed: Ban,
}

/** Error types with which the gate refuses a call before it runs; a tool can answer some of them too. */
const REFUSALS = new Set([
  'VALIDATION',
  'MODE_RESTRICTED',
  'BUDGET_EXCEEDED',
  'LOOP_DETECTED',
  'CONFIRMATION_EXPIRED',
  'RATE_LIMIT',
  'SESSION_INACTIVE',
  'CONFLICT',
])

interface ToolCallsProps {
  activities: ToolActivity[]
  className?: string
}

/** The calls of an answer, one line each: name, outcome, duration; details on request. */
export function ToolCalls({ activities, className }: ToolCallsProps) {
  if (activities.length === 0) return null
  return (
    <ul data-toolgate="tool-calls" className={className} aria-label="Tool calls">
      {activities.map(activity => (
        <ToolActivityLine key={activity.callId} activity={activity} />
      ))}
    </ul>
  )
}

function ToolActivityLine({ activity }: { activity: ToolActivity }) {
  const { outcome, title, name, input, message, progress } = activity
  const Sign = SIGNS[outcome]
  const line = (
    <>
      <span data-part="sign" aria-hidden="true">
        <Sign size={12} strokeWidth={2.5} />
      </span>
      <span data-part="title">{title}</span>
      <span data-part="outcome">{describe(activity)}</span>
    </>
  )
  const hasMore = input !== undefined || message !== undefined
  return (
    <li data-tool={name} data-outcome={outcome}>
      {hasMore ? (
        <details>
          <summary data-part="line">{line}</summary>
          <div data-part="more">
            {message && <p>{message}</p>}
            {input !== undefined && <pre tabIndex={0}>{`${visible.text(name)}(${visible.json(input ?? {})})`}</pre>}
          </div>
        </details>
      ) : (
        <div data-part="line">{line}</div>
      )}
      {progress && <p data-part="progress">{progress}</p>}
    </li>
  )
}

function describe({ outcome, hasRun, errorType, durationMs, replayed, isSlow, expectedMs }: ToolActivity): string {
  if (outcome === 'running' && isSlow) return expectedMs ? `takes about ${inSeconds(expectedMs)}` : 'takes a moment'
  if (outcome === 'running') return 'running'
  if (outcome === 'stopped') return 'stopped'
  if (outcome === 'dropped') return 'not done'
  if (outcome === 'closed') return 'no longer waits'
  if (outcome === 'unknown') return 'outcome not known: check before you order again'
  if (outcome === 'asking') return 'needs your consent'
  if (outcome === 'deciding') return 'others decide'
  const isRefusal = errorType !== undefined && REFUSALS.has(errorType) && !hasRun
  const said = outcome === 'ok' ? 'done' : `${isRefusal ? 'refused' : 'failed'}${errorType ? ` · ${errorType}` : ''}`
  const took = durationMs === undefined ? '' : ` · ${Math.round(durationMs)} ms`
  return `${said}${took}${replayed ? ' · repeated' : ''}`
}

function inSeconds(ms: number): string {
  return ms < 1000 ? 'a second' : `${Math.round(ms / 1000)} s`
}
