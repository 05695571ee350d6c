// What became of a call, in words: above all, why it did not run.
import type { Tone } from '@/components/ui/badge'
import { type RunCall, answerOf, lastOf, numberOf, textOf } from './runs'

export interface RunReason {
  tone: Tone
  /** A few words. */
  title: string
  /** The sentence of the gate, of the handler or of the user; empty if there is none. */
  text: string
}

/** Titles of refusals by error type: nothing ran. */
const REFUSED: Record<string, string> = {
  VALIDATION: 'Not run: the arguments do not fit',
  NOT_FOUND: 'Not run: there is no such tool',
  MODE_RESTRICTED: 'Not run: the tool is not for this mode',
  BUDGET_EXCEEDED: 'Not run: the budget of calls is used up',
  LOOP_DETECTED: 'Not run: the same call again and again',
  CONFIRMATION_EXPIRED: 'Not run: nobody answered in time',
  AUTH: 'Not run: a role or a right is missing',
  RATE_LIMIT: 'Not run: too many calls in a short time',
  SESSION_INACTIVE: 'Not run: the session is over',
  CONFLICT: 'Not run: it contradicts another call',
  CANCELLED: 'Not run: it was cancelled',
}

/** Titles of failures by error type: the handler ran. */
const FAILED: Record<string, string> = {
  TRANSIENT: 'Failed for now: it may be tried again',
  CANCELLED: 'Cancelled while it ran',
  INTERNAL: 'The handler broke',
}

const ENDS = ['tool_execution', 'tool_refused', 'confirmation_denied', 'tool_completed']

export function reasonOf(call: RunCall, now = Date.now()): RunReason {
  // What the caller got counts; a kept call says all where no audit line is left.
  const told = call.lines.filter(({ late }) => late !== true)
  const line = lastOf({ ...call, lines: told }, ...ENDS) ?? lastOf(call, 'call')
  switch (line?.event) {
    case 'tool_execution':
    case 'tool_completed':
      return ranAs(call, textOf(line.errorType), line.timedOut === true, line.cached === true)
    case 'confirmation_denied':
      return { tone: 'stop', title: 'Not run: it was denied', text: textOf(line.reason) }
    case 'tool_refused':
      return refusedAs(call, textOf(line.errorType), textOf(line.message), now)
    case 'call':
      return line.outcome === 'refused' || line.outcome === 'asked'
        ? refusedAs(call, textOf(line.errorType), answerOf(call)?.error?.message ?? '', now)
        : ranAs(call, textOf(line.errorType), false, line.outcome === 'cached')
    default:
      return { tone: 'neutral', title: 'Nothing is known of its end', text: '' }
  }
}

function ranAs(call: RunCall, errorType: string, isTimedOut: boolean, isCached: boolean): RunReason {
  if (errorType === '') return { tone: 'ok', title: isCached ? 'Answered from the cache' : 'Done', text: '' }
  const error = answerOf(call)?.error
  const late = call.lines.findLast(line => line.late === true)
  const text = [
    error?.message,
    late && `Its handler ended later, ${late.ok === true ? 'with success' : 'with an error'}`,
    error?.partialSideEffects && 'It may have had an effect: look before it is done again',
  ]
  const said = text.filter(Boolean).join('. ')
  if (error?.partialSideEffects)
    return { tone: 'ask', title: `Outcome unknown${isTimedOut ? ': it did not answer in time' : ''}`, text: said }
  if (isTimedOut) return { tone: 'stop', title: 'Failed: it did not answer in time', text: said }
  return { tone: 'stop', title: FAILED[errorType] ?? 'Failed: the handler answered with an error', text: said }
}

function refusedAs(call: RunCall, errorType: string, logged: string, now: number): RunReason {
  if (errorType === 'CONFIRMATION_REQUIRED') return asked(call, now)
  const error = answerOf(call)?.error
  // The answer says more than the line of the log.
  const message = error?.type === errorType ? error.message : logged
  const duplicate = lastOf(call, 'duplicate_found')
  if (duplicate && errorType === 'CONFLICT')
    return { tone: 'stop', title: 'Not run: a duplicate of an earlier call', text: message }
  if (/outcome/.test(message) && ['CONFLICT', 'TRANSIENT'].includes(errorType))
    return { tone: 'ask', title: 'Not run again: the outcome of the first time is unknown', text: message }
  return { tone: 'stop', title: REFUSED[errorType] ?? `Not run: ${errorType || 'refused'}`, text: message }
}

function asked(call: RunCall, now: number): RunReason {
  const expires = numberOf(lastOf(call, 'confirmation_requested')?.expires)
  if (expires > 0 && expires < now)
    return { tone: 'stop', title: 'Not run: nobody answered in time', text: 'The question has expired.' }
  const granted = lastOf(call, 'confirmation_granted')
  if (granted) return { tone: 'live', title: 'Running: it was approved', text: '' }
  return { tone: 'ask', title: 'Waits for an answer of a person', text: '' }
}

const WAYS: Record<string, string> = {
  page: 'on the page',
  speech: 'by voice',
  key: 'by a key',
  mcp: 'in the MCP client',
  adapter: 'through an adapter',
}
export const wayOf = (via: unknown): string => WAYS[textOf(via)] ?? (textOf(via) && `by “${textOf(via)}”`)

/** Anonymous browsers are known by a digest of their cookie. */
export const personOf = (principal: string | null): string =>
  principal === null
    ? ''
    : /^[0-9a-f]{64}$/.test(principal)
      ? `a browser without a name (${principal.slice(0, 8)})`
      : principal
