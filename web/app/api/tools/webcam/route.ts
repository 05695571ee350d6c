import type { AgentVisitor } from 'toolgate/web'
import { userRoute } from '@/lib/agent'
import { type FrameKind, loadFrames } from '@/lib/gate'
import { readBytes } from '@/lib/json-body'
import { RequestRefusal } from '@/lib/request-refusal'

export const runtime = 'nodejs'

const MAX_FRAME_BYTES = 2_000_000
const MEDIA_TYPES = ['image/jpeg', 'image/png', 'image/webp']
const noStore = { 'cache-control': 'no-store' }

/**
 * Takes one frame of the page's camera or shared screen (`?kind=webcam|screen`, the image as body) for the session of
 * the cookie: `{ capturedAt, width, height }`. The frame replaces the last one, stays in memory and is forgotten after
 * ten minutes.
 */
export function POST(request: Request): Promise<Response> {
  return userRoute(request, async visitor => {
    const { kind, sessionId } = await ownSession(request, visitor)
    // Another site's form can't send an image type without a CORS preflight.
    if (!MEDIA_TYPES.includes(request.headers.get('content-type') ?? '')) {
      throw new RequestRefusal(415, 'UNSUPPORTED_MEDIA_TYPE', `the body must be one of ${MEDIA_TYPES.join(', ')}`)
    }
    const bytes = await readBytes(request, MAX_FRAME_BYTES)
    const { capturedAt, width, height } = await accepted(sessionId, kind, bytes)
    return Response.json({ capturedAt, width, height }, { headers: noStore })
  })
}

/** Forgets the frame: the user has turned the camera or the sharing off. */
export function DELETE(request: Request): Promise<Response> {
  return userRoute(request, async visitor => {
    const { kind, sessionId } = await ownSession(request, visitor)
    ;(await loadFrames()).switchOff(sessionId, kind)
    return new Response(null, { status: 204, headers: noStore })
  })
}

/** The session must exist: only its own page may send frames to it. */
async function ownSession(request: Request, visitor: AgentVisitor): Promise<{ kind: FrameKind; sessionId: string }> {
  const kind = new URL(request.url).searchParams.get('kind')
  if (kind !== 'webcam' && kind !== 'screen')
    throw new RequestRefusal(400, 'VALIDATION', '`kind` must be `webcam` or `screen`')
  return { kind, sessionId: await visitor.withSession(({ sessionId }) => sessionId) }
}

async function accepted(sessionId: string, kind: FrameKind, bytes: Uint8Array) {
  try {
    return (await loadFrames()).put(sessionId, kind, bytes)
  } catch (error) {
    if ((error as { code?: unknown }).code !== 'REJECTED') throw error
    throw new RequestRefusal(400, 'VALIDATION', (error as Error).message)
  }
}
