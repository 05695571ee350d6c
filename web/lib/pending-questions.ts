// The questions of a session as its page shows them.
import type { ConfirmationRequest, Session } from 'toolgate'
import { argumentFields } from './argument-fields'

export function withRows<Question extends ConfirmationRequest>(session: Session, question: Question) {
  const { tool, args } = question
  const schema = session.registry.tools.get(tool)?.jsonSchema
  return {
    ...question,
    rows: session.showArguments(tool, args)?.rows,
    fields: schema && argumentFields(schema, args),
  }
}

/** The questions that wait for an answer. */
export async function shownPending(session: Session) {
  return (await session.listPending()).map(question => withRows(session, question))
}
