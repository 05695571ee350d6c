// Access control of the inspector. It runs tools and shows all audit lines, so it answers only direct requests from its
// own machine that use a host name of that machine and have the start-up secret.
import { hostName, inspectorHostsOf, isLoopbackAddress, isLoopbackName } from 'toolgate/http'
import { checkOrigin } from 'toolgate/web'
import { inspectorIsOn } from '../features'
import { allowedOrigins } from '../known-host'
import { handleRoute, RequestRefusal } from '../request-refusal'
import { arrivedDuringStartup, peerOf } from '../peer-address'
import { hasInspectorSecret } from './secret'

/** Whether the headers belong to a request that the inspector answers. */
export function isLocalRequest(headers: Headers): boolean {
  const host = hostName(headers.get('host'))
  // `Host` and not a proxy's header: a page whose name resolves to this machine (DNS rebinding) can set the latter.
  const peer = peerOf(headers)
  // A name of `TOOLGATE_INSPECTOR_HOSTS` is answered for any machine. Behind a proxy, even one of this machine, the client is unknown.
  if (host === null || peer === null || peer.forwarded) return false
  return (
    (inspectorHostsOf(process.env) ?? []).includes(host) || (isLoopbackName(host) && isLoopbackAddress(peer.address))
  )
}

/** Runs an inspector route: 404 if the inspector is off, 403 if the request is not allowed, 401 without the secret. */
export function withInspectorAccess(request: Request, route: () => Promise<Response> | Response): Promise<Response> {
  return handleRoute(async () => {
    if (!inspectorIsOn()) throw new RequestRefusal(404, 'NOT_FOUND', 'there is nothing here')
    if (!isLocalRequest(request.headers)) {
      if (arrivedDuringStartup(request.headers))
        throw new RequestRefusal(503, 'BUSY', 'the server is still starting, ask again', {}, { 'retry-after': '1' })
      const advice = 'use `localhost` or a tunnel to it, or set `TOOLGATE_INSPECTOR_HOSTS`'
      throw new RequestRefusal(403, 'AUTH', `the inspector answers on its own machine only: ${advice}`)
    }
    if (!hasInspectorSecret(request.headers)) {
      const advice = 'open the link that the server printed at its start, or send the secret as a bearer token'
      throw new RequestRefusal(401, 'AUTH', `the inspector needs its start-up secret: ${advice}`)
    }
    checkOrigin(request, allowedOrigins())
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
