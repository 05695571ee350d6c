import { z } from 'zod'
import { whileAttached } from '@/lib/attach-session'
import { readJsonBody } from '@/lib/json-body'
import { userRoute } from '@/lib/visitor'
import { attachAsked, voiceCredentials } from '@/lib/voice-session'

export const runtime = 'nodejs'
export const maxDuration = 30

const MAX_BODY_BYTES = 16 * 1024

const change = z.object({
  /** The id of a grant that its user ends. */
  revoke: z.string().min(1).max(128).optional(),
  /** Credentials of the voice call whose grants they are; without them, those of the cookie's session. */
  voice: voiceCredentials.optional(),
})

/** Returns what the user has granted in the session, `{ grants }`; ends one before, if `revoke` names it. */
export function POST(request: Request): Promise<Response> {
  return userRoute(request, async visitor => {
    const { revoke, voice } = await readJsonBody(request, change, MAX_BODY_BYTES)
    const session = await attachAsked(request, visitor, voice)
    const grants = await whileAttached(session, async () => {
      if (revoke !== undefined) await session.revoke(revoke, { via: 'page' })
      return session.grants()
    })
    return Response.json({ grants }, { headers: { 'cache-control': 'no-store' } })
  })
}
