import { CircleAlert, CircleCheck, Info, TriangleAlert } from 'lucide-react'
import type { ReactNode } from 'react'
import { classNames } from '@/lib/class-names'
import type { Tone } from './badge'
import styles from './notice.module.css'
import tones from './tone.module.css'

const ICONS = { neutral: Info, live: Info, ok: CircleCheck, ask: TriangleAlert, stop: CircleAlert }

interface NoticeProps {
  tone?: Tone
  /** `alert` interrupts a screen reader, `status` waits; `note` is not announced. */
  role?: 'alert' | 'status' | 'note'
  actions?: ReactNode
  className?: string
  children: ReactNode
}

/** A permanent message on the page. */
export function Notice({ tone = 'neutral', role = 'note', actions, className, children }: NoticeProps) {
  const Icon = ICONS[tone]
  return (
    <div
      role={role}
      className={classNames(styles.notice, tone === 'neutral' ? styles.neutral : tones[tone], className)}
    >
      <Icon size={16} aria-hidden="true" />
      <div className={styles.text} dir="auto">
        {children}
      </div>
      {actions && <div className={styles.actions}>{actions}</div>}
    </div>
  )
}
