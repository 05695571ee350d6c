// Access control of the inspector. It runs tools and shows all audit lines without a password, so it answers only
// direct requests from its own machine that use a host name of that machine.
import { hostName } from 'toolgate/http'
import { inspectorIsOn } from '../features'
import { handleRoute, RequestRefusal } from '../request-refusal'
import { requireSameOrigin } from '../same-origin'
import { arrivedDuringStartup, peerAddress } from './peer-address'

/** Whether the headers belong to a request that the inspector answers. */
export function isLocalRequest(headers: Headers): boolean {
  const host = hostName(headers.get('host'))
  // `Host` and not a proxy's header: a page whose name resolves to this machine (DNS rebinding) can set the latter.
  if (host === null) return false
  if (allowedHosts().includes(host)) return true
  return isLoopback(host) && isLoopback(peerAddress(headers) ?? '')
}

/** Runs an inspector route: 404 if the inspector is off, 403 if the request is not allowed. */
export function withInspectorAccess(request: Request, route: () => Promise<Response> | Response): Promise<Response> {
  return handleRoute(async () => {
    if (!inspectorIsOn()) throw new RequestRefusal(404, 'NOT_FOUND', 'there is nothing here')
    if (!isLocalRequest(request.headers)) {
      if (arrivedDuringStartup(request.headers))
        throw new RequestRefusal(503, 'BUSY', 'the server is still starting, ask again', {}, { 'retry-after': '1' })
      const advice = 'use `localhost` or a tunnel to it, or set `TOOLGATE_INSPECTOR_HOSTS`'
      throw new RequestRefusal(403, 'AUTH', `the inspector answers on its own machine only: ${advice}`)
    }
    requireSameOrigin(request)
    requireOwnPage(request)
    return route()
  })
}

/** Browsers send no `Origin` with a GET, but `Sec-Fetch-Site`. */
function requireOwnPage(request: Request): void {
  const site = request.headers.get('sec-fetch-site')
  if (site === null || site === 'same-origin' || site === 'none') return
  throw new RequestRefusal(403, 'AUTH', "the inspector answers its own pages only, not another site's")
}

/** Further allowed host names, without ports. Requests with one of them are accepted from any machine. */
function allowedHosts(): string[] {
  const names = (process.env.TOOLGATE_INSPECTOR_HOSTS ?? '').split(',').map(name => name.trim().toLowerCase())
  return names.filter(name => name !== '')
}

function isLoopback(name: string): boolean {
  return (
    name === 'localhost' ||
    name.endsWith('.localhost') ||
    /^(::ffff:)?127(\.\d{1,3}){3}$/.test(name) ||
    /^\[?::1\]?$/.test(name)
  )
}
