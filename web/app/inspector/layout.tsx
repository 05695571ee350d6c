import type { Metadata } from 'next'
import type { ReactNode } from 'react'
import { InspectorNav } from '@/components/inspector/inspector-nav'
import { loadGate } from '@/lib/gate'
import { requireInspectorPage } from '@/lib/inspector/page-access'
import styles from '@/components/inspector/inspector.module.css'

export const metadata: Metadata = { title: { default: 'Inspector', template: '%s · Inspector · Toolgate' } }

export default async function InspectorLayout({ children }: { children: ReactNode }) {
  await requireInspectorPage()
  const registry = await loadGate()
  const commit = registry.getGitCommit()?.slice(0, 8)
  return (
    <div className={styles.frame}>
      <div className={styles.rail}>
        <InspectorNav />
        <p className={styles.version} title="The tool set that runs">
          {registry.getVersion()}
          {commit && ` · ${commit}`}
        </p>
      </div>
      {children}
    </div>
  )
}
