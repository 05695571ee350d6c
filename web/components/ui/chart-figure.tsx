'use client'
import type { ReactNode } from 'react'
import { Table } from '@/components/ui/table'
import { Card } from '@/components/ui/card'
import styles from './chart-figure.module.css'

export interface Column<Row> {
  name: string
  of(row: Row): ReactNode
}

interface ChartFigureProps<Row> {
  title: string
  /** The chart's message in a sentence, also for screen readers. */
  summary: string
  rows: Row[]
  /** The first column is the row's name. */
  columns: [Column<Row>, ...Column<Row>[]]
  wide?: boolean
  children: ReactNode
}

/** A chart with its summary and its numbers as a table. The chart itself is hidden from screen readers. */
export function ChartFigure<Row>({ title, summary, rows, columns, wide = false, children }: ChartFigureProps<Row>) {
  return (
    <Card title={title} className={wide ? styles.wide : styles.figure}>
      <p className={styles.summary}>{summary}</p>
      {rows.length > 0 && (
        <>
          <div className={styles.chart} aria-hidden="true">
            {children}
          </div>
          <details className={styles.numbers}>
            <summary>The numbers as a table</summary>
            <NumberTable title={title} rows={rows} columns={columns} />
          </details>
        </>
      )}
    </Card>
  )
}

function NumberTable<Row>({
  title,
  rows,
  columns: [first, ...others],
}: Pick<ChartFigureProps<Row>, 'title' | 'rows' | 'columns'>) {
  return (
    <Table caption={title}>
      <thead>
        <tr>
          <th scope="col">{first.name}</th>
          {others.map(({ name }) => (
            <th key={name} scope="col" data-number>
              {name}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {rows.map((row, place) => (
          <tr key={place}>
            <th scope="row">{first.of(row)}</th>
            {others.map(({ name, of }) => (
              <td key={name} data-number>
                {of(row)}
              </td>
            ))}
          </tr>
        ))}
      </tbody>
    </Table>
  )
}
