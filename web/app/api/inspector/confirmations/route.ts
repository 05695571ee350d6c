import { withInspectorAccess } from '@/lib/inspector/access'
import { asInspector } from '@/lib/inspector/inspector-session'
import { answerConfirmation, answeredConfirmation } from '@/lib/inspector/try-call'
import { readJsonBody } from '@/lib/json-body'

export const runtime = 'nodejs'

const MAX_BODY_BYTES = 4096

/** Answers a pending confirmation of the inspector's session: the ToolResponse of an approved call, or `{ denied }`. */
export function POST(request: Request): Promise<Response> {
  return withInspectorAccess(request, async () => {
    const answer = await readJsonBody(request, answeredConfirmation, MAX_BODY_BYTES)
    return asInspector(request, answer, (session, news) => answerConfirmation(session, news, answer))
  })
}
