import { loadGate } from '@/lib/gate'
import { logFailure } from '@/lib/log-failure'

export const runtime = 'nodejs'
export const dynamic = 'force-dynamic'

/** 200 if calls are taken and records and audit lines are kept, else 503. Says which part fails, not why. */
export async function GET(): Promise<Response> {
  const headers = { 'cache-control': 'no-store' }
  try {
    const { ok, closing, storeError, audit } = await (await loadGate()).health()
    const ready = { ok, closing, store: storeError === null, audit: !audit.failing, auditLinesLost: audit.lost }
    return Response.json(ready, { status: ok ? 200 : 503, headers })
  } catch (error) {
    logFailure('the tool registry could not be loaded', error)
    return Response.json({ ok: false, registry: false }, { status: 503, headers })
  }
}
