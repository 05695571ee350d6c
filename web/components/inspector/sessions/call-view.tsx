import Link from 'next/link'
import { Badge } from '@/components/ui/badge'
import { anchorHref, callAnchor, placeHref } from '@/lib/inspector/run-links'
import { reasonOf } from '@/lib/inspector/run-reason'
import { type RunCall, type RunSession, answerOf, argsOf, earlierCall } from '@/lib/inspector/runs'
import { tokensOf } from '@/lib/inspector/run-times'
import { visible } from 'toolgate-react/parts'
import { JsonView } from '../json-view'
import { CallBars } from './call-bars'
import { CallHistory } from './call-history'
import styles from './sessions.module.css'

interface CallViewProps {
  call: RunCall
  /** Of its turn. */
  frame: { from: number; length: number }
  sessions: RunSession[]
  isSought: boolean
}

/** A call: what became of it, when, with what, and who was asked. */
export function CallView({ call, frame, sessions, isSought }: CallViewProps) {
  const { callId, parentCallId, toolId } = call
  const { tone, title, text } = reasonOf(call)
  const tokens = tokensOf(call)
  const earlier = earlierCall(sessions, call)
  return (
    <article
      id={callId === null ? undefined : callAnchor(callId)}
      className={styles.call}
      data-tone={tone}
      data-sought={isSought || undefined}
      aria-label={`Call ${visible.text(callId?.slice(0, 120) ?? toolId)}`}
    >
      <p className={styles.line}>
        <Badge tone={tone}>{title}</Badge>
        <strong>
          <code>{visible.text(toolId.slice(0, 120))}</code>
        </strong>
        <code className={styles.soft}>{visible.text((callId ?? 'a call of a handler').slice(0, 200))}</code>
        {tokens > 0 && <span className={styles.soft}>about {tokens} tokens</span>}
      </p>
      {text !== '' && <p>{visible.text(text.slice(0, 2000))}</p>}
      {parentCallId !== null && (
        <p className={styles.soft}>
          made by the handler of <a href={anchorHref(parentCallId)}>{visible.text(parentCallId)}</a>
        </p>
      )}
      {earlier?.call.callId && (
        <p>
          The earlier call is{' '}
          <Link prefetch={false} href={placeHref(earlier.session.sessionId, earlier.call.callId)}>
            {visible.text(earlier.call.callId.slice(0, 120))}
          </Link>
          .
        </p>
      )}
      <CallBars call={call} frame={frame} />
      <CallHistory call={call} />
      <Values call={call} />
    </article>
  )
}

function Values({ call }: { call: RunCall }) {
  const [args, answer] = [argsOf(call), answerOf(call)]
  const name = visible.text(call.callId?.slice(0, 80) ?? call.toolId)
  return (
    <>
      {args !== null && (
        <details>
          <summary>Arguments</summary>
          <JsonView value={args} label={`Arguments of ${name}`} />
        </details>
      )}
      {answer !== null && (
        <details>
          <summary>Answer</summary>
          <JsonView value={answer} label={`Answer of ${name}`} />
        </details>
      )}
      {args === null && answer === null && <p className={styles.soft}>Its arguments and its answer were not kept.</p>}
      <details>
        <summary>Audit lines</summary>
        <JsonView
          value={call.lines.slice(0, 50).map(({ time: _, ...line }) => line)}
          label={`Audit lines of ${name}`}
        />
      </details>
    </>
  )
}
