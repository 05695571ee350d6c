import { Ban, Check, Hand, LoaderCircle, Minus } from 'lucide-react'
import { useVisibleText } from '@/components/ui/visible-text'
import { classNames } from '@/lib/class-names'
import type { ToolActivity } from '@/lib/tool-activity'
import styles from './tool-activity-list.module.css'

const SIGNS = {
  running: LoaderCircle,
  stopped: Minus,
  asking: Hand,
  deciding: Hand,
  dropped: Minus,
  closed: Minus,
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

/** The calls of an answer, one line each: name, outcome, duration; details on request. */
export function ToolActivityList({ activities }: { activities: ToolActivity[] }) {
  if (activities.length === 0) return null
  return (
    <ul className={styles.rail} aria-label="Tool calls">
      {activities.map(activity => (
        <ToolActivityLine key={activity.callId} activity={activity} />
      ))}
    </ul>
  )
}

function ToolActivityLine({ activity }: { activity: ToolActivity }) {
  const { outcome, title, name, input, message, progress } = activity
  const Sign = SIGNS[outcome]
  const visible = useVisibleText()
  const line = (
    <>
      <span className={styles.sign} aria-hidden="true">
        <Sign size={12} strokeWidth={2.5} />
      </span>
      <span className={styles.title}>{title}</span>
      <span className={styles.outcome}>{describe(activity)}</span>
    </>
  )
  const hasMore = input !== undefined || message !== undefined
  return (
    <li className={classNames(styles.call, styles[outcome])} data-tool={name} data-outcome={outcome}>
      {hasMore ? (
        <details>
          <summary className={styles.line}>{line}</summary>
          <div className={styles.more}>
            {message && <p>{message}</p>}
            {input !== undefined && <pre tabIndex={0}>{`${visible.text(name)}(${visible.json(input ?? {})})`}</pre>}
          </div>
        </details>
      ) : (
        <div className={styles.line}>{line}</div>
      )}
      {progress && <p className={styles.progress}>{progress}</p>}
    </li>
  )
}

function describe({ outcome, hasRun, errorType, durationMs, replayed, isSlow, expectedMs }: ToolActivity): string {
  if (outcome === 'running' && isSlow) return expectedMs ? `takes about ${inSeconds(expectedMs)}` : 'takes a moment'
  if (outcome === 'running') return 'running'
  if (outcome === 'stopped') return 'stopped'
  if (outcome === 'dropped') return 'not done'
  if (outcome === 'closed') return 'no longer waits'
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
