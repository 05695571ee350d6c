import { inspecting } from '@/lib/inspector/access'
import { auditHub } from '@/lib/inspector/audit-hub'
import { auditEvents } from '@/lib/inspector/audit-stream'
import { RequestRefusal } from '@/lib/request-refusal'

export const runtime = 'nodejs'
export const dynamic = 'force-dynamic'

/**
 * The gate's audit as server-sent events: `line` with the JSON of a line, `gap` with `{ lost }` where this reader was too
 * slow. Begins with the lines that are kept; a reader that comes back goes on after the one that `Last-Event-ID` names.
 */
export function GET(request: Request): Promise<Response> {
  return inspecting(request, () => {
    const events = auditEvents(auditHub(), request.headers.get('last-event-id'), request.signal)
    if (events === null) throw new RequestRefusal(503, 'BUSY', 'too many pages read the audit already; close one')
    // `no-transform`: compression would hold lines back.
    const headers = { 'content-type': 'text/event-stream; charset=utf-8', 'cache-control': 'no-store, no-transform' }
    return new Response(events, { headers })
  })
}
