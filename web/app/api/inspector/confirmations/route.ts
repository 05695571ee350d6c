import { inspecting } from '@/lib/inspector/access'
import { asInspector } from '@/lib/inspector/inspector-session'
import { answerConfirmation, answeredConfirmation } from '@/lib/inspector/try-call'
import { readJsonBody } from '@/lib/json-body'

export const runtime = 'nodejs'

const MAX_BODY_BYTES = 4096

/** Answers what the inspector's session waits for: the ToolResponse of an approved call, or `{ denied }`. */
export function POST(request: Request): Promise<Response> {
  return inspecting(request, async () => {
    const answer = await readJsonBody(request, answeredConfirmation, MAX_BODY_BYTES)
    return asInspector(request, answer, (session, news) => answerConfirmation(session, news, answer))
  })
}
