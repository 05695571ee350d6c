'use client'
import { useEffect, useRef, useState } from 'react'
import { inspectorApi } from '@/lib/inspector/inspector-api'
import type { Metrics } from 'toolgate'
import { counterRows, sumsByTool, totalsOf } from '@/lib/inspector/metrics-view'

const LOOK_MS = 2000
/** Looks that the page keeps: two minutes of them. */
const KEPT_LOOKS = 60

/** What was counted between two looks. */
export interface Look {
  at: string
  calls: number
  failed: number
}

/** The gate's counters, looked at again and again while `isOn`, and the page is to be seen. */
export function useMetrics(isOn: boolean) {
  const [metrics, setMetrics] = useState<Metrics | null>(null)
  const [looks, setLooks] = useState<Look[]>([])
  const [problem, setProblem] = useState<string | null>(null)
  const last = useRef<{ calls: number; failed: number } | null>(null)

  useEffect(() => {
    async function look() {
      if (document.hidden) return
      try {
        const { at, tools } = await inspectorApi.metrics()
        const { calls, failed } = totalsOf(sumsByTool(counterRows(tools as Metrics)))
        const since = last.current
        last.current = { calls, failed }
        setMetrics(tools as Metrics)
        setProblem(null)
        if (since)
          setLooks(kept =>
            [...kept, { at, calls: calls - since.calls, failed: failed - since.failed }].slice(-KEPT_LOOKS),
          )
      } catch (error) {
        setProblem((error as Error).message)
      }
    }
    if (!isOn) return
    void look()
    const timer = setInterval(() => void look(), LOOK_MS)
    return () => clearInterval(timer)
  }, [isOn])
  return { metrics, looks, problem }
}
