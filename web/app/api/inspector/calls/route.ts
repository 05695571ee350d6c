import { inspecting } from '@/lib/inspector/access'
import { asInspector } from '@/lib/inspector/inspector-session'
import { triedCall, tryCall } from '@/lib/inspector/try-call'
import { readJsonBody } from '@/lib/json-body'

export const runtime = 'nodejs'

/** Above the gate's own bound on arguments, so that its refusal of too large ones can be tried. */
const MAX_BODY_BYTES = 3 * 1024 * 1024

/** Runs a call through the inspector's session: 200 with the ToolResponse, whatever it says. */
export function POST(request: Request): Promise<Response> {
  return inspecting(request, async () => {
    const call = await readJsonBody(request, triedCall, MAX_BODY_BYTES)
    return asInspector(request, call, (session, news) => tryCall(session, news, call))
  })
}
