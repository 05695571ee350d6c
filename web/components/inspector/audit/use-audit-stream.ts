'use client'
import { useCallback, useEffect, useRef, useState } from 'react'
import { type AuditItem, lineItem } from '@/lib/inspector/audit-lines'

/** Maximum number of lines kept by the page; the oldest are dropped. */
const KEPT = 1000
/** Interval of rendering: lines are shown in batches, because rendering each one is too slow. */
const SHOW_MS = 100

export type StreamState = 'connecting' | 'live' | 'broken'

/** The audit stream, newest first. While paused, new lines are kept and counted, and shown afterwards. */
export function useAuditStream() {
  const [items, setItems] = useState<AuditItem[]>([])
  const [held, setHeld] = useState(0)
  const [state, setState] = useState<StreamState>('connecting')
  const [isPaused, setIsPaused] = useState(false)
  const waiting = useRef<AuditItem[]>([])
  const paused = useRef(false)

  const show = useCallback(() => {
    if (waiting.current.length === 0) return
    if (paused.current) return setHeld(waiting.current.length)
    const news = waiting.current.splice(0).reverse()
    setHeld(0)
    setItems(shown => [...news, ...shown].slice(0, KEPT))
  }, [])

  useEffect(() => {
    const source = new EventSource('/api/inspector/audit')
    const take = (item: AuditItem) => {
      waiting.current.push(item)
      if (waiting.current.length > KEPT) waiting.current.shift()
    }
    source.addEventListener('open', () => setState('live'))
    source.addEventListener('error', () => setState(source.readyState === EventSource.CLOSED ? 'broken' : 'connecting'))
    source.addEventListener('line', ({ lastEventId, data }) => take(lineItem(lastEventId, data)))
    source.addEventListener('gap', ({ lastEventId, data }) =>
      take({ key: `gap ${lastEventId}`, kind: 'gap', lost: JSON.parse(data).lost }),
    )
    const timer = setInterval(show, SHOW_MS)
    return () => {
      source.close()
      clearInterval(timer)
    }
  }, [show])

  const pause = (isToPause: boolean) => {
    paused.current = isToPause
    setIsPaused(isToPause)
    show()
  }
  return { items, held, state, isPaused, pause, clear: () => setItems([]) }
}
