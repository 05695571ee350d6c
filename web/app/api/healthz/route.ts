import { loadGate } from '@/lib/gate'
import { logFailure } from '@/lib/log-failure'
import { providerKind } from '@/lib/provider'

export const runtime = 'nodejs'
export const dynamic = 'force-dynamic'

/** 200 if the gate is loaded, 503 if the tool set could not be loaded. */
export async function GET(): Promise<Response> {
  try {
    const registry = await loadGate()
    const health = {
      ok: true,
      registryVersion: registry.getVersion(),
      tools: registry.tools.size,
      provider: providerKind(),
    }
    return Response.json(health, { headers: { 'cache-control': 'no-store' } })
  } catch (error) {
    logFailure('the tool registry could not be loaded', error)
    return Response.json(
      { ok: false, message: 'the tool registry could not be loaded, the log says why' },
      { status: 503 },
    )
  }
}
