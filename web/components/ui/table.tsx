import type { ReactNode } from 'react'
import styles from './table.module.css'

interface TableProps {
  /** Describes the rows; for screen readers only. */
  caption: string
  children: ReactNode
}

/** A `<table>` that scrolls sideways if it is too wide. Cells with `data-number` are numbers. */
export function Table({ caption, children }: TableProps) {
  return (
    <div className={styles.scroller} role="region" aria-label={caption} tabIndex={0}>
      <table className={styles.table}>
        <caption className="visually-hidden">{caption}</caption>
        {children}
      </table>
    </div>
  )
}
