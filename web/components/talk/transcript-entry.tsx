import { Keyboard, Mic } from 'lucide-react'
import type { ReactNode } from 'react'
import { classNames } from '@/lib/class-names'
import styles from './transcript-entry.module.css'

interface TranscriptEntryProps {
  speaker: 'user' | 'assistant'
  /** Input method of the user's words, if there are two. */
  via?: 'voice' | 'typed'
  children: ReactNode
}

/** One turn of the conversation: the speaker in the margin, the content beside it. */
export function TranscriptEntry({ speaker, via, children }: TranscriptEntryProps) {
  const name = speaker === 'user' ? 'You' : 'Assistant'
  const Icon = via === 'voice' ? Mic : via === 'typed' ? Keyboard : null
  return (
    <article className={classNames(styles.entry, styles[speaker])} aria-label={name}>
      <p className={classNames('eyebrow', styles.speaker)}>
        {name}
        {Icon && <Icon size={12} role="img" aria-label={via === 'voice' ? 'said' : 'typed'} />}
      </p>
      <div className={styles.body} dir={speaker === 'user' ? 'auto' : undefined}>
        {children}
      </div>
    </article>
  )
}
