// What every request passes before Next sees it, whatever its method, target and body: the checks of its target and host
// names, the record of its peer, its answer's policy, and the deadline of its body. A proxy of Next (`proxy.ts`) is no
// place for that: Next keeps a request's body until the proxy has run, so one without an end would never reach its route.
import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http'
import { setBodyDeadline } from 'toolgate/http'
import { onAppServer } from './app-server'
import { DATA_POLICY, contentPolicyOf } from './content-policy'
import { UNKNOWN_HOST, allowedHosts, isKnownHost } from './known-host'
import { type PeerRecorder, createPeerRecorder } from './peer-address'
import { refuseUpgrades } from './refused-upgrades'

/**
 * Guards the requests from now on. Routes refuse those that came before: their peer is not recorded.
 *
 * @throws TypeError if the trusted proxies, or the allowed hosts and origins, are invalid
 */
export function guardRequests(): void {
  allowedHosts()
  const recordPeer = createPeerRecorder()
  onAppServer(server => {
    const serve = server.listeners('request') as RequestListener[]
    server.removeAllListeners('request')
    server.on('request', (request, response) => {
      if (!admit(request, response, recordPeer)) return
      for (const listener of serve) listener.call(server, request, response)
    })
    refuseUpgrades(server)
  })
}

/** Prepares the request and its answer. False if the request was refused. */
function admit(request: IncomingMessage, response: ServerResponse, recordPeer: PeerRecorder): boolean {
  setBodyDeadline(request, response)
  const path = String(request.url).split('?', 1)[0] ?? ''
  const refusal = refusalOf(request, path)
  if (refusal !== null) {
    refuse(response, refusal)
    return false
  }
  recordPeer(request)
  const { policy, nonce } = contentPolicyOf(path)
  response.setHeader('content-security-policy', policy)
  // Where Next and the layout look for the nonce of scripts.
  request.headers['content-security-policy'] = policy
  request.headers['x-nonce'] = nonce ?? ''
  return true
}

interface Refusal {
  status: number
  type: string
  message: string
}

function refusalOf(request: IncomingMessage, path: string): Refusal | null {
  // Next would redirect from `//x`, and take another host name from an absolute target than from `Host`.
  if (!path.startsWith('/') || /^\/[/\\]/.test(path))
    return malformed('the target must be a path with one `/` before it')
  if (countOf(request, 'host') > 1) return malformed('there must be one `Host`')
  return isKnownHost(request.headers, path) ? null : { status: 403, type: 'AUTH', message: UNKNOWN_HOST }
}

const malformed = (message: string): Refusal => ({ status: 400, type: 'VALIDATION', message })

/** How often a header was sent. Node shows the first `Host` only, proxies may go by the last. */
const countOf = ({ rawHeaders }: IncomingMessage, name: string): number =>
  rawHeaders.filter((text, index) => index % 2 === 0 && text.toLowerCase() === name).length

/** Closes the connection, because the request's body is not read. */
function refuse(response: ServerResponse, { status, type, message }: Refusal): void {
  response.writeHead(status, {
    'cache-control': 'no-store',
    connection: 'close',
    'content-security-policy': DATA_POLICY,
    'content-type': 'application/json',
    'x-content-type-options': 'nosniff',
  })
  response.end(JSON.stringify({ error: { type, message } }))
}
