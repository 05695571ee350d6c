import { z } from 'zod'
import { attachSession, noneIfOver, whileAttached } from '@/lib/attach-session'
import type { ChatMessage } from '@/lib/chat-message'
import { keepMessages, readConversation } from '@/lib/conversation'
import { readJsonBody } from '@/lib/json-body'
import { shownPending } from '@/lib/pending-questions'
import { newSessionKey, readSessionKey, setCookie } from '@/lib/session-cookie'
import { countNewSession, userRoute } from '@/lib/visitor'

export const runtime = 'nodejs'
export const maxDuration = 30

const MAX_BODY_BYTES = 256 * 1024
const MAX_MESSAGES = 40
const MAX_CHARACTERS = 8000
const noStore = { 'cache-control': 'no-store' }

/** What was said in a voice call: words, and no calls. */
const spoken = z.object({
  messages: z
    .array(
      z.object({
        id: z.string().min(1).max(128),
        role: z.enum(['user', 'assistant']),
        parts: z.array(z.object({ type: z.literal('text'), text: z.string().min(1).max(MAX_CHARACTERS) })).length(1),
      }),
    )
    .min(1)
    .max(MAX_MESSAGES),
})

/** Returns the kept conversation of this browser's session and its pending confirmations: `{ messages, pending }`. */
export function GET(request: Request): Promise<Response> {
  return userRoute(request, async visitor => {
    const key = readSessionKey(request)
    const session = key && (await attachSession(request, visitor, key, { resumeOnly: true }).catch(noneIfOver))
    const kept = session
      ? await whileAttached(session, async () => ({
          messages: readConversation(session),
          pending: await shownPending(session),
        }))
      : { messages: [], pending: [] }
    return Response.json(kept, { headers: noStore })
  })
}

/** Adds what was said in a voice call to the conversation. */
export function POST(request: Request): Promise<Response> {
  return userRoute(request, async visitor => {
    const { messages } = await readJsonBody(request, spoken, MAX_BODY_BYTES)
    const own = readSessionKey(request)
    if (own === null) await countNewSession(visitor)
    const key = own ?? newSessionKey()
    const session = await attachSession(request, visitor, key)
    await whileAttached(session, async () => keepMessages(session, messages as ChatMessage[]))
    return Response.json({ kept: messages.length }, { headers: { ...noStore, 'set-cookie': setCookie(request, key) } })
  })
}
