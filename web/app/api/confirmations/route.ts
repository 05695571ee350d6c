import { httpStatus, toModelResponse } from 'toolgate'
import { z } from 'zod'
import { attachSession, whileAttached } from '@/lib/attach-session'
import { readJsonBody } from '@/lib/json-body'
import { RequestRefusal, handleRoute } from '@/lib/request-refusal'
import { requireSameOrigin } from '@/lib/same-origin'
import { readSessionKey } from '@/lib/session-cookie'
import { refuseDuringTimeout } from '@/lib/user-timeout'
import { attachVoiceSession, voiceCredentials } from '@/lib/voice-session'

export const runtime = 'nodejs'
export const maxDuration = 30

const MAX_BODY_BYTES = 4096
const noStore = { 'cache-control': 'no-store' }

const answer = z.object({
  confirmationToken: z.string().min(1).max(512),
  decision: z.enum(['approve', 'deny']),
  /** Credentials of the voice call that asked, if any. */
  voice: voiceCredentials.optional(),
})

/** Returns the session's pending confirmations with their tokens: `{ pending }`. */
export function GET(request: Request): Promise<Response> {
  return handleRoute(async () => {
    const key = readSessionKey(request)
    if (!key) return Response.json({ pending: [] }, { headers: noStore })
    const session = await attachSession(request, key)
    const pending = await whileAttached(session, () => session.listPending())
    return Response.json({ pending }, { headers: noStore })
  })
}

async function attachOwn(request: Request) {
  const key = readSessionKey(request)
  if (!key) throw new RequestRefusal(401, 'AUTH', 'this browser has no session, so nothing waits for its confirmation')
  return attachSession(request, key)
}

/**
 * Approves or denies. Approving runs the call as shown and returns `{ response }`; denying returns `{ denied }`, false
 * if
 * none was pending.
 */
export function POST(request: Request): Promise<Response> {
  return handleRoute(async () => {
    requireSameOrigin(request)
    const { confirmationToken, decision, voice } = await readJsonBody(request, answer, MAX_BODY_BYTES)
    const session = voice ? await attachVoiceSession(voice) : await attachOwn(request)
    return whileAttached(session, async () => {
      refuseDuringTimeout(session)
      if (decision === 'deny') {
        return Response.json({ denied: await session.deny(confirmationToken) }, { headers: noStore })
      }
      const response = await session.confirm(confirmationToken)
      const status = response.ok ? 200 : httpStatus(response.error.type)
      return Response.json({ response: toModelResponse(response, { meta: 'full' }) }, { status, headers: noStore })
    })
  })
}
