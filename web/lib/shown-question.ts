// Questions with their arguments as the user must see them. The core makes the rows: it knows which characters hide or
// reorder text, the order of the schema, and what is sensitive.
import type { ConfirmationRequest, Session, ShownArguments } from 'toolgate'

export type ArgumentRows = ShownArguments['rows']

export function withRows<Question extends ConfirmationRequest>(session: Session, question: Question) {
  return { ...question, rows: session.showArguments(question.tool, question.args)?.rows }
}
