import { readChatRequest } from '@/lib/chat-request'
import { openChatTurn } from '@/lib/chat-turn'
import { streamAnswer } from '@/lib/chat-stream'
import { languageModel } from '@/lib/provider'
import { userRoute } from '@/lib/visitor'

export const runtime = 'nodejs'
export const maxDuration = 30

/**
 * Runs one chat turn: takes the messages of `useChat`, returns a UI message stream; refusals are JSON with a 4xx or
 * 503.
 */
export function POST(request: Request): Promise<Response> {
  return userRoute(request, async visitor => {
    const asked = await readChatRequest(request)
    const model = languageModel()
    const turn = await openChatTurn(request, visitor, asked)
    return streamAnswer({ turn, messages: asked.messages, timeZone: asked.timeZone, model, signal: request.signal })
  })
}
