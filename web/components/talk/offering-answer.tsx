import type { Citation } from 'toolgate-react/parts'
import { Button } from '@/components/ui/button'
import { offeredSentences } from '@/lib/offered-sentences'
import { AnswerText } from './answer-text'
import styles from './message-view.module.css'

interface OfferingAnswerProps {
  text: string
  sources: Citation[]
  scope: string
  /** Absent while nothing can be sent: the sentences stay text. */
  onSend?(text: string): void
}

/** The text of an answer, with a button for each sentence that it offers. */
export function OfferingAnswer({ text: answer, onSend, ...rest }: OfferingAnswerProps) {
  const { text, sentences } = offeredSentences(answer)
  if (onSend === undefined || sentences.length === 0) return <AnswerText text={answer} {...rest} />
  return (
    <>
      <AnswerText text={text} {...rest} />
      <ul className={styles.offers}>
        {sentences.map(sentence => (
          <li key={sentence}>
            <Button size="s" onClick={() => onSend(sentence)}>
              {sentence}
            </Button>
          </li>
        ))}
      </ul>
    </>
  )
}
