// The questions of a session as its page shows them.
import type { ConfirmationRequest, PendingConfirmation, Session } from 'toolgate'
import type { ClosedQuestion, ShownQuestion } from 'toolgate-react'

type Shown<Question> = Question & Pick<ShownQuestion, 'rows' | 'parameters' | 'title' | 'grantable'>

export function withRows<Question extends ConfirmationRequest>(session: Session, question: Question): Shown<Question> {
  const { tool, args, approvers } = question
  const { jsonSchema, title, grantable } = session.registry.tools.get(tool) ?? {}
  return {
    ...question,
    title,
    rows: session.showArguments(tool, args)?.rows,
    // Of approvers, none is the user of this page.
    parameters: approvers ? undefined : jsonSchema,
    grantable,
  }
}

/** The questions that wait for an answer. */
export async function shownPending(session: Session, pending?: PendingConfirmation[]) {
  return (pending ?? (await session.listPending())).map(question => withRows(session, question))
}

/** What came of questions that no longer wait. One that waits again is left out. */
export async function closedQuestions(session: Session, tokens: string[]): Promise<ClosedQuestion[]> {
  const closed = await Promise.all(tokens.map(token => closedQuestion(session, token)))
  return closed.filter(question => question !== null)
}

/** By an answer that is cancelled before it is given: it leaves a question that waits as it is, and runs nothing. */
async function closedQuestion(session: Session, token: string): Promise<ClosedQuestion | null> {
  const response = await session.confirm(token, { signal: AbortSignal.abort() })
  if (response.ok || response.error.type !== 'CONFIRMATION_EXPIRED') return null
  const { reason, outcome } = (response.error.details ?? {}) as { reason?: string; outcome?: string }
  if (reason === 'used') return { token, outcome: RAN[outcome ?? ''] ?? 'unknown' }
  return { token, outcome: reason === 'unknown' ? 'denied' : 'expired' }
}

const RAN: Record<string, ClosedQuestion['outcome']> = { committed: 'done', failed: 'failed', running: 'running' }

/** Whether the questions that wait are others than the page shows, or have got an approver's answer since. */
export function differ(
  pending: PendingConfirmation[],
  known: { token: string; confirmations?: number | undefined }[],
): boolean {
  const counted = new Map(known.map(({ token, confirmations = 0 }) => [token, confirmations]))
  return (
    pending.length !== known.length ||
    pending.some(({ token, confirmations = 0 }) => counted.get(token) !== confirmations)
  )
}
