import { PROMETHEUS_TYPE, prometheusText } from 'toolgate'
import { loadGate } from '@/lib/gate'
import { logFailure } from '@/lib/log-failure'
import { metricsAccess } from '@/lib/metrics-access'
import { peerOf } from '@/lib/peer-address'
import { refusedUpgrades } from '@/lib/refused-upgrades'

export const runtime = 'nodejs'
export const dynamic = 'force-dynamic'

/** The gate's counters as OpenMetrics text. */
export async function GET({ headers }: Request): Promise<Response> {
  if (process.env.TOOLGATE_METRICS === 'off') return new Response('not found\n', { status: 404 })
  const refusal = refusalOf(headers)
  if (refusal !== null) return new Response(`${refusal}\n`, { status: 401, headers: { 'cache-control': 'no-store' } })
  try {
    const registry = await loadGate()
    const text = upgradesText() + prometheusText(registry.getMetrics(), await registry.health())
    return new Response(text, { headers: { 'content-type': PROMETHEUS_TYPE, 'cache-control': 'no-store' } })
  } catch (error) {
    logFailure('the tool registry could not be loaded', error)
    return new Response('the tool registry could not be loaded, the log says why\n', { status: 503 })
  }
}

/** Further families come before those of the gate, whose text has the end. */
function upgradesText(): string {
  const name = 'toolgate_web_refused_upgrades'
  const help = 'Requests for another protocol, such as WebSocket, none of which the web app speaks.'
  return `# TYPE ${name} counter\n# HELP ${name} ${help}\n${name}_total ${refusedUpgrades()}\n`
}

function refusalOf(headers: Headers): string | null {
  const peer = peerOf(headers)
  const authorization = headers.get('authorization')
  const { mayRead, refusal } = metricsAccess()
  const isReader = mayRead({ authorization, peer: peer?.address ?? null, forwarded: peer?.forwarded ?? false })
  return isReader ? null : refusal
}
