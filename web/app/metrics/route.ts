import { PROMETHEUS_TYPE, prometheusText } from 'toolgate'
import { loadGate } from '@/lib/gate'
import { logFailure } from '@/lib/log-failure'

export const runtime = 'nodejs'
export const dynamic = 'force-dynamic'

/** The gate's counters in Prometheus' text format. */
export async function GET(): Promise<Response> {
  if (process.env.TOOLGATE_METRICS === 'off') return new Response('not found\n', { status: 404 })
  try {
    const text = prometheusText((await loadGate()).getMetrics())
    return new Response(text, { headers: { 'content-type': PROMETHEUS_TYPE, 'cache-control': 'no-store' } })
  } catch (error) {
    logFailure('the tool registry could not be loaded', error)
    return new Response('the tool registry could not be loaded, the log says why\n', { status: 503 })
  }
}
