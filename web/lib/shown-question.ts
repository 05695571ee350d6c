// Questions with their arguments as the user must see them. The core makes the rows: it knows which characters hide or
// reorder text, the order of the schema, and what is sensitive.
import type { ConfirmationRequest, Session, ShownArguments } from 'toolgate'

import { isMoment, momentOfPreview } from './local-time'

export type ArgumentRows = ShownArguments['rows']

/** A question with the rows of its arguments, which are absent if the session has no such tool any more. */
export type ShownQuestion = ConfirmationRequest & { rows?: ArgumentRows }

/** The isolates that the core puts around values; in values they are escaped. */
const ISOLATES = /[\u2066\u2068\u2069]/g

/**
 * The preview without its rows, which the page shows as a table: a tool without a `confirmation.preview` has all of them in
 * it.
 */
export function previewAbove(preview: string, rows: ArgumentRows = []): string {
  const lines = rows.map(({ name, value, short }) => `\n${name}: ${short ?? value}`.replaceAll(ISOLATES, '')).join('')
  const plain = preview.replaceAll(ISOLATES, '')
  return lines !== '' && plain.endsWith(lines) ? plain.slice(0, -lines.length) : preview
}

/**
 * Whether the preview has every argument as it stands, so that the rows below would only repeat it. A value counts once:
 * another argument of the same value needs a place of its own. What is cut or escaped is never said.
 */
export function saysAll(preview: string, rows: ArgumentRows = []): boolean {
  let rest = preview.replaceAll(ISOLATES, '')
  const values = rows.map(({ value }) => (isMoment(plainValue(value)) ? momentOfPreview(plainValue(value)) : value))
  const isWhole = rows.every(({ short, value }) => short === undefined && !value.includes('\\'))
  return (
    isWhole &&
    values
      .flatMap(value => value.split(', "').map(plainValue))
      .sort((one, other) => other.length - one.length)
      .every(value => {
        const at = wordAt(rest, value)
        if (at >= 0) rest = `${rest.slice(0, at)}\n${rest.slice(at + value.length)}`
        return at >= 0
      })
  )
}

/** A text without its quotation marks. */
const plainValue = (value: string): string => value.replaceAll(ISOLATES, '').replace(/^"|"$/g, '')

/** Where a value stands between other words than its own; -1 if nowhere. */
function wordAt(text: string, value: string): number {
  if (value === '') return text.indexOf('""')
  for (let at = text.indexOf(value); at >= 0; at = text.indexOf(value, at + 1)) {
    const around = `${text[at - 1] ?? ' '}${text[at + value.length] ?? ' '}`
    if (!/[\p{L}\p{N}]/u.test(around)) return at
  }
  return -1
}

export function withRows<Question extends ConfirmationRequest>(session: Session, question: Question) {
  return { ...question, rows: session.showArguments(question.tool, question.args)?.rows }
}

/** The questions that wait for an answer. */
export async function shownPending(session: Session) {
  return (await session.listPending()).map(question => withRows(session, question))
}
