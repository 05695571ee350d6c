import Markdown, { type Components } from 'react-markdown'
import remarkGfm from 'remark-gfm'
import type { Citation } from '@/lib/tool-activity'

const CITED_ID = / ?\[([a-z]+:[\w.-]+)\](?!\()/g
const SOURCE = '#source-'

// Answers are Markdown by people's and models' choosing: HTML in it stays text, images are not loaded.
const components: Components = {
  a: ({ href, title, children }) => {
    if (href?.startsWith(SOURCE)) return <sup><a href={href} title={title}>{children}</a></sup>
    return <a href={href} target="_blank" rel="noreferrer noopener">{children}</a>
  },
}

/** The text of an answer; `[record:id]` of a known source becomes its number. */
export function AnswerText({ text, sources }: { text: string; sources: Citation[] }) {
  return (
    <div className="answer-text">
      <Markdown components={components} remarkPlugins={[remarkGfm]} disallowedElements={['img']}>
        {numberCitations(text, sources)}
      </Markdown>
    </div>
  )
}

function numberCitations(text: string, sources: Citation[]): string {
  return text.replace(CITED_ID, (whole, id: string) => {
    const index = sources.findIndex((source) => source.id === id)
    return index < 0 ? whole : `[${index + 1}](${SOURCE}${index + 1} "${id}")`
  })
}
