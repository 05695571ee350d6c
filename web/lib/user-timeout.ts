// The pause that the tool `ignore_user` asks for: kept in the session's state, honoured by every route that acts.
import type { Session } from 'toolgate'
import { RequestRefusal } from './request-refusal'

/** Epoch milliseconds. In the state, so that it holds for all attachments of the session, the voice server's too. */
const FIELD = 'timeoutUntil'

export function userTimeoutUntil(session: Session): number {
  const until: unknown = session.state.get(FIELD)
  return typeof until === 'number' ? until : 0
}

/** Takes note of a `timeout` message on its way to the client; a later one extends the pause. */
export function noteUserTimeout(session: Session, message: unknown): void {
  if (!isTimeoutMessage(message)) return
  session.state.set(FIELD, Math.max(message.timeoutUntil, userTimeoutUntil(session)))
}

/** @throws RequestRefusal 423 with `timeoutUntil` while the pause lasts */
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
