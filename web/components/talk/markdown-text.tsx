import type { ComponentProps } from 'react'
import Markdown, { type Components } from 'react-markdown'
import remarkGfm from 'remark-gfm'
import { isSourceLink, linkCitations } from '@/lib/cited-sources'
import type { Citation } from 'toolgate-react/parts'

type Block = 'p' | 'li' | 'h1' | 'h2' | 'h3' | 'h4' | 'h5' | 'h6' | 'td' | 'th'

/** A block whose own first letter decides its direction: an answer can mix languages. */
const block = (Tag: Block) =>
  function DirectedBlock({ node: _node, ...rest }: ComponentProps<Block> & { node?: unknown }) {
    return <Tag dir="auto" {...(rest as object)} />
  }

// Answers are untrusted Markdown: HTML in them is shown as text, images are not loaded.
const components: Components = {
  a: ({ href, title, children }) => {
    if (isSourceLink(href))
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
  // The box of a task list.
  input: ({ checked }) => (
    <input type="checkbox" checked={checked === true} disabled aria-label={checked ? 'Done' : 'To do'} />
  ),
  pre: ({ children }) => (
    <pre dir="ltr" tabIndex={0}>
      {children}
    </pre>
  ),
  p: block('p'),
  li: block('li'),
  h1: block('h1'),
  h2: block('h2'),
  h3: block('h3'),
  h4: block('h4'),
  h5: block('h5'),
  h6: block('h6'),
  td: block('td'),
  th: block('th'),
}

interface MarkdownTextProps {
  text: string
  sources: Citation[]
  /** Prefix that makes the source ids unique on the page. */
  scope: string
}

/** See `AnswerText`. */
export default function MarkdownText({ text, sources, scope }: MarkdownTextProps) {
  return (
    <Markdown
      components={components}
      remarkPlugins={[remarkGfm, [linkCitations, { sources, scope }]]}
      disallowedElements={['img']}
    >
      {text}
    </Markdown>
  )
}
