import Markdown, { type Components } from 'react-markdown'
import remarkGfm from 'remark-gfm'
import styles from './guide.module.css'

// The page has its own first-level heading: the guide's headings begin one level below.
const components: Components = {
  h1: ({ children }) => <h2>{children}</h2>,
  h2: ({ children }) => <h3>{children}</h3>,
  h3: ({ children }) => <h4>{children}</h4>,
  a: ({ href, children }) => (
    <a href={href} target="_blank" rel="noreferrer noopener">
      {children}
    </a>
  ),
  pre: ({ children }) => (
    <pre tabIndex={0} role="region" aria-label="Example">
      {children}
    </pre>
  ),
}

/** Removes the guide's first heading: the tool's name is already above. */
const withoutTitle = (text: string) => text.replace(/^\s*# [^\n]*\n+/, '')

/** The tool's guide, rendered; models get the same text. */
export function Guide({ text }: { text: string }) {
  return (
    <div className={styles.guide}>
      <Markdown components={components} remarkPlugins={[remarkGfm]} disallowedElements={['img']}>
        {withoutTitle(text)}
      </Markdown>
    </div>
  )
}
