// The user timeout set by the tool `ignore_user`: kept in the session's state and enforced by every route that acts.
import type { Session } from 'toolgate'
import { RequestRefusal } from './request-refusal'

/** Epoch milliseconds. In the session's state, so that it applies to all attachments, also the voice server's. */
const FIELD = 'timeoutUntil'

export function userTimeoutUntil(session: Session): number {
  const until: unknown = session.state.get(FIELD)
  return typeof until === 'number' ? until : 0
}

/** Records a `timeout` message on its way to the client; a later one extends the timeout. */
export function recordUserTimeout(session: Session, message: unknown): void {
  if (!isTimeoutMessage(message)) return
  session.state.set(FIELD, Math.max(message.timeoutUntil, userTimeoutUntil(session)))
}

/** @throws RequestRefusal 423 with `timeoutUntil` during the timeout */
export function refuseDuringTimeout(session: Session, now = Date.now()): void {
  const timeoutUntil = userTimeoutUntil(session)
  if (timeoutUntil <= now) return
  const retryAfter = String(Math.ceil((timeoutUntil - now) / 1000))
  const message = `the assistant has paused this conversation until ${new Date(timeoutUntil).toISOString()}`
  throw new RequestRefusal(423, 'USER_TIMEOUT', message, { timeoutUntil }, { 'retry-after': retryAfter })
}

function isTimeoutMessage(message: unknown): message is { type: 'timeout'; timeoutUntil: number } {
  if (typeof message !== 'object' || message === null) return false
  const { type, timeoutUntil } = message as Record<string, unknown>
  return type === 'timeout' && typeof timeoutUntil === 'number'
}
