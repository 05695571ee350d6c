'use client'
import { Copy, RotateCcw } from 'lucide-react'
import { IconButton } from '@/components/ui/button'
import { useToast } from '@/components/ui/toast'
import styles from './message-view.module.css'

interface AnswerActionsProps {
  text: string
  /** Has the answer made anew; absent where it cannot be. */
  onAgain?(): void
}

/** What the user can do with an answer that is complete. */
export function AnswerActions({ text, onAgain }: AnswerActionsProps) {
  const tell = useToast()
  async function copy() {
    try {
      await navigator.clipboard.writeText(text)
      tell('The answer is copied.', 'ok')
    } catch {
      tell('This browser does not let pages copy: select the answer and copy it.', 'ask')
    }
  }
  if (text === '' && !onAgain) return null
  return (
    <div className={styles.actions}>
      {text !== '' && (
        <IconButton label="Copy the answer" size="s" onClick={() => void copy()}>
          <Copy size={14} aria-hidden="true" />
        </IconButton>
      )}
      {onAgain && (
        <IconButton label="Answer again" size="s" onClick={onAgain}>
          <RotateCcw size={14} aria-hidden="true" />
        </IconButton>
      )}
    </div>
  )
}
