import { withInspectorAccess } from '@/lib/inspector/access'
import { auditBroadcaster } from '@/lib/inspector/audit-broadcaster'
import { auditEvents } from '@/lib/inspector/audit-stream'
import { RequestRefusal } from '@/lib/request-refusal'

export const runtime = 'nodejs'
export const dynamic = 'force-dynamic'

/**
 * The gate's audit as server-sent events: `line` with the JSON of a line, `gap` with `{ lost }` if this reader was too
 * slow.
 * Begins with the kept lines; a returning reader continues after the line of `Last-Event-ID`.
 */
export function GET(request: Request): Promise<Response> {
  return withInspectorAccess(request, () => {
    const events = auditEvents(auditBroadcaster(), request.headers.get('last-event-id'), request.signal)
    if (events === null) throw new RequestRefusal(503, 'BUSY', 'too many pages read the audit already; close one')
    // `no-transform`: compression would delay lines.
    const headers = { 'content-type': 'text/event-stream; charset=utf-8', 'cache-control': 'no-store, no-transform' }
    return new Response(events, { headers })
  })
}
