import { Keyboard, Mic } from 'lucide-react'
import type { ReactNode } from 'react'
import { classNames } from '@/lib/class-names'
import styles from './entry.module.css'

interface EntryProps {
  speaker: 'user' | 'assistant'
  /** How a word of the user came in, where both ways are open. */
  via?: 'voice' | 'typed'
  children: ReactNode
}

/** One turn of a conversation, as a transcript sets it: who speaks in the margin, what is said beside. */
export function Entry({ speaker, via, children }: EntryProps) {
  const name = speaker === 'user' ? 'You' : 'Assistant'
  const Icon = via === 'voice' ? Mic : via === 'typed' ? Keyboard : null
  return (
    <article className={classNames(styles.entry, styles[speaker])} aria-label={name}>
      <p className={classNames('eyebrow', styles.speaker)}>
        {name}
        {Icon && <Icon size={12} role="img" aria-label={via === 'voice' ? 'said' : 'typed'} />}
      </p>
      <div className={styles.body}>{children}</div>
    </article>
  )
}
