import type { ReactNode } from 'react'
import styles from './inspector.module.css'

export function PageHeader({ title, children }: { title: string; children: ReactNode }) {
  return (
    <header className={styles.head}>
      <h1>{title}</h1>
      <p>{children}</p>
    </header>
  )
}
