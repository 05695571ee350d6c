import type { Session } from 'toolgate'
import { z } from 'zod'
import { whileAttached } from '@/lib/attach-session'
import { isDraining, pause } from '@/lib/drain'
import { readJsonBody } from '@/lib/json-body'
import { closedQuestions, differ, shownPending } from '@/lib/pending-questions'
import { asLongPoll, userRoute } from '@/lib/visitor'
import { attachAsked, voiceCredentials } from '@/lib/voice-session'

export const runtime = 'nodejs'
export const maxDuration = 30

const MAX_BODY_BYTES = 64 * 1024
/** Maximum wait, shorter than the request timeouts of platforms and proxies. */
const WATCH_MS = 20_000
/** Poll interval of the store, which another process changes. */
const LOOK_MS = 1000

const watch = z.object({
  /** Credentials of the voice call whose questions are watched; without them, those of the cookie's session. */
  voice: voiceCredentials.optional(),
  /** The questions that the page already shows, and how many approvers have confirmed each. */
  known: z
    .array(z.object({ token: z.string().min(1).max(512), confirmations: z.int().min(0).max(10).optional() }))
    .max(64),
})

type Known = z.infer<typeof watch>['known']

/**
 * Long poll: returns a session's pending confirmations, `{ pending }`, once they differ from `known`, or after the wait; with
 * `closed`, what came of those in `known` that no longer wait.
 */
export function POST(request: Request): Promise<Response> {
  return userRoute(request, async visitor => {
    const { voice, known } = await readJsonBody(request, watch, MAX_BODY_BYTES)
    const session = await attachAsked(request, visitor, voice)
    const questions = await whileAttached(session, () =>
      asLongPoll(visitor, () => whenOther(session, known, request.signal)),
    )
    const headers = { 'cache-control': 'no-store', ...(isDraining() && { connection: 'close' }) }
    return Response.json(questions, { headers })
  })
}

async function whenOther(session: Session, known: Known, signal: AbortSignal) {
  const until = Date.now() + WATCH_MS
  for (;;) {
    const pending = await session.listPending()
    if (differ(pending, known) || signal.aborted || isDraining() || Date.now() >= until) {
      const gone = known.map(({ token }) => token).filter(token => !pending.some(question => question.token === token))
      return { pending: await shownPending(session, pending), closed: await closedQuestions(session, gone) }
    }
    await pause(LOOK_MS)
  }
}
