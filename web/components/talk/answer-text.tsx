import Markdown, { type Components } from 'react-markdown'
import remarkGfm from 'remark-gfm'
import type { Citation } from '@/lib/tool-activity'
import styles from './answer-text.module.css'

const CITED_ID = / ?\[([a-z]+:[\w.-]+)\](?!\()/g
const SOURCE = '#source-'

// Answers are untrusted Markdown: HTML in them is shown as text, images are not loaded.
const components: Components = {
  a: ({ href, title, children }) => {
    if (href?.startsWith(SOURCE))
      return (
        <sup>
          <a href={href} title={title} aria-label={`Source ${String(children)}`}>
            {children}
          </a>
        </sup>
      )
    return (
      <a href={href} target="_blank" rel="noreferrer noopener">
        {children}
      </a>
    )
  },
  pre: ({ children }) => <pre tabIndex={0}>{children}</pre>,
}

interface AnswerTextProps {
  text: string
  sources: Citation[]
  /** Prefix that makes the source ids unique on the page. */
  scope: string
}

/** The text of an answer; `[record:id]` becomes the number of a known source, an unknown id is shown as it is. */
export function AnswerText({ text, sources, scope }: AnswerTextProps) {
  return (
    <div className={styles.answer}>
      <Markdown components={components} remarkPlugins={[remarkGfm]} disallowedElements={['img']}>
        {numberCitations(text, sources, scope)}
      </Markdown>
    </div>
  )
}

function numberCitations(text: string, sources: Citation[], scope: string): string {
  return text.replace(CITED_ID, (_, id: string) => {
    const index = sources.findIndex(source => source.id === id)
    return index < 0 ? ` \`${id}\`` : `[${index + 1}](${SOURCE}${scope}-${index + 1} "${id}")`
  })
}
