// Attaches a request, in text mode, to the session of its cookie.
import type { Messaging, ProgressNews, Session } from 'toolgate'
import { loadGate } from './gate'
import { RequestRefusal } from './request-refusal'
import { type SessionKey, clearCookie, principalOf } from './session-cookie'

/**
 * Attaches to the session, and creates it if it does not exist (any more).
 *
 * @throws RequestRefusal 401 if the session belongs to someone else; the cookie is cleared, so that the next request
 *   gets its own session
 */
export async function attachSession(request: Request, key: SessionKey, messaging?: Messaging): Promise<Session> {
  const registry = await loadGate()
  try {
    return await registry.createSession({ ...sessionOf(key), messaging, onProgress: progressSender(messaging) })
  } catch (error) {
    throw isForeignSession(error) ? foreignSession(request) : error
  }
}

/** The session of a cookie, in text mode. */
export const sessionOf = (key: SessionKey) => ({
  sessionId: key.sessionId,
  principal: principalOf(key),
  mode: 'text',
})

/** Whether the gate refused an attachment because the session has another principal. */
export const isForeignSession = (error: unknown): boolean =>
  !(error instanceof RequestRefusal) && (error as { type?: unknown } | null)?.type === 'AUTH'

export function foreignSession(request: Request): RequestRefusal {
  const headers = { 'set-cookie': clearCookie(request) }
  return new RequestRefusal(401, 'AUTH', 'the session of this cookie belongs to someone else', {}, headers)
}

/** Sends progress of a call as a tool message: a data part of the stream. */
export function progressSender(messaging?: Messaging): (news: ProgressNews) => void {
  return news => void messaging?.send({ type: 'tool_progress', ...news })
}

/** Runs `act` and detaches in any case. */
export async function whileAttached<T>(session: Session, act: () => Promise<T>): Promise<T> {
  try {
    return await act()
  } finally {
    await session.detach()
  }
}
