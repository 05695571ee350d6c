import { Badge } from '@/components/ui/badge'
import { EmptyState } from '@/components/ui/empty-state'
import { personOf } from '@/lib/inspector/run-reason'
import { frameOf, tokensOf, turnsOf } from '@/lib/inspector/run-times'
import type { RunSession } from '@/lib/inspector/runs'
import { visible } from 'toolgate-react/parts'
import { CallView } from './call-view'
import { LocalTime } from './local-time'
import styles from './sessions.module.css'

/** The last calls of a session; more would make the page slow. */
const MAX_CALLS = 200

interface SessionViewProps {
  session: RunSession
  /** All that are known, for links to other calls. */
  sessions: RunSession[]
  /** The call that is looked for. */
  callId: string
}

export function SessionView({ session, sessions, callId }: SessionViewProps) {
  const { modes, principal, calls, first, last, ended } = session
  const shown = { ...session, calls: lastOnes(session, callId) }
  const tokens = calls.reduce((sum, call) => sum + tokensOf(call), 0)
  return (
    <>
      <p className={styles.line}>
        {modes.slice(0, 4).map(mode => (
          <Badge key={mode} tone={mode === 'voice' ? 'live' : 'neutral'}>
            {visible.text(mode.slice(0, 40))}
          </Badge>
        ))}
        <span>{visible.text(personOf(principal).slice(0, 200)) || 'nobody is named'}</span>
        <span className={styles.soft}>
          <LocalTime time={first} /> to <LocalTime time={last} />
          {tokens > 0 && `, answers of about ${tokens} tokens`}
          {ended !== null && `, over: ${visible.text(ended.slice(0, 200))}`}
        </span>
      </p>
      {calls.length === 0 && (
        <EmptyState title="No call is known">
          <p>The session has called no tool, or its lines are in an older file.</p>
        </EmptyState>
      )}
      {shown.calls.length < calls.length && (
        <p className={styles.soft}>{calls.length - shown.calls.length} earlier calls are not shown.</p>
      )}
      {turnsOf(shown).map(({ turn, calls: its }) => (
        <section key={turn} className={styles.turn} aria-label={`Turn ${turn}`}>
          <h2>Turn {turn}</h2>
          {its.map((call, place) => (
            <CallView
              key={place}
              call={call}
              frame={frameOf(its)}
              sessions={sessions}
              isSought={call.callId === callId}
            />
          ))}
        </section>
      ))}
    </>
  )
}

/** The last calls, or as many up to the one that is looked for. */
function lastOnes({ calls }: RunSession, callId: string) {
  const sought = callId === '' ? -1 : calls.findIndex(call => call.callId === callId)
  const end = sought >= 0 && sought < calls.length - MAX_CALLS ? sought + 1 : calls.length
  return calls.slice(Math.max(0, end - MAX_CALLS), end)
}
