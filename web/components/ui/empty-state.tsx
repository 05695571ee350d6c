import type { ReactNode } from 'react'
import styles from './empty-state.module.css'

/** Where there is nothing yet: says what will be here, and how it comes. */
export function EmptyState({ title, children }: { title: string; children?: ReactNode }) {
  return (
    <div className={styles.empty}>
      <h2>{title}</h2>
      {children}
    </div>
  )
}
