import type { ReactNode } from 'react'
import { ToastProvider } from '@/components/ui/toast'
import { inspectorIsOn } from '@/lib/features'
import styles from './app-shell.module.css'
import { SiteHeader } from './site-header'

/** The frame around each page: the header stays, the content fills the rest and scrolls. */
export function AppShell({ children }: { children: ReactNode }) {
  return (
    <ToastProvider>
      <div className={styles.shell}>
        <a className={styles.skip} href="#content">
          Skip to the content
        </a>
        <SiteHeader hasInspector={inspectorIsOn()} />
        <main id="content" className={styles.content} tabIndex={-1}>
          {children}
        </main>
      </div>
    </ToastProvider>
  )
}
