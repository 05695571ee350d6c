import type { Session } from 'toolgate'
import { z } from 'zod'
import { whileAttached } from '@/lib/attach-session'
import { readJsonBody } from '@/lib/json-body'
import { withRows } from '@/lib/pending-questions'
import { asLongPoll, userRoute } from '@/lib/visitor'
import { attachVoiceSession, voiceCredentials } from '@/lib/voice-session'

export const runtime = 'nodejs'
export const maxDuration = 30

const MAX_BODY_BYTES = 16 * 1024
/** Maximum wait, shorter than the request timeouts of platforms and proxies. */
const WATCH_MS = 20_000
/** Poll interval of the store, which another process changes. */
const LOOK_MS = 1000

const watch = z.object({
  voice: voiceCredentials,
  /** The tokens that the page already shows. */
  known: z.array(z.string().max(512)).max(64),
})

/**
 * Long poll: returns a voice call's pending confirmations, `{ pending }`, once they differ from `known`, or after the
 * wait.
 */
export function POST(request: Request): Promise<Response> {
  return userRoute(request, async visitor => {
    const { voice, known } = await readJsonBody(request, watch, MAX_BODY_BYTES)
    const session = await attachVoiceSession(voice, visitor)
    const pending = await whileAttached(session, () =>
      asLongPoll(visitor, () => whenOther(session, known, request.signal)),
    )
    return Response.json({ pending }, { headers: { 'cache-control': 'no-store' } })
  })
}

async function whenOther(session: Session, known: string[], signal: AbortSignal) {
  const until = Date.now() + WATCH_MS
  for (;;) {
    const pending = await session.listPending()
    const isOther = pending.length !== known.length || pending.some(({ token }) => !known.includes(token))
    if (isOther || signal.aborted || Date.now() >= until) return pending.map(question => withRows(session, question))
    await new Promise(resolve => setTimeout(resolve, LOOK_MS))
  }
}
