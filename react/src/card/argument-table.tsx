'use client'
import { visible } from '../text/visible-text.js'
import type { ArgumentRows } from '../question/shown-question.js'

interface ArgumentTableProps {
  args: Record<string, unknown>
  rows?: ArgumentRows
}

/**
 * The arguments of a question as the core shows them, and all of them as exact JSON. Each text is isolated, so that none
 * reorders its neighbours.
 */
export function ArgumentTable({ args, rows = [] }: ArgumentTableProps) {
  const exact = visible.json(args)
  return (
    <>
      {rows.length > 0 && (
        <table data-toolgate="table">
          <caption data-toolgate="unseen">Arguments</caption>
          <tbody>
            {rows.map(({ name, title, value, short }, index) => (
              <tr key={index}>
                <th scope="row">
                  {title && <Isolated part="title" text={title} />}
                  <Isolated part="name" text={name} />
                </th>
                <td>
                  <Isolated text={short ?? value} />
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
      <details data-toolgate="exact" open={rows.length === 0}>
        <summary>Exact arguments</summary>
        <pre role="region" aria-label="Exact arguments" tabIndex={0}>
          {exact}
        </pre>
      </details>
    </>
  )
}

/** From left to right if it has escapes: their backslash would otherwise stand apart from its code. */
function Isolated({ text, part }: { text: string; part?: string }) {
  return (
    <bdi data-part={part} dir={text.includes('\\') ? 'ltr' : undefined}>
      {text}
    </bdi>
  )
}
