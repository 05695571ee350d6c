'use client'
import { Suspense, lazy } from 'react'
import type { Citation } from 'toolgate-react/parts'
import styles from './answer-text.module.css'

/** Markdown is loaded with the first message: it is larger than the rest of the page. */
export const loadMarkdown = () => import('./markdown-text')
const MarkdownText = lazy(loadMarkdown)

interface AnswerTextProps {
  text: string
  sources: Citation[]
  /** Prefix that makes the source ids unique on the page. */
  scope: string
}

/** The text of an answer; `[record:id]` becomes the number of a known source, an unknown id is shown as it is. */
export function AnswerText(props: AnswerTextProps) {
  return (
    <div className={styles.answer} dir="auto">
      <Suspense fallback={<p className={styles.plain}>{props.text}</p>}>
        <MarkdownText {...props} />
      </Suspense>
    </div>
  )
}
