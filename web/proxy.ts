// Sets the Content-Security-Policy of pages: per request, because the voice server's address is known only at run time,
// and because each page's scripts have their own nonce.
import { type NextRequest, NextResponse } from 'next/server'
import { voiceUrl } from './lib/features'

export const config = {
  // Pages only: a policy has no effect on routes and files.
  matcher: [
    {
      source: '/((?!api/|_next/static|_next/image|icon\\.svg|worklets/).*)',
      missing: [{ type: 'header', key: 'next-router-prefetch' }],
    },
  ],
}

export function proxy(request: NextRequest): NextResponse {
  const nonce = Buffer.from(crypto.randomUUID()).toString('base64')
  const policy = policyFor(nonce)
  const headers = new Headers(request.headers)
  headers.set('x-nonce', nonce)
  headers.set('content-security-policy', policy)
  const response = NextResponse.next({ request: { headers } })
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
