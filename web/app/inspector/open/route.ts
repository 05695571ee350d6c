import { inspectorIsOn } from '@/lib/features'
import { isLocalRequest } from '@/lib/inspector/access'
import { hasInspectorSecret, inspectorSecretCookie, isInspectorSecret } from '@/lib/inspector/secret'

export const runtime = 'nodejs'
export const dynamic = 'force-dynamic'

const noStore = { 'cache-control': 'no-store' }
const ADVICE = 'The inspector opens by the link that the server printed at its start: /inspector/open?secret=...\n'

/** Takes the secret of the printed link, keeps it in a cookie, and goes on to the inspector. */
export function GET(request: Request): Response {
  if (!inspectorIsOn() || !isLocalRequest(request.headers)) return new Response('not found\n', { status: 404 })
  const secret = new URL(request.url).searchParams.get('secret')
  const isRight = secret === null ? hasInspectorSecret(request.headers) : isInspectorSecret(secret)
  if (!isRight) return new Response(ADVICE, { status: 401, headers: noStore })
  const headers = { ...noStore, location: '/inspector', 'set-cookie': inspectorSecretCookie() }
  return new Response(null, { status: 303, headers })
}
