import { z } from 'zod'
import { withInspectorAccess } from '@/lib/inspector/access'
import { inspectorKey } from '@/lib/inspector/inspector-session'
import { cancelRunning } from '@/lib/inspector/running-calls'
import { readJsonBody } from '@/lib/json-body'

export const runtime = 'nodejs'

const MAX_BODY_BYTES = 1024

/** Cancels the running calls of this browser's inspector: `{ cancelled }`, their number. The calls answer CANCELLED. */
export function POST(request: Request): Promise<Response> {
  return withInspectorAccess(request, async () => {
    await readJsonBody(request, z.object({}), MAX_BODY_BYTES)
    const key = await inspectorKey(request)
    const cancelled = key === null ? 0 : cancelRunning(key)
    return Response.json({ cancelled }, { headers: { 'cache-control': 'no-store' } })
  })
}
