// Aggregates the gate's counters for the charts.

import type { Metrics, ToolCounters } from 'toolgate'

export interface CounterRow extends ToolCounters {
  tool: string
  mode: string
}

/** One row per tool and mode; of all modes if `mode` is empty. What was declared to models is no call of a tool. */
export function counterRows(metrics: Metrics, mode = ''): CounterRow[] {
  const rows = Object.entries(metrics).flatMap(([tool, byMode]) =>
    Object.entries(byMode)
      .filter(([name, { declarations }]) => name !== 'total' && declarations === undefined)
      .map(([name, counters]) => ({ tool, mode: name, ...counters })),
  )
  return rows.filter(row => mode === '' || row.mode === mode)
}

const SUMMED = [
  'calls',
  'replays',
  'retries',
  'cached',
  'ignoredSignals',
  'timeouts',
  'cancellations',
  'deferred',
  'late',
  'resultBytes',
  'contextBytes',
  'contextWarnings',
  'loops',
] as const
export type ToolSums = { tool: string; ok: number; asked: number; failed: number; repairs: number } & Record<
  (typeof SUMMED)[number],
  number
>

/** Sums the rows of each tool. A question to the user is neither a success nor a failure. */
export function sumsByTool(rows: CounterRow[]): ToolSums[] {
  const tools = [...new Set(rows.map(({ tool }) => tool))]
  return tools.map(tool => {
    const own = rows.filter(row => row.tool === tool)
    const asked = sum(own, ({ errors }) => errors.CONFIRMATION_REQUIRED ?? 0)
    const failed = sum(own, ({ errors }) => countsIn(errors)) - asked
    const sums = Object.fromEntries(SUMMED.map(name => [name, sum(own, row => row[name])])) as Record<
      (typeof SUMMED)[number],
      number
    >
    const repairs = sum(own, ({ repairs }) => countsIn(repairs))
    return { ...sums, tool, asked, failed, repairs, ok: Math.max(0, sums.calls - asked - failed) }
  })
}

/** Errors by type, the most frequent first. */
export function errorsByType(rows: CounterRow[]): { type: string; count: number }[] {
  const types = [...new Set(rows.flatMap(({ errors }) => Object.keys(errors)))]
  const counted = types.map(type => ({ type, count: sum(rows, ({ errors }) => errors[type] ?? 0) }))
  return counted.sort((one, other) => other.count - one.count)
}

export interface Latency {
  name: string
  p50: number
  p95: number
  p99: number
}

/** Percentiles cannot be summed: one row per tool and mode with calls. */
export function latencies(rows: CounterRow[]): Latency[] {
  const modes = new Set(rows.map(({ mode }) => mode))
  return rows.flatMap(({ tool, mode, latencyMs: { p50, p95, p99 } }) => {
    if (p50 === null || p95 === null || p99 === null) return []
    return [{ name: modes.size > 1 ? `${tool} · ${mode}` : tool, p50, p95, p99 }]
  })
}

export interface Totals {
  calls: number
  failed: number
  asked: number
  replays: number
  resultBytes: number
  contextBytes: number
  contextWarnings: number
  loops: number
  repairs: number
}

export function totalsOf(tools: ToolSums[]): Totals {
  const total = (name: keyof Totals) => sum(tools, row => row[name])
  return {
    calls: total('calls'),
    failed: total('failed'),
    asked: total('asked'),
    replays: total('replays'),
    resultBytes: total('resultBytes'),
    contextBytes: total('contextBytes'),
    contextWarnings: total('contextWarnings'),
    loops: total('loops'),
    repairs: total('repairs'),
  }
}

export function bytesText(bytes: number): string {
  if (bytes < 1024) return `${bytes} B`
  return bytes < 1024 ** 2 ? `${(bytes / 1024).toFixed(1)} KiB` : `${(bytes / 1024 ** 2).toFixed(1)} MiB`
}

export const millisecondsText = (time: number) => (time < 10 ? time.toFixed(1) : String(Math.round(time)))

const countsIn = (counts: Record<string, number>) => Object.values(counts).reduce((total, count) => total + count, 0)

function sum<T>(rows: T[], of: (row: T) => number): number {
  return rows.reduce((total, row) => total + of(row), 0)
}
