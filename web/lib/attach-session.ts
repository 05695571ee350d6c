// One request's attachment to the session of its cookie, in text mode.
import type { Messaging, ProgressNews, Session } from 'toolgate'
import { loadGate } from './gate'
import { RequestRefusal } from './request-refusal'
import { type SessionKey, clearCookie, principalOf } from './session-cookie'

/**
 * Attaches to the session, which is made where it does not exist (any more).
 *
 * @throws RequestRefusal 401 where the session belongs to someone else; the cookie is cleared, the next request gets a
 *   session of its own
 */
export async function attachSession(request: Request, key: SessionKey, messaging?: Messaging): Promise<Session> {
  const registry = await loadGate()
  const principal = principalOf(key)
  try {
    return await registry.createSession({
      sessionId: key.sessionId,
      principal,
      mode: 'text',
      messaging,
      onProgress: progressTeller(messaging),
    })
  } catch (error) {
    if ((error as { type?: unknown }).type !== 'AUTH') throw error
    const headers = { 'set-cookie': clearCookie(request) }
    throw new RequestRefusal(401, 'AUTH', 'the session of this cookie belongs to someone else', {}, headers)
  }
}

/** News of a long call are a message like any other that a tool sends: a data part of the stream. */
export function progressTeller(messaging?: Messaging): (news: ProgressNews) => void {
  return news => void messaging?.send({ type: 'tool_progress', ...news })
}

/** Runs `act` attached, and detaches whatever happens. */
export async function whileAttached<T>(session: Session, act: () => Promise<T>): Promise<T> {
  try {
    return await act()
  } finally {
    await session.detach()
  }
}
