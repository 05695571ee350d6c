import type { ReactNode } from 'react'
import styles from './empty-state.module.css'

/** Placeholder for an empty view: describes its later content and how to get it. */
export function EmptyState({ title, children }: { title: string; children?: ReactNode }) {
  return (
    <div className={styles.empty}>
      <h2>{title}</h2>
      {children}
    </div>
  )
}
