import { personOf, wayOf } from '@/lib/inspector/run-reason'
import { type RunCall, answerOf, numberOf, textOf } from '@/lib/inspector/runs'
import type { RunLine } from '@/lib/inspector/run-lines'
import { shownTime } from '@/lib/inspector/run-times'
import { visible } from 'toolgate-react/parts'
import { LocalTime } from './local-time'
import styles from './sessions.module.css'

/** Steps that are shown of one call. */
const MAX_STEPS = 30

/** What happened to a call, step by step: questions and their answers, attempts, replays. */
export function CallHistory({ call }: { call: RunCall }) {
  const steps = call.lines.flatMap(line => {
    const text = stepOf(line, call)
    return text === null ? [] : [{ line, text }]
  })
  if (steps.length === 0) return null
  return (
    <ol className={styles.steps} aria-label="What happened">
      {steps.slice(0, MAX_STEPS).map(({ line, text }, place) => (
        <li key={place}>
          <LocalTime time={line.time} /> {visible.text(text.slice(0, 1000))}
        </li>
      ))}
      {steps.length > MAX_STEPS && <li>and {steps.length - MAX_STEPS} more</li>}
    </ol>
  )
}

/** Null for a line that the call's head or its bars say already. */
function stepOf(line: RunLine, call: RunCall): string | null {
  const { event, errorType, message, attempt, afterMs, attempts, outcome, reason } = line
  switch (event) {
    case 'confirmation_requested':
      return `A person was asked${shownOf(call)}`
    case 'confirmation_granted':
      return `Approved${byWhom(line)}${Array.isArray(line.edited) && line.edited.length > 0 ? `, with changes of ${line.edited.join(', ')}` : ''}`
    case 'confirmation_counted':
      return `Approved${byWhom(line)}: ${numberOf(line.confirmations)} so far, and more must`
    case 'confirmation_denied':
      return `Denied${byWhom(line)}${textOf(reason) && `: ${textOf(reason)}`}`
    case 'confirmation_expired':
      return 'An answer came after the question had expired'
    case 'grant_used':
      return `Ran without a question, by a grant; ${numberOf(line.callsLeft)} calls are left of it`
    case 'tool_retried':
      return `Attempt ${numberOf(attempt)} failed (${textOf(errorType)}); the next one ${shownTime(numberOf(afterMs))} later`
    case 'tool_execution':
      return `${line.late === true ? 'Its handler ended after all: ran' : 'Ran'} in ${shownTime(numberOf(line.duration))}, ${numberOf(attempts) === 1 ? 'one attempt' : `${numberOf(attempts)} attempts`}${textOf(errorType) && `: ${textOf(errorType)}`}`
    case 'tool_refused':
      return errorType === 'CONFIRMATION_REQUIRED' ? null : `Refused (${textOf(errorType)}): ${textOf(message)}`
    case 'tool_replayed':
      return `The same call came again, and was answered from its record of turn ${numberOf(line.originalTurn)}`
    case 'duplicate_found':
      return `It would have done again what an earlier call did (${textOf(outcome)}): ${textOf(line.answer)}`
    case 'reconciled':
      return `The tool was asked what became of it: ${textOf(outcome).replace('_', ' ')}`
    case 'tool_cancelled':
      return `Cancelled: ${textOf(reason)}`
    case 'loop_detected':
      return line.refused === true ? 'The loop guard refused it' : 'The loop guard warned of it'
    case 'tool_deferred':
      return 'Goes on in the background'
    case 'tool_completed':
      return `Completed from elsewhere${textOf(errorType) && `: ${textOf(errorType)}`}`
    case 'signal_ignored':
      return 'The handler went on after its signal'
    default:
      return null
  }
}

/** What the person was shown, if it was kept. */
function shownOf(call: RunCall): string {
  const kept = call.lines.find(line => line.event === 'call' && line.outcome === 'asked')
  const preview = answerOf({ ...call, lines: kept ? [kept] : [] })?.error?.preview
  return preview ? `: “${preview}”` : ''
}

function byWhom({ principal, via }: RunLine): string {
  const parts = [textOf(principal) && `by ${personOf(textOf(principal))}`, wayOf(via)].filter(Boolean)
  return parts.length === 0 ? '' : ` ${parts.join(', ')}`
}
