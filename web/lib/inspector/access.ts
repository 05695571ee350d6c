// Who may use the inspector. It runs tools and shows everybody's audit lines, so it answers on its own machine only: to
// requests that come from there, directly, and that name it by a name of that machine.
import { inspectorIsOn } from '../features'
import { answering, RequestRefusal } from '../request-refusal'
import { requireSameOrigin } from '../same-origin'
import { cameTooEarly, peerAddress } from './peer-address'

/** Whether these headers are those of a request that the inspector answers. */
export function comesFromHere(headers: Headers): boolean {
  const host = hostnameOf(headers.get('host'))
  // The header itself, not what a proxy's header claims: a page under a name that is pointed at this machine (DNS
  // rebinding) can set the latter.
  if (host === null) return false
  if (furtherHosts().includes(host)) return true
  return isLoopback(host) && isLoopback(peerAddress(headers) ?? '')
}

/** Runs a route of the inspector: 404 where it is off, 403 for whoever may not use it. */
export function inspecting(request: Request, route: () => Promise<Response> | Response): Promise<Response> {
  return answering(async () => {
    if (!inspectorIsOn()) throw new RequestRefusal(404, 'NOT_FOUND', 'there is nothing here')
    if (!comesFromHere(request.headers)) {
      if (cameTooEarly(request.headers))
        throw new RequestRefusal(503, 'BUSY', 'the server is still starting, ask again', {}, { 'retry-after': '1' })
      const advice = 'use `localhost` or a tunnel to it, or set `TOOLGATE_INSPECTOR_HOSTS`'
      throw new RequestRefusal(403, 'AUTH', `the inspector answers on its own machine only: ${advice}`)
    }
    requireSameOrigin(request)
    requireOwnPage(request)
    return route()
  })
}

/** Browsers name no origin where a page only reads, but say how the page relates to what it asks for. */
function requireOwnPage(request: Request): void {
  const site = request.headers.get('sec-fetch-site')
  if (site === null || site === 'same-origin' || site === 'none') return
  throw new RequestRefusal(403, 'AUTH', "the inspector answers its own pages only, not another site's")
}

/** Names beyond this machine's, without ports. Who reaches the server by one of them is let in. */
function furtherHosts(): string[] {
  const names = (process.env.TOOLGATE_INSPECTOR_HOSTS ?? '').split(',').map(name => name.trim().toLowerCase())
  return names.filter(name => name !== '')
}

function hostnameOf(host: string | null): string | null {
  const address = `http://${host ?? ''}`
  return URL.canParse(address) ? new URL(address).hostname : null
}

function isLoopback(name: string): boolean {
  return (
    name === 'localhost' ||
    name.endsWith('.localhost') ||
    /^(::ffff:)?127(\.\d{1,3}){3}$/.test(name) ||
    /^\[?::1\]?$/.test(name)
  )
}
