// The audit as server-sent events. A line is taken from the reader's queue only when the connection accepts more, so
// that lines for a slow client wait in the bounded queue and not in the server's memory.
import type { AuditBroadcaster, AuditStreamItem } from './audit-broadcaster'

/** Interval of comments that keep the connection open through proxies and detect a dead one. */
const HEARTBEAT_MS = 15_000
/** Reconnect delay for browsers. */
const RETRY_MS = 2000

/** @param after id of the last event that the client has seen; @returns `null` if there are too many readers */
export function auditEvents(
  hub: AuditBroadcaster,
  after: string | null,
  signal: AbortSignal,
): ReadableStream<Uint8Array> | null {
  const [epoch, seq] = after?.split('.') ?? []
  // Sequence numbers of an earlier process do not apply to this one.
  const reader = hub.open(epoch === hub.epoch ? Number(seq) || 0 : 0)
  if (reader === null) return null
  const leave = () => hub.leave(reader)
  signal.addEventListener('abort', leave, { once: true })
  const encoder = new TextEncoder()
  let isCancelled = false
  let pending: Promise<AuditStreamItem | null> | null = null
  return new ReadableStream<Uint8Array>(
    {
      start: controller => controller.enqueue(encoder.encode(`retry: ${RETRY_MS}\n\n`)),
      async pull(controller) {
        pending ??= reader.next()
        const news = await orHeartbeat(pending)
        if (isCancelled) return
        if (news === 'heartbeat') return controller.enqueue(encoder.encode(': still here\n\n'))
        pending = null
        if (news !== null) return controller.enqueue(encoder.encode(eventText(hub.epoch, news)))
        leave()
        controller.close()
      },
      cancel() {
        isCancelled = true
        leave()
      },
    },
    { highWaterMark: 1 },
  )
}

async function orHeartbeat<T>(news: Promise<T>): Promise<T | 'heartbeat'> {
  let timer: NodeJS.Timeout | undefined
  const heartbeat = new Promise<'heartbeat'>(resolve => (timer = setTimeout(resolve, HEARTBEAT_MS, 'heartbeat')))
  try {
    return await Promise.race([news, heartbeat])
  } finally {
    clearTimeout(timer)
  }
}

/** A gap has the number of its last line, so that a returning client continues after it. */
function eventText(epoch: string, news: AuditStreamItem): string {
  if ('line' in news) return `id: ${epoch}.${news.seq}\nevent: line\ndata: ${news.line}\n\n`
  return `id: ${epoch}.${news.seq}\nevent: gap\ndata: ${JSON.stringify({ lost: news.lost })}\n\n`
}
