import type { ToolActivity } from '@/lib/tool-activity'

const SIGN = { running: '…', stopped: '–', asking: '?', ok: '✓', failed: '!' } as const

/** One line a call: its name, how it ended, how long it took; its arguments on request. */
export function ToolActivityList({ activities }: { activities: ToolActivity[] }) {
  if (activities.length === 0) return null
  return (
    <ul className="activities" aria-label="Tool calls">
      {activities.map((activity) => (
        <li key={activity.callId} className={activity.outcome}>
          <details>
            <summary>
              <span className="sign" aria-hidden="true">{SIGN[activity.outcome]}</span>
              <span className="tool">{activity.title}</span>
              <span className="outcome">{describe(activity)}</span>
            </summary>
            {activity.message && <p>{activity.message}</p>}
            <pre>{`${activity.name}(${JSON.stringify(activity.input ?? {}, null, 2)})`}</pre>
          </details>
        </li>
      ))}
    </ul>
  )
}

function describe({ outcome, errorType, durationMs, replayed }: ToolActivity): string {
  if (outcome === 'running') return 'running'
  if (outcome === 'stopped') return 'stopped'
  if (outcome === 'asking') return 'needs your consent'
  const said = outcome === 'ok' ? 'ok' : (errorType ?? 'failed')
  const took = durationMs === undefined ? '' : ` · ${Math.round(durationMs)} ms`
  return `${said}${took}${replayed ? ' · repeated' : ''}`
}
