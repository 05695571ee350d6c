import { loadGate } from '@/lib/gate'
import { withInspectorAccess } from '@/lib/inspector/access'

export const runtime = 'nodejs'

/** The gate's counters since it was loaded: `{ at, tools }`, by tool and mode. */
export function GET(request: Request): Promise<Response> {
  return withInspectorAccess(request, async () => {
    const registry = await loadGate()
    const metrics = { at: new Date().toISOString(), tools: registry.getMetrics() }
    return Response.json(metrics, { headers: { 'cache-control': 'no-store' } })
  })
}
