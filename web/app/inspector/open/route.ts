import { inspectorIsOn } from '@/lib/features'
import { isLocalRequest } from '@/lib/inspector/access'
import { hasInspectorSecret, inspectorSecretCookie, isInspectorSecret } from '@/lib/inspector/secret'
import { readBytes } from '@/lib/json-body'
import { handleRoute } from '@/lib/request-refusal'

export const runtime = 'nodejs'
export const dynamic = 'force-dynamic'

const noStore = { 'cache-control': 'no-store' }
const ADVICE = 'The inspector opens by the link that the server printed at its start: /inspector/open?secret=...\n'
const MAX_BODY_BYTES = 4096

/** Takes the secret of the printed link, keeps it in a cookie, and goes on to the inspector. */
export function GET(request: Request): Response {
  return answer(request, new URL(request.url).searchParams.get('secret'))
}

/** Takes the secret of the page's form. Like the link, it is proof enough: another site's page does not know it. */
export function POST(request: Request): Promise<Response> {
  return handleRoute(async () => {
    const form = new URLSearchParams(new TextDecoder().decode(await readBytes(request, MAX_BODY_BYTES)))
    return answer(request, form.get('secret')?.trim() ?? '')
  })
}

/** @param secret null: the one that the request has already */
function answer(request: Request, secret: string | null): Response {
  if (!inspectorIsOn() || !isLocalRequest(request.headers)) return new Response('not found\n', { status: 404 })
  const isRight = secret === null ? hasInspectorSecret(request.headers) : isInspectorSecret(secret)
  if (isRight) return goTo('/inspector', { 'set-cookie': inspectorSecretCookie() })
  if (request.headers.get('accept')?.includes('text/html'))
    return goTo(secret === null ? '/inspector-locked' : '/inspector-locked?refused')
  return new Response(ADVICE, { status: 401, headers: noStore })
}

const goTo = (location: string, headers: Record<string, string> = {}): Response =>
  new Response(null, { status: 303, headers: { ...noStore, location, ...headers } })
