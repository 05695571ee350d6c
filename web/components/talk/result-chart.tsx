'use client'
import {
  Area,
  AreaChart,
  Bar,
  BarChart,
  CartesianGrid,
  Cell,
  Legend,
  Line,
  LineChart,
  Pie,
  PieChart,
  ResponsiveContainer,
  Tooltip,
  XAxis,
  YAxis,
} from 'recharts'
import { ChartFigure } from '@/components/ui/chart-figure'
import { TICK, TOOLTIP, seriesColour } from '@/components/ui/chart-style'
import type { Chart } from '@/lib/drawn-results'

const HEIGHT = 240

/** The chart of a `create_chart` result, with its numbers as a table. */
export default function ResultChart({ chart }: { chart: Chart }) {
  const { title, x, series, rows, source } = chart
  return (
    <ChartFigure
      title={title}
      summary={source}
      rows={rows}
      columns={[
        { name: x, of: row => row[x] },
        ...series.map(name => ({ name, of: (row: Chart['rows'][number]) => row[name] ?? '–' })),
      ]}
    >
      <ResponsiveContainer width="100%" height={HEIGHT}>
        {chart.type === 'pie' ? <PieOf {...chart} /> : <AxesOf {...chart} type={chart.type} />}
      </ResponsiveContainer>
    </ChartFigure>
  )
}

const FRAMES = { bar: BarChart, line: LineChart, area: AreaChart }

function AxesOf({ type, x, series, rows }: Chart & { type: 'bar' | 'line' | 'area' }) {
  const Frame = FRAMES[type]
  return (
    <Frame data={rows} margin={{ top: 8, right: 16, bottom: 0, left: 0 }} accessibilityLayer={false}>
      <CartesianGrid vertical={false} stroke="var(--line)" />
      <XAxis dataKey={x} tick={TICK} stroke="var(--line-strong)" tickLine={false} minTickGap={24} />
      <YAxis width="auto" tick={TICK} stroke="var(--line-strong)" tickLine={false} />
      <Tooltip {...TOOLTIP} />
      {series.length > 1 && <Legend itemSorter={null} iconType="square" iconSize={9} />}
      {series.map((name, index) => seriesOf(type, name, seriesColour(index)))}
    </Frame>
  )
}

/** A function, not a component: recharts reads the types of a chart's direct children. */
function seriesOf(type: 'bar' | 'line' | 'area', name: string, colour: string) {
  // A function reads a member whose name contains dots, which a string would take for a path.
  const common = { dataKey: (row: Chart['rows'][number]) => row[name], name, isAnimationActive: false }
  if (type === 'bar') return <Bar key={name} {...common} fill={colour} radius={2} />
  if (type === 'line') return <Line key={name} {...common} stroke={colour} strokeWidth={2} dot={false} />
  return <Area key={name} {...common} stroke={colour} fill={colour} fillOpacity={0.18} />
}

function PieOf({ x, series, rows }: Chart) {
  const parts = rows.map(row => ({ name: String(row[x]), value: Number(row[series[0] ?? ''] ?? 0) }))
  return (
    <PieChart accessibilityLayer={false}>
      <Pie data={parts} dataKey="value" nameKey="name" innerRadius="45%" isAnimationActive={false}>
        {parts.map(({ name }, index) => (
          <Cell key={`${name} ${index}`} fill={seriesColour(index)} stroke="var(--surface)" />
        ))}
      </Pie>
      <Tooltip {...TOOLTIP} />
      <Legend itemSorter={null} iconType="square" iconSize={9} />
    </PieChart>
  )
}
