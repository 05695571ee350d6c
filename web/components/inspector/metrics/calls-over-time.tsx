'use client'
import { Area, AreaChart, CartesianGrid, ResponsiveContainer, Tooltip, XAxis, YAxis } from 'recharts'
import { TICK, TOOLTIP } from '@/components/ui/chart-style'
import { ChartFigure } from '@/components/ui/chart-figure'
import type { MetricsSample } from './use-metrics'

/** The calls since this page was opened. */
export function CallsOverTime({ samples }: { samples: MetricsSample[] }) {
  const rows = samples.map(sample => ({
    ...sample,
    time: new Date(sample.at).toLocaleTimeString(undefined, { hour12: false }),
  }))
  const calls = samples.reduce((total, sample) => total + sample.calls, 0)
  return (
    <ChartFigure
      title="While this page is open"
      summary={`${calls === 1 ? 'One call' : `${calls} calls`} in all modes, counted every two seconds.`}
      rows={rows}
      columns={[
        { name: 'Time', of: row => row.time },
        { name: 'Calls', of: row => row.calls },
        { name: 'Failed', of: row => row.failed },
      ]}
    >
      <ResponsiveContainer width="100%" height={190}>
        <AreaChart data={rows} margin={{ top: 8, right: 16, bottom: 0, left: -16 }} accessibilityLayer={false}>
          <CartesianGrid vertical={false} stroke="var(--line)" />
          <XAxis dataKey="time" tick={TICK} stroke="var(--line-strong)" tickLine={false} minTickGap={40} />
          <YAxis allowDecimals={false} tick={TICK} stroke="var(--line-strong)" tickLine={false} />
          <Tooltip {...TOOLTIP} />
          <Area
            type="stepAfter"
            dataKey="calls"
            name="calls"
            stroke="var(--chart-1)"
            fill="var(--chart-1)"
            fillOpacity={0.18}
            isAnimationActive={false}
          />
          <Area
            type="stepAfter"
            dataKey="failed"
            name="failed or refused"
            stroke="var(--chart-4)"
            fill="var(--chart-4)"
            fillOpacity={0.25}
            isAnimationActive={false}
          />
        </AreaChart>
      </ResponsiveContainer>
    </ChartFigure>
  )
}
