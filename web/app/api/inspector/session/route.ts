import { z } from 'zod'
import { withInspectorAccess } from '@/lib/inspector/access'
import { asInspector, endInspectorSession, inspectorKey } from '@/lib/inspector/inspector-session'
import { readJsonBody } from '@/lib/json-body'

export const runtime = 'nodejs'

const MAX_BODY_BYTES = 1024
const noStore = { 'cache-control': 'no-store' }

/** The inspector's session of this browser: its turn, state, usage and pending confirmations. Does not create a session. */
export function GET(request: Request): Promise<Response> {
  return withInspectorAccess(request, async () => {
    if ((await inspectorKey(request)) === null)
      return Response.json({ turn: 0, pending: [], usage: null, state: null }, { headers: noStore })
    return asInspector(request, { mode: 'text', roles: [] }, async session => {
      const [pending, usage, state] = [await session.listPending(), session.usage(), session.state.getSnapshot()]
      return { turn: session.turn, pending, usage, state }
    })
  })
}

/** Begins a turn: `{ turn }`. */
export function POST(request: Request): Promise<Response> {
  return withInspectorAccess(request, async () => {
    await readJsonBody(request, z.object({}), MAX_BODY_BYTES)
    return asInspector(request, { mode: 'text', roles: [] }, async session => ({
      turn: (await session.beginTurn()).turn,
    }))
  })
}

/** Ends the session; the next call begins another. */
export function DELETE(request: Request): Promise<Response> {
  return withInspectorAccess(request, () => endInspectorSession(request))
}
