import { withInspectorAccess } from '@/lib/inspector/access'
import { asInspector } from '@/lib/inspector/inspector-session'
import { triedCall, tryCall } from '@/lib/inspector/try-call'
import { readJsonBody } from '@/lib/json-body'

export const runtime = 'nodejs'

/** Above the gate's limit for arguments, so that its refusal of too large arguments can be tried. */
const MAX_BODY_BYTES = 3 * 1024 * 1024

/** Runs a call through the inspector's session: 200 with the ToolResponse, also if it is an error. */
export function POST(request: Request): Promise<Response> {
  return withInspectorAccess(request, async () => {
    const call = await readJsonBody(request, triedCall, MAX_BODY_BYTES)
    return asInspector(request, call, (session, news) => tryCall(session, news, call))
  })
}
