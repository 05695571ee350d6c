import type { Citation } from '@/lib/tool-activity'

/** The records behind an answer, numbered as its text cites them. */
export function SourceList({ sources }: { sources: Citation[] }) {
  if (sources.length === 0) return null
  return (
    <section className="sources" aria-label="Sources">
      <ol>
        {sources.map(({ id, title, url }) => (
          <li key={id}>
            {url ? <a href={url} target="_blank" rel="noreferrer noopener" title={id}>{title}</a> : <span title={id}>{title}</span>}
          </li>
        ))}
      </ol>
    </section>
  )
}
