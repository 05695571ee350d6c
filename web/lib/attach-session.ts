// Attaches a request, in text mode, to the session of its cookie.
import type { Messaging, ProgressNews, Session } from 'toolgate'
import { loadGate } from './gate'
import { RequestRefusal } from './request-refusal'
import { type SessionKey, clearCookie, principalOf } from './session-cookie'
import type { Visitor } from './visitor'

export interface Attachment {
  messaging?: Messaging
  /** Whether the session must exist; it is created otherwise. */
  resumeOnly?: boolean
  /** IANA name of the page's time zone. */
  timeZone?: string
}

/**
 * Attaches to the session of a cookie.
 *
 * @throws RequestRefusal 401 if the session belongs to someone else; the cookie is cleared, so that the next request
 *   gets its own session
 */
export async function attachSession(
  request: Request,
  visitor: Visitor,
  key: SessionKey,
  { messaging, resumeOnly, timeZone }: Attachment = {},
): Promise<Session> {
  const registry = await loadGate()
  const options = { ...sessionOf(key, visitor), messaging, resumeOnly, timeZone, onProgress: progressSender(messaging) }
  try {
    return await registry.createSession(options)
  } catch (error) {
    throw isForeignSession(error) ? foreignSession(request) : error
  }
}

/** The session of a cookie, in text mode. Of a visitor without identity, the cookie is who they are. */
export const sessionOf = (key: SessionKey, { identity }: Visitor) => ({
  sessionId: key.sessionId,
  principal: identity?.principal ?? principalOf(key),
  roles: identity?.roles,
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

/** A session that is over, or is not kept any more, has nothing. */
export function noneIfOver(error: unknown): null {
  if ((error as { type?: unknown }).type === 'SESSION_INACTIVE') return null
  throw error
}

/** Runs `act` and detaches in any case. */
export async function whileAttached<T>(session: Session, act: () => Promise<T>): Promise<T> {
  try {
    return await act()
  } finally {
    await session.detach()
  }
}
