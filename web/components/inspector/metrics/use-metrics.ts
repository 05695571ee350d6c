'use client'
import { useEffect, useRef, useState } from 'react'
import { inspectorApi } from '@/lib/inspector/inspector-api'
import type { Metrics } from 'toolgate'
import { counterRows, sumsByTool, totalsOf } from '@/lib/inspector/metrics-view'

const LOOK_MS = 2000
/** Number of samples kept by the page: two minutes. */
const KEPT_LOOKS = 60

/** The counts between two polls. */
export interface MetricsSample {
  at: string
  calls: number
  failed: number
}

/** The gate's counters, polled while `isOn` and the page is visible. */
export function useMetrics(isOn: boolean) {
  const [metrics, setMetrics] = useState<Metrics | null>(null)
  const [samples, setSamples] = useState<MetricsSample[]>([])
  const [problem, setProblem] = useState<string | null>(null)
  const last = useRef<{ calls: number; failed: number } | null>(null)

  useEffect(() => {
    async function sample() {
      if (document.hidden) return
      try {
        const { at, tools } = await inspectorApi.metrics()
        const { calls, failed } = totalsOf(sumsByTool(counterRows(tools as Metrics)))
        const since = last.current
        last.current = { calls, failed }
        setMetrics(tools as Metrics)
        setProblem(null)
        if (since)
          setSamples(kept =>
            [...kept, { at, calls: calls - since.calls, failed: failed - since.failed }].slice(-KEPT_LOOKS),
          )
      } catch (error) {
        setProblem((error as Error).message)
      }
    }
    if (!isOn) return
    void sample()
    const timer = setInterval(() => void sample(), LOOK_MS)
    return () => clearInterval(timer)
  }, [isOn])
  return { metrics, samples, problem }
}
