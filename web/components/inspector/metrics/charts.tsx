'use client'
import { type Latency, type ToolSums, bytesText, millisecondsText } from '@/lib/inspector/metrics-view'
import { HorizontalBars } from './horizontal-bars'
import { ChartFigure, type Column } from '@/components/ui/chart-figure'

const tool: Column<ToolSums> = { name: 'Tool', of: row => row.tool }

export function CallsByTool({ tools }: { tools: ToolSums[] }) {
  const most = largest(tools, row => row.calls)
  return (
    <ChartFigure
      title="Calls"
      summary={`${most.tool} was called most, ${times(most.calls)}.`}
      rows={tools}
      columns={[
        tool,
        { name: 'Succeeded', of: row => row.ok },
        { name: 'Asked', of: row => row.asked },
        { name: 'Failed or refused', of: row => row.failed },
      ]}
    >
      <HorizontalBars
        rows={tools}
        label="tool"
        stacked
        series={[
          { key: 'ok', name: 'succeeded', colour: 'var(--chart-2)' },
          { key: 'asked', name: 'asked the user', colour: 'var(--chart-3)' },
          { key: 'failed', name: 'failed or refused', colour: 'var(--chart-4)' },
        ]}
      />
    </ChartFigure>
  )
}

export function LatencyByTool({ latencies }: { latencies: Latency[] }) {
  const slowest = latencies.length > 0 ? largest(latencies, row => row.p95) : null
  return (
    <ChartFigure
      title="Latency"
      summary={
        slowest
          ? `${slowest.name} is slowest: 95 of 100 calls end within ${millisecondsText(slowest.p95)} ms.`
          : 'No handler has run yet.'
      }
      rows={latencies}
      columns={[
        { name: 'Tool', of: row => row.name },
        { name: 'p50, ms', of: row => millisecondsText(row.p50) },
        { name: 'p95, ms', of: row => millisecondsText(row.p95) },
        { name: 'p99, ms', of: row => millisecondsText(row.p99) },
      ]}
    >
      <HorizontalBars
        rows={latencies}
        label="name"
        whole={false}
        format={value => `${millisecondsText(value)} ms`}
        series={[
          { key: 'p50', name: 'p50', colour: 'var(--chart-6)' },
          { key: 'p95', name: 'p95', colour: 'var(--chart-1)' },
          { key: 'p99', name: 'p99', colour: 'var(--chart-5)' },
        ]}
      />
    </ChartFigure>
  )
}

export function ErrorsByType({ errors }: { errors: { type: string; count: number }[] }) {
  const [first] = errors
  return (
    <ChartFigure
      title="Errors by type"
      summary={first ? `Most frequent: ${first.type}, ${times(first.count)}.` : 'No call has failed or been refused.'}
      rows={errors}
      columns={[
        { name: 'Type', of: row => row.type },
        { name: 'Count', of: row => row.count },
      ]}
    >
      <HorizontalBars
        rows={errors.map(row => ({
          ...row,
          fill: row.type === 'CONFIRMATION_REQUIRED' ? 'var(--chart-3)' : 'var(--chart-4)',
        }))}
        label="type"
        series={[{ key: 'count', name: 'answers', colour: 'var(--chart-4)' }]}
      />
    </ChartFigure>
  )
}

export function BytesByTool({ tools }: { tools: ToolSums[] }) {
  const rows = tools.filter(({ contextBytes }) => contextBytes > 0)
  const most = rows.length > 0 ? largest(rows, row => row.contextBytes) : null
  return (
    <ChartFigure
      title="Bytes into the context"
      summary={
        most
          ? `${most.tool} put the most into models’ context, ${bytesText(most.contextBytes)}.`
          : 'No answer has gone to a model yet.'
      }
      rows={rows}
      columns={[tool, { name: 'Bytes', of: row => row.contextBytes }]}
    >
      <HorizontalBars
        rows={rows}
        label="tool"
        format={bytesText}
        series={[{ key: 'contextBytes', name: 'bytes', colour: 'var(--chart-1)' }]}
      />
    </ChartFigure>
  )
}

const SECOND = [
  { key: 'replays', name: 'replayed', colour: 'var(--chart-1)' },
  { key: 'cached', name: 'cached', colour: 'var(--chart-2)' },
  { key: 'retries', name: 'retried', colour: 'var(--chart-3)' },
  { key: 'timeouts', name: 'timed out', colour: 'var(--chart-4)' },
  { key: 'cancellations', name: 'cancelled', colour: 'var(--chart-5)' },
  { key: 'late', name: 'ended late', colour: 'var(--chart-6)' },
] as const

/** Calls with an outcome besides success or failure: retried, cached, cancelled and so on. */
export function OtherOutcomes({ tools }: { tools: ToolSums[] }) {
  const rows = tools.filter(row => SECOND.some(({ key }) => row[key] > 0))
  const said = SECOND.map(({ key, name }) => ({
    name,
    count: rows.reduce((total, row) => total + row[key], 0),
  })).filter(({ count }) => count > 0)
  return (
    <ChartFigure
      title="Replays, retries, cancellations"
      summary={
        said.length > 0
          ? `${said.map(({ name, count }) => `${count} ${name}`).join(', ')}.`
          : 'Every call ran once and ended by itself.'
      }
      rows={rows}
      columns={[tool, ...SECOND.map(({ key, name }) => ({ name, of: (row: ToolSums) => row[key] }))]}
    >
      <HorizontalBars rows={rows} label="tool" stacked series={[...SECOND]} />
    </ChartFigure>
  )
}

const times = (count: number) => (count === 1 ? 'once' : `${count} times`)

/** The maximum of a list that is not empty. */
function largest<Row>(rows: Row[], of: (row: Row) => number): Row {
  return rows.reduce((most, row) => (of(row) > of(most) ? row : most))
}
