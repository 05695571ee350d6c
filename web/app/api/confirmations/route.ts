import { httpStatus, toModelResponse } from 'toolgate'
import { z } from 'zod'
import { attachSession, noneIfOver, whileAttached } from '@/lib/attach-session'
import { keepAnswer } from '@/lib/conversation'
import { readJsonBody } from '@/lib/json-body'
import { RequestRefusal } from '@/lib/request-refusal'
import { readSessionKey } from '@/lib/session-cookie'
import { shownPending } from '@/lib/pending-questions'
import { refuseDuringTimeout } from '@/lib/user-timeout'
import { type Visitor, userRoute } from '@/lib/visitor'
import { attachVoiceSession, voiceCredentials } from '@/lib/voice-session'

export const runtime = 'nodejs'
export const maxDuration = 30

/** As large as a tool's arguments from the page. */
const MAX_BODY_BYTES = 256 * 1024
const noStore = { 'cache-control': 'no-store' }

const answer = z
  .object({
    confirmationToken: z.string().min(1).max(512),
    decision: z.enum(['approve', 'deny']),
    /** All arguments as the user wants them, instead of those that were shown. */
    args: z.record(z.string(), z.unknown()).optional(),
    /** Credentials of the voice call that asked, if any. */
    voice: voiceCredentials.optional(),
  })
  .refine(({ decision, args }) => args === undefined || decision === 'approve', {
    path: ['args'],
    message: 'only an approval can change arguments',
  })

/** Returns the session's pending confirmations with their tokens: `{ pending }`. */
export function GET(request: Request): Promise<Response> {
  return userRoute(request, async visitor => {
    const key = readSessionKey(request)
    const session = key && (await attachSession(request, visitor, key, { resumeOnly: true }).catch(noneIfOver))
    const pending = session ? await whileAttached(session, () => shownPending(session)) : []
    return Response.json({ pending }, { headers: noStore })
  })
}

async function attachOwn(request: Request, visitor: Visitor) {
  const key = readSessionKey(request)
  if (!key) throw new RequestRefusal(401, 'AUTH', 'this browser has no session, so nothing waits for its confirmation')
  return attachSession(request, visitor, key)
}

/**
 * Approves or denies. Approving runs the call as it was shown, or as `args` change it, and returns `{ response }`; a refusal of
 * `args` leaves the confirmation pending. Denying returns `{ denied }`, false if none was pending.
 */
export function POST(request: Request): Promise<Response> {
  return userRoute(request, async visitor => {
    const { confirmationToken, decision, args, voice } = await readJsonBody(request, answer, MAX_BODY_BYTES)
    const session = voice ? await attachVoiceSession(voice, visitor) : await attachOwn(request, visitor)
    return whileAttached(session, async () => {
      refuseDuringTimeout(session)
      if (decision === 'deny') {
        return Response.json(
          { denied: await session.deny(confirmationToken, undefined, { via: 'page' }) },
          { headers: noStore },
        )
      }
      const response = await session.confirm(confirmationToken, { via: 'page', args })
      keepAnswer(session, toModelResponse(response, { meta: 'full' }))
      const status = response.ok ? 200 : httpStatus(response.error.type)
      return Response.json({ response: toModelResponse(response, { meta: 'full' }) }, { status, headers: noStore })
    })
  })
}
