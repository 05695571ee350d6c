'use client'
import { useVisibleText } from '@/components/ui/visible-text'
import type { ArgumentRows } from '@/lib/shown-question'
import styles from './argument-table.module.css'
import table from './field-table.module.css'

interface ArgumentTableProps {
  args: Record<string, unknown>
  rows?: ArgumentRows
}

/**
 * The arguments of a question as the core shows them, and all of them as exact JSON. Each text is isolated, so that none
 * reorders its neighbours.
 */
export function ArgumentTable({ args, rows = [] }: ArgumentTableProps) {
  const exact = useVisibleText().json(args)
  return (
    <>
      {rows.length > 0 && (
        <table className={table.table}>
          <caption className="visually-hidden">Arguments</caption>
          <tbody>
            {rows.map(({ name, title, value, short }, index) => (
              <tr key={index}>
                <th scope="row">
                  {title && <Isolated className={styles.title} text={title} />}
                  <Isolated className={styles.name} text={name} />
                </th>
                <td>
                  <Isolated text={short ?? value} />
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
      <details className={styles.exact} open={rows.length === 0}>
        <summary>Exact arguments</summary>
        <pre role="region" aria-label="Exact arguments" tabIndex={0}>
          {exact}
        </pre>
      </details>
    </>
  )
}

/** From left to right if it has escapes: their backslash would otherwise stand apart from its code. */
function Isolated({ text, className }: { text: string; className?: string }) {
  return (
    <bdi className={className} dir={text.includes('\\') ? 'ltr' : undefined}>
      {text}
    </bdi>
  )
}
