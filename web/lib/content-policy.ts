// The Content-Security-Policy of each answer: made per request, because the voice server's address is known only at run
// time, and because each page's scripts have their own nonce.
import { voiceUrl } from './features'

/** Of routes and refusals: they are data, and a browser that shows one as a page loads and runs nothing. */
export const DATA_POLICY = "default-src 'none'; frame-ancestors 'none'"
/** An SVG that is opened by itself must run nothing. */
const IMAGE_POLICY = "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'; sandbox"

/** `nonce` is null where no script runs. */
export function contentPolicyOf(path: string): { policy: string; nonce: string | null } {
  if (path.startsWith('/api/images/')) return { policy: IMAGE_POLICY, nonce: null }
  if (path.startsWith('/api/')) return { policy: DATA_POLICY, nonce: null }
  const nonce = Buffer.from(crypto.randomUUID()).toString('base64')
  return { policy: pagePolicy(nonce), nonce }
}

/** The policy loads nothing from other sites: a model's answer may contain arbitrary links and images. */
function pagePolicy(nonce: string): string {
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
