import type { ReactNode } from 'react'
import { classNames } from '@/lib/class-names'
import styles from './badge.module.css'
import tones from './tone.module.css'

/** What the gate said (`ok`, `ask`, `stop`), what is under way (`live`), and all else. */
export type Tone = 'neutral' | 'live' | 'ok' | 'ask' | 'stop'

export function Badge({ tone = 'neutral', children }: { tone?: Tone; children: ReactNode }) {
  return <span className={classNames(styles.badge, tone === 'neutral' ? styles.neutral : tones[tone])}>{children}</span>
}
