import { z } from 'zod'
import { inspecting } from '@/lib/inspector/access'
import { inspectorKey } from '@/lib/inspector/inspector-session'
import { cancelRunning } from '@/lib/inspector/running-calls'
import { readJsonBody } from '@/lib/json-body'

export const runtime = 'nodejs'

const MAX_BODY_BYTES = 1024

/** Cancels what this browser's inspector runs: `{ cancelled }`, how many. The calls themselves answer CANCELLED. */
export function POST(request: Request): Promise<Response> {
  return inspecting(request, async () => {
    await readJsonBody(request, z.object({}), MAX_BODY_BYTES)
    const key = inspectorKey(request)
    const cancelled = key === null ? 0 : cancelRunning(key)
    return Response.json({ cancelled }, { headers: { 'cache-control': 'no-store' } })
  })
}
