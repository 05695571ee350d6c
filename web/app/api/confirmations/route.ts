import { httpStatus, toModelResponse } from 'toolgate'
import { z } from 'zod'
import { attachSession, noneIfOver, whileAttached } from '@/lib/attach-session'
import { keepAnswer } from '@/lib/conversation'
import { readJsonBody } from '@/lib/json-body'
import { readSessionKey } from '@/lib/session-cookie'
import { shownPending } from '@/lib/pending-questions'
import { refuseDuringTimeout } from '@/lib/user-timeout'
import { userRoute } from '@/lib/visitor'
import { attachAsked, voiceCredentials } from '@/lib/voice-session'

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
    /** Later calls that run without a question. */
    grant: z
      .object({
        scope: z.enum(['args', 'tool']),
        calls: z.int().min(1).max(100),
        ttlMs: z.int().min(1000).max(86_400_000),
      })
      .optional(),
    /** Credentials of the voice call that asked, if any. */
    voice: voiceCredentials.optional(),
  })
  .refine(({ decision, args }) => args === undefined || decision === 'approve', {
    path: ['args'],
    message: 'only an approval can change arguments',
  })
  .refine(({ decision, grant }) => grant === undefined || decision === 'approve', {
    path: ['grant'],
    message: 'only an approval can grant later calls',
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

/**
 * Approves or denies. Approving runs the call as it was shown, or as `args` change it, and returns `{ response }`; a refusal of
 * `args` or `grant` leaves the confirmation pending. Denying returns `{ denied }`, false if none was pending.
 */
export function POST(request: Request): Promise<Response> {
  return userRoute(request, async visitor => {
    const { confirmationToken, decision, args, grant, voice } = await readJsonBody(request, answer, MAX_BODY_BYTES)
    const session = await attachAsked(request, visitor, voice)
    return whileAttached(session, async () => {
      refuseDuringTimeout(session)
      if (decision === 'deny') {
        return Response.json(
          { denied: await session.deny(confirmationToken, undefined, { via: 'page' }) },
          { headers: noStore },
        )
      }
      const response = await session.confirm(confirmationToken, { via: 'page', args, grant })
      keepAnswer(session, toModelResponse(response, { meta: 'full' }))
      const status = response.ok ? 200 : httpStatus(response.error.type)
      return Response.json({ response: toModelResponse(response, { meta: 'full' }) }, { status, headers: noStore })
    })
  })
}
