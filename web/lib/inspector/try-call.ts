// One call of the inspector through its session: any name, any text as arguments, as a model could send them.
import { toModelResponse, type PendingConfirmation, type Session, type ToolResponse } from 'toolgate'
import { z } from 'zod'
import { type CallNews, attachmentFields } from './inspector-session'

export const triedCall = z.object({
  ...attachmentFields,
  /** An empty name is one that a model can send, too. */
  name: z.string().max(256),
  /** The text of the arguments as it is: what is not JSON is the gate's to refuse. */
  args: z.string(),
  /** The provider's id of the call; the same again is a replay. */
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
  /** As the model would get it: without the token. */
  response: ToolResponse
  turn: number
  /** What the session waits for now, with the tokens to answer it. */
  pending: PendingConfirmation[]
}

export async function tryCall(session: Session, news: CallNews, call: z.infer<typeof triedCall>): Promise<CallOutcome> {
  if (call.newTurn) await session.beginTurn()
  const response = await session.execute({ id: call.id, name: call.name, args: call.args })
  return outcomeOf(session, news, response)
}

/** Approving runs the call as it was shown; denying runs nothing. */
export async function answerConfirmation(
  session: Session,
  news: CallNews,
  { confirmationToken, decision }: z.infer<typeof answeredConfirmation>,
): Promise<CallOutcome | { denied: boolean; pending: PendingConfirmation[] }> {
  if (decision === 'approve') return outcomeOf(session, news, await session.confirm(confirmationToken))
  const denied = await session.deny(confirmationToken, 'denied in the inspector')
  return { denied, pending: await session.listPending() }
}

async function outcomeOf(session: Session, news: CallNews, response: ToolResponse): Promise<CallOutcome> {
  return { response: toModelResponse(response), turn: session.turn, pending: await session.listPending(), ...news }
}
