import { sourceAnchor } from '@/lib/cited-sources'
import type { Citation } from 'toolgate-react/parts'
import styles from './source-list.module.css'

/** The records behind an answer, numbered as its text cites them. */
export function SourceList({ sources, scope }: { sources: Citation[]; scope: string }) {
  if (sources.length === 0) return null
  return (
    <div role="group" className={styles.sources} aria-label="Sources">
      <ol>
        {sources.map(({ id, title, url }, index) => (
          <li key={id} id={sourceAnchor(scope, index + 1)} tabIndex={-1}>
            <span className={styles.number} aria-hidden="true">
              {index + 1}
            </span>
            <span dir="auto">
              {url ? (
                <a href={url} target="_blank" rel="noreferrer noopener">
                  {title}
                </a>
              ) : (
                title
              )}{' '}
              <code>{id}</code>
            </span>
          </li>
        ))}
      </ol>
    </div>
  )
}
