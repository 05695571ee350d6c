import { loadGate } from '@/lib/gate'
import { withInspectorAccess } from '@/lib/inspector/access'
import { describeToolSet } from '@/lib/inspector/tool-set'

export const runtime = 'nodejs'

/** Summaries of all tools: `{ version, gitCommit, modes, tools }`. */
export function GET(request: Request): Promise<Response> {
  return withInspectorAccess(request, async () => {
    return Response.json(await describeToolSet(await loadGate()), { headers: { 'cache-control': 'no-store' } })
  })
}
