import { loadGate } from '@/lib/gate'
import { inspecting } from '@/lib/inspector/access'
import { describeToolSet } from '@/lib/inspector/tool-set'

export const runtime = 'nodejs'

/** Every tool in short: `{ version, gitCommit, modes, tools }`. */
export function GET(request: Request): Promise<Response> {
  return inspecting(request, async () => {
    return Response.json(await describeToolSet(await loadGate()), { headers: { 'cache-control': 'no-store' } })
  })
}
