import Link from 'next/link'
import { Badge } from '@/components/ui/badge'
import { Button } from '@/components/ui/button'
import { EmptyState } from '@/components/ui/empty-state'
import { placeHref, sessionHref } from '@/lib/inspector/run-links'
import { personOf, reasonOf } from '@/lib/inspector/run-reason'
import { type FoundSession, MAX_SESSIONS } from '@/lib/inspector/runs'
import { visible } from 'toolgate-react/parts'
import { LocalTime } from './local-time'
import { SessionSearch } from './session-search'
import styles from './sessions.module.css'

/** Calls that fit, of one session of the list. */
const MAX_FOUND = 5

interface SessionListProps {
  found: FoundSession[]
  /** How many sessions there are. */
  all: number
  sought: string
}

export function SessionList({ found, all, sought }: SessionListProps) {
  return (
    <div className={styles.sessions}>
      <SessionSearch sought={sought}>
        <Button type="submit">Search</Button>
        {sought !== '' && <Link href="/inspector/sessions">All sessions</Link>}
      </SessionSearch>
      {found.length === 0 ? (
        <EmptyState title={all === 0 ? 'Nothing yet' : 'No session fits'}>
          <p>{all === 0 ? 'Each session of the servers is a line here.' : `${all} sessions are known.`}</p>
        </EmptyState>
      ) : (
        <>
          <p role="status" className={styles.soft}>
            {found.length === all ? `${all} sessions` : `${found.length} of ${all} sessions`}, newest first
          </p>
          <ol className={styles.list} aria-label="Sessions">
            {found.slice(0, MAX_SESSIONS).map(session => (
              <SessionRow key={session.sessionId} session={session} />
            ))}
          </ol>
          {found.length > MAX_SESSIONS && (
            <p className={styles.soft}>{found.length - MAX_SESSIONS} older ones are not shown; a search finds them.</p>
          )}
        </>
      )}
    </div>
  )
}

function SessionRow({ session }: { session: FoundSession }) {
  const { sessionId, modes, principal, calls, found, last, ended } = session
  const refused = calls.filter(call => reasonOf(call).tone === 'stop').length
  return (
    <li>
      <p className={styles.line}>
        <Link href={sessionHref(sessionId)} prefetch={false}>
          <code>{visible.text(sessionId.slice(0, 80))}</code>
        </Link>
        {modes.slice(0, 4).map(mode => (
          <Badge key={mode} tone={mode === 'voice' ? 'live' : 'neutral'}>
            {visible.text(mode.slice(0, 40))}
          </Badge>
        ))}
        <span>{visible.text(personOf(principal).slice(0, 120))}</span>
        <span className={styles.soft}>
          {calls.length === 1 ? '1 call' : `${calls.length} calls`}
          {refused > 0 && `, ${refused} without success`}
          {ended !== null && ', over'}
        </span>
        <LocalTime time={last} />
      </p>
      {found.slice(0, MAX_FOUND).map((call, place) => {
        const { tone, title } = reasonOf(call)
        const name = visible.text((call.callId ?? 'a call of a handler').slice(0, 120))
        return (
          <p key={place} className={styles.line}>
            <Link
              prefetch={false}
              href={call.callId === null ? sessionHref(sessionId) : placeHref(sessionId, call.callId)}
            >
              {name}
            </Link>
            <code>{visible.text(call.toolId.slice(0, 80))}</code>
            <Badge tone={tone}>{title}</Badge>
          </p>
        )
      })}
      {found.length > MAX_FOUND && <p className={styles.soft}>and {found.length - MAX_FOUND} more calls that fit</p>}
    </li>
  )
}
