'use client'
import { useSyncExternalStore } from 'react'
import { Bar, BarChart, CartesianGrid, Legend, ResponsiveContainer, Tooltip, XAxis, YAxis } from 'recharts'
import { TICK, TOOLTIP } from '@/components/ui/chart-style'
import styles from './metrics.module.css'

export interface Series {
  key: string
  name: string
  colour: string
}

interface HorizontalBarsProps {
  rows: object[]
  /** The field with the row's name. */
  label: string
  series: Series[]
  /** One bar per row with its series stacked; else one bar per series. */
  stacked?: boolean
  format?(value: number): string
  /** Whole numbers only on the axis. */
  whole?: boolean
}

const BAR = 14
const ROW_GAP = 14
const FRAME = 76

/** A horizontal bar chart, one row per name: names are long, and a narrow page has more height than width. */
export function HorizontalBars({
  rows,
  label,
  series,
  stacked = false,
  format = String,
  whole = true,
}: HorizontalBarsProps) {
  const isNarrow = useIsNarrow()
  const bars = stacked ? 1 : series.length
  const shortName = (name: string) => (isNarrow && name.length > 18 ? `${name.slice(0, 17)}…` : name)
  return (
    <ResponsiveContainer width="100%" height={rows.length * (bars * BAR + ROW_GAP) + FRAME}>
      <BarChart
        data={rows}
        layout="vertical"
        barSize={BAR - 3}
        barGap={3}
        margin={{ top: 0, right: 16, bottom: 0, left: 0 }}
        accessibilityLayer={false}
      >
        <CartesianGrid horizontal={false} stroke="var(--line)" />
        <XAxis
          type="number"
          allowDecimals={!whole}
          tickFormatter={format}
          tick={TICK}
          stroke="var(--line-strong)"
          tickLine={false}
        />
        <YAxis
          type="category"
          dataKey={label}
          width="auto"
          tickFormatter={shortName}
          tick={{ ...TICK, fontFamily: 'var(--mono)' }}
          stroke="var(--line-strong)"
          tickLine={false}
          interval={0}
        />
        <Tooltip {...TOOLTIP} formatter={value => format(Number(value))} />
        {series.length > 1 && (
          <Legend
            itemSorter={null}
            iconType="square"
            iconSize={9}
            formatter={name => <span className={styles.legend}>{name}</span>}
          />
        )}
        {series.map(({ key, name, colour }) => (
          <Bar
            key={key}
            dataKey={key}
            name={name}
            fill={colour}
            stackId={stacked ? 'all' : undefined}
            radius={stacked ? 0 : 2}
            isAnimationActive={false}
          />
        ))}
      </BarChart>
    </ResponsiveContainer>
  )
}

const NARROW = '(max-width: 40rem)'

function useIsNarrow(): boolean {
  return useSyncExternalStore(
    tell => {
      const query = matchMedia(NARROW)
      query.addEventListener('change', tell)
      return () => query.removeEventListener('change', tell)
    },
    () => matchMedia(NARROW).matches,
    () => false,
  )
}
