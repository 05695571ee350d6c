// Refuses requests that a browser makes on behalf of another site, regardless of their cookie.
import { peerOf } from './peer-address'
import { RequestRefusal } from './request-refusal'

/**
 * Browsers send the page's origin with every POST; other clients send none and pass. The public host is
 * `x-forwarded-host` if a trusted proxy says so, else `host`.
 */
export function requireSameOrigin(request: Request): void {
  const origin = request.headers.get('origin')
  if (origin === null) return
  const forwarded = peerOf(request.headers)?.trusted ? request.headers.get('x-forwarded-host') : null
  const host = forwarded ?? request.headers.get('host')
  const allowed = (process.env.TOOLGATE_ALLOWED_ORIGINS ?? '').split(',').map(entry => entry.trim())
  if (hostOf(origin) !== host && !allowed.includes(origin)) {
    throw new RequestRefusal(403, 'AUTH', `requests from \`${origin}\` are not allowed`)
  }
}

function hostOf(origin: string): string | null {
  return URL.canParse(origin) ? new URL(origin).host : null
}
