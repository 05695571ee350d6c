// How recharts draws axes and tooltips in the page's colours.

export const TICK = { fill: 'var(--ink-soft)', fontSize: 12 }
export const TOOLTIP = {
  cursor: { fill: 'var(--sunken)' },
  contentStyle: {
    background: 'var(--surface)',
    border: '1px solid var(--line)',
    borderRadius: 8,
    boxShadow: 'var(--floating)',
    fontSize: 13,
  },
  labelStyle: { color: 'var(--ink)', fontFamily: 'var(--mono)' },
  itemStyle: { color: 'var(--ink)' },
} as const

/** The colour of the series at this index. */
export const seriesColour = (index: number) => `var(--chart-${(index % 6) + 1})`
