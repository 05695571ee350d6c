// The inspector's own session of the gate, separate from the chat's, so that trying a tool affects no conversation.
import type { ProgressNews, Session } from 'toolgate'
import { z } from 'zod'
import { loadGate } from '../gate'
import { RequestRefusal } from '../request-refusal'
import {
  type CookieScope,
  type SessionKey,
  clearCookie,
  newSessionKey,
  principalOf,
  readSessionKey,
  setCookie,
} from '../session-cookie'
import { whileRunning } from './running-calls'

const SCOPE: CookieScope = { name: 'toolgate_inspector', path: '/api/inspector' }
/** Maximum number of messages and progress reports per request. */
const MAX_REPORTS = 200

/** Body members that define the attachment. */
export const attachmentFields = {
  mode: z.string().min(1).max(64).default('text'),
  /** The inspector may choose any roles. */
  roles: z.array(z.string().min(1).max(64)).max(16).default([]),
}

export interface Attachment {
  mode: string
  roles: string[]
}

/** Output of handlers besides their results. */
export interface CallNews {
  /** Messages sent to the client. */
  messages: unknown[]
  progress: ProgressNews[]
}

/**
 * Runs `act` attached to the session of the request's cookie, or to a new session. Its calls are cancelled if the
 * client
 * disconnects.
 *
 * @returns the result of `act` as JSON, with the cookie
 */
export async function asInspector(
  request: Request,
  attachment: Attachment,
  act: (session: Session, news: CallNews) => Promise<object>,
): Promise<Response> {
  const key = inspectorKey(request) ?? newSessionKey()
  const news: CallNews = { messages: [], progress: [] }
  const session = await attach(request, key, attachment, news)
  const leave = () => void session.cancelAll('the inspector page was left')
  request.signal.addEventListener('abort', leave, { once: true })
  try {
    const answer = await whileRunning(key, session, () => act(session, news))
    return Response.json(answer, {
      headers: { 'cache-control': 'no-store', 'set-cookie': setCookie(request, key, SCOPE) },
    })
  } finally {
    await session.detach()
    request.signal.removeEventListener('abort', leave)
  }
}

/** `null` if this browser has not used the inspector yet. */
export const inspectorKey = (request: Request): SessionKey | null => readSessionKey(request, SCOPE)

async function attach(
  request: Request,
  key: SessionKey,
  { mode, roles }: Attachment,
  news: CallNews,
): Promise<Session> {
  const registry = await loadGate()
  const keep = <T>(list: T[], item: T) => void (list.length < MAX_REPORTS && list.push(item))
  const options = {
    mode,
    roles,
    sessionId: key.sessionId,
    principal: principalOf(key),
    // Requests may attach at the same time, in any mode.
    exclusive: false,
    messaging: { send: (message: unknown) => keep(news.messages, message) },
    onProgress: (update: ProgressNews) => keep(news.progress, update),
  }
  try {
    return await registry.createSession(options)
  } catch (error) {
    if ((error as { type?: unknown }).type !== 'AUTH') throw error
    const headers = { 'set-cookie': clearCookie(request, SCOPE) }
    throw new RequestRefusal(
      401,
      'AUTH',
      'the session of this cookie belongs to someone else; the next call begins a new one',
      {},
      headers,
    )
  }
}

/** Ends the session, if any: the next request begins another. */
export async function endInspectorSession(request: Request): Promise<Response> {
  const key = inspectorKey(request)
  if (key !== null) {
    const session = await attach(request, key, { mode: 'text', roles: [] }, { messages: [], progress: [] })
    await session.end('ended in the inspector')
  }
  return Response.json(
    { ended: key !== null },
    { headers: { 'cache-control': 'no-store', 'set-cookie': clearCookie(request, SCOPE) } },
  )
}
