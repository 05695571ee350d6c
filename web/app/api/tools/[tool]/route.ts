import { createToolRoute } from 'toolgate/web'
import { foreignSession, isForeignSession, sessionOf } from '@/lib/attach-session'
import { loadGate } from '@/lib/gate'
import { RequestRefusal, failureResponse } from '@/lib/request-refusal'
import { requireSameOrigin } from '@/lib/same-origin'
import { readSessionKey } from '@/lib/session-cookie'
import { receive } from '@/lib/visitor'
import { refuseDuringTimeout } from '@/lib/user-timeout'

export const runtime = 'nodejs'
export const maxDuration = 30

const MAX_BODY_BYTES = 256 * 1024

/** Runs one tool that the page calls, with the arguments as body, in the session of the cookie. */
export const POST = createToolRoute(loadGate, {
  session: ownSession,
  beforeCall: session => refuseDuringTimeout(session),
  allowedOrigins: requireSameOrigin,
  maxBodyBytes: MAX_BODY_BYTES,
  onError,
})

async function ownSession(request: Request) {
  const visitor = await receive(request)
  const key = readSessionKey(request)
  if (!key) throw new RequestRefusal(401, 'AUTH', 'this browser has no session: send a message first')
  return sessionOf(key, visitor)
}

function onError(error: unknown, request: Request): Response {
  return failureResponse(isForeignSession(error) ? foreignSession(request) : error)
}
