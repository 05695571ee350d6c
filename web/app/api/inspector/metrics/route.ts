import { loadGate } from '@/lib/gate'
import { inspecting } from '@/lib/inspector/access'

export const runtime = 'nodejs'

/** What the gate counted since it was loaded: `{ at, tools }`, by tool and mode. */
export function GET(request: Request): Promise<Response> {
  return inspecting(request, async () => {
    const registry = await loadGate()
    const metrics = { at: new Date().toISOString(), tools: registry.getMetrics() }
    return Response.json(metrics, { headers: { 'cache-control': 'no-store' } })
  })
}
