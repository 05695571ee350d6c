// The inspector's own session of the gate, separate from the chat's, so that trying a tool affects no conversation.
import type { ProgressNews, Session } from 'toolgate'
import { cookieSecretOf } from 'toolgate/http'
import { type CookieUser, createSessionCookie } from 'toolgate/web'
import { z } from 'zod'
import { loadGate } from '../gate'
import { RequestRefusal } from '../request-refusal'
import { whileRunning } from './running-calls'

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
  const cookie = await inspectorCookie()
  const key = (await cookie.read(request)) ?? cookie.create()
  const news: CallNews = { messages: [], progress: [] }
  const session = await attach(request, key, attachment, news)
  const leave = () => void session.cancelAll('the inspector page was left')
  request.signal.addEventListener('abort', leave, { once: true })
  try {
    const answer = await whileRunning(key, session, () => act(session, news))
    const headers = { 'cache-control': 'no-store', 'set-cookie': await cookie.header(request, key) }
    return Response.json(answer, { headers })
  } finally {
    await session.detach()
    request.signal.removeEventListener('abort', leave)
  }
}

const inspectorCookie = async () =>
  createSessionCookie({
    registry: await loadGate(),
    secret: cookieSecretOf(process.env),
    name: 'toolgate_inspector',
    path: '/api/inspector',
  })

/** `null` if this browser has not used the inspector yet. */
export const inspectorKey = async (request: Request): Promise<CookieUser | null> =>
  (await inspectorCookie()).read(request)

async function attach(
  request: Request,
  key: CookieUser,
  { mode, roles }: Attachment,
  news: CallNews,
): Promise<Session> {
  const registry = await loadGate()
  const keep = <T>(list: T[], item: T) => void (list.length < MAX_REPORTS && list.push(item))
  const options = {
    mode,
    roles,
    sessionId: key.id,
    principal: key.principal,
    // Requests may attach at the same time, in any mode.
    exclusive: false,
    messaging: { send: (message: unknown) => keep(news.messages, message) },
    onProgress: (update: ProgressNews) => keep(news.progress, update),
  }
  try {
    return await registry.createSession(options)
  } catch (error) {
    if ((error as { type?: unknown }).type !== 'AUTH') throw error
    const headers = { 'set-cookie': (await inspectorCookie()).clearing(request) }
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
  const cookie = await inspectorCookie()
  const key = await cookie.read(request)
  if (key !== null) {
    const session = await attach(request, key, { mode: 'text', roles: [] }, { messages: [], progress: [] })
    await session.end('ended in the inspector')
  }
  return Response.json(
    { ended: key !== null },
    { headers: { 'cache-control': 'no-store', 'set-cookie': cookie.clearing(request) } },
  )
}
