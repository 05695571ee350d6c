// Runs one call of the inspector through its session: any name, and any text as arguments, like a model.
import { toModelResponse, type PendingConfirmation, type Session, type SessionUsage, type ToolResponse } from 'toolgate'
import { z } from 'zod'
import { type CallNews, attachmentFields } from './inspector-session'

export const triedCall = z.object({
  ...attachmentFields,
  /** May be empty: models can send an empty name, too. */
  name: z.string().max(256),
  /** The raw text of the arguments; the gate refuses invalid JSON. */
  args: z.string(),
  /** The provider's call id; the same id again is a replay. */
  id: z.string().min(1).max(256).nullable().default(null),
  /** Whether the call begins a turn: budgets and loops are counted per turn. */
  newTurn: z.boolean().default(true),
})

export const answeredConfirmation = z.object({
  ...attachmentFields,
  confirmationToken: z.string().min(1).max(512),
  decision: z.enum(['approve', 'deny']),
})

export interface CallOutcome extends CallNews {
  /** The response as sent to a model: without the token. */
  response: ToolResponse
  turn: number
  usage: SessionUsage
  /** The session's pending confirmations, with their tokens. */
  pending: PendingConfirmation[]
}

export async function tryCall(session: Session, news: CallNews, call: z.infer<typeof triedCall>): Promise<CallOutcome> {
  if (call.newTurn) await session.beginTurn()
  const response = await session.execute({ id: call.id, name: call.name, args: call.args })
  return outcomeOf(session, news, response)
}

/** Approving runs the call as shown; denying runs nothing. */
export async function answerConfirmation(
  session: Session,
  news: CallNews,
  { confirmationToken, decision }: z.infer<typeof answeredConfirmation>,
): Promise<CallOutcome | { denied: boolean; pending: PendingConfirmation[] }> {
  if (decision === 'approve') return outcomeOf(session, news, await session.confirm(confirmationToken, { via: 'page' }))
  const denied = await session.deny(confirmationToken, 'denied in the inspector', { via: 'page' })
  return { denied, pending: await session.listPending() }
}

async function outcomeOf(session: Session, news: CallNews, response: ToolResponse): Promise<CallOutcome> {
  const pending = await session.listPending()
  return {
    response: toModelResponse(response, { meta: 'full' }),
    turn: session.turn,
    usage: session.usage(),
    pending,
    ...news,
  }
}
