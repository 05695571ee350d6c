import type { ReactNode } from 'react'
import { classNames } from '@/lib/class-names'
import styles from './badge.module.css'
import tones from './tone.module.css'

/** Meaning of a colour: the gate's outcome (`ok`, `ask`, `stop`), in progress (`live`), or none. */
export type Tone = 'neutral' | 'live' | 'ok' | 'ask' | 'stop'

export function Badge({ tone = 'neutral', children }: { tone?: Tone; children: ReactNode }) {
  return <span className={classNames(styles.badge, tone === 'neutral' ? styles.neutral : tones[tone])}>{children}</span>
}
