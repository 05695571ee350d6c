// A reader of the audit as server-sent events. A line is read from its queue only when the connection takes one more, so
// what a slow client does not take waits there, bounded, and not in the server's memory.
import type { AuditHub, AuditNews } from './audit-hub'

/** A comment in between, so that proxies keep the connection and a dead one is noticed. */
const HEARTBEAT_MS = 15_000
/** After which a browser connects again. */
const RETRY_MS = 2000

/** @param after the last event's id that the client has seen; @returns `null` where there are too many readers */
export function auditEvents(
  hub: AuditHub,
  after: string | null,
  signal: AbortSignal,
): ReadableStream<Uint8Array> | null {
  const [epoch, seq] = after?.split('.') ?? []
  // Numbers of an earlier process say nothing about this one's lines.
  const reader = hub.open(epoch === hub.epoch ? Number(seq) || 0 : 0)
  if (reader === null) return null
  const leave = () => hub.leave(reader)
  signal.addEventListener('abort', leave, { once: true })
  const encoder = new TextEncoder()
  let isCancelled = false
  let pending: Promise<AuditNews | null> | null = null
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

/** A gap carries the number of the last line that it stands for: a client that comes back then goes on after it. */
function eventText(epoch: string, news: AuditNews): string {
  if ('line' in news) return `id: ${epoch}.${news.seq}\nevent: line\ndata: ${news.line}\n\n`
  return `id: ${epoch}.${news.seq}\nevent: gap\ndata: ${JSON.stringify({ lost: news.lost })}\n\n`
}
