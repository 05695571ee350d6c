// Refuses requests that a browser makes on behalf of another site, or under a host name of another site, regardless of
// their cookie.
import { UNKNOWN_HOST, isKnownHost } from './known-host'
import { RequestRefusal } from './request-refusal'

/**
 * Browsers send the page's origin with every POST; other clients send none and pass. Behind a proxy the public host is
 * `x-forwarded-host`, which a page of another site cannot set without a CORS preflight.
 */
export function requireSameOrigin(request: Request): void {
  if (!isKnownHost(request.headers, new URL(request.url).pathname)) throw new RequestRefusal(403, 'AUTH', UNKNOWN_HOST)
  const origin = request.headers.get('origin')
  if (origin === null) return
  const host = request.headers.get('x-forwarded-host') ?? request.headers.get('host')
  const allowed = (process.env.TOOLGATE_ALLOWED_ORIGINS ?? '').split(',').map(entry => entry.trim())
  if (hostOf(origin) !== host && !allowed.includes(origin)) {
    throw new RequestRefusal(403, 'AUTH', `requests from \`${origin}\` are not allowed`)
  }
}

function hostOf(origin: string): string | null {
  return URL.canParse(origin) ? new URL(origin).host : null
}
