// Refuses requests under a host name that is not the app's, and sets the Content-Security-Policy of pages: per request,
// because the voice server's address is known only at run time, and because each page's scripts have their own nonce.
import { type NextRequest, NextResponse } from 'next/server'
import { voiceUrl } from './lib/features'
import { UNKNOWN_HOST, isKnownHost } from './lib/known-host'

export const config = {
  matcher: [
    {
      // The build's own files are the same for everybody.
      source: '/((?!_next/static|_next/image|icon\\.svg|worklets/).*)',
      // Next keeps a body for the route while it arrives, so an endless one would never reach the route, which refuses it.
      // Routes that read a body check the host name themselves, in `requireSameOrigin`.
      missing: [
        { type: 'header', key: 'content-length' },
        { type: 'header', key: 'transfer-encoding' },
      ],
    },
  ],
}

/** The same as of routes, see `next.config.ts`: a refusal is data. */
const REFUSAL_POLICY = "default-src 'none'; frame-ancestors 'none'"

export function proxy(request: NextRequest): NextResponse {
  const { pathname } = request.nextUrl
  if (!isKnownHost(request.headers, pathname)) return unknownHost()
  return pathname.startsWith('/api/') ? NextResponse.next() : page(request)
}

function unknownHost(): NextResponse {
  const headers = { 'cache-control': 'no-store' }
  const body = { error: { type: 'AUTH', message: UNKNOWN_HOST } }
  return withPolicy(NextResponse.json(body, { status: 403, headers }), REFUSAL_POLICY)
}

function page(request: NextRequest): NextResponse {
  const nonce = Buffer.from(crypto.randomUUID()).toString('base64')
  const policy = policyFor(nonce)
  const headers = new Headers(request.headers)
  headers.set('x-nonce', nonce)
  headers.set('content-security-policy', policy)
  return withPolicy(NextResponse.next({ request: { headers } }), policy)
}

function withPolicy(response: NextResponse, policy: string): NextResponse {
  response.headers.set('content-security-policy', policy)
  return response
}

/** The policy loads nothing from other sites: a model's answer may contain arbitrary links and images. */
function policyFor(nonce: string): string {
  const voice = voiceUrl()
  const isDevelopment = process.env.NODE_ENV === 'development'
  return [
    "default-src 'self'",
    "img-src 'self' data:",
    // React's development build evaluates code for its stack traces.
    `script-src 'self' 'nonce-${nonce}'${isDevelopment ? " 'unsafe-eval'" : ''}`,
    // Floating parts and charts are positioned by style attributes.
    "style-src 'self' 'unsafe-inline'",
    `connect-src 'self'${voice ? ` ${new URL(voice).origin}` : ''}${isDevelopment ? ' ws:' : ''}`,
    "frame-ancestors 'none'",
    "base-uri 'self'",
    "form-action 'self'",
    "object-src 'none'",
  ].join('; ')
}
