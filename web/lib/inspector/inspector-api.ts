// The client of the inspector's routes.
import type { PendingConfirmation, SessionState, SessionUsage } from 'toolgate'
import { UNREACHED, type RequestFailure, fetchAnswer } from 'toolgate-react/parts'
import type { CallOutcome, triedCall } from './try-call'
import type { ToolDetail } from './tool-view'
import type { z } from 'zod'

export type TriedCall = z.input<typeof triedCall>

export interface SessionView {
  /** 0 if there is no session yet. */
  turn: number
  pending: PendingConfirmation[]
  usage: SessionUsage | null
  state: SessionState | null
}

export interface Decision {
  confirmationToken: string
  decision: 'approve' | 'deny'
  mode: string
  roles: string[]
}

export type DecisionOutcome = CallOutcome | { denied: boolean; pending: PendingConfirmation[] }

export const inspectorApi = {
  tool: (toolId: string) => ask<ToolDetail>(`tools/${encodeURIComponent(toolId)}`),
  call: (call: TriedCall) => ask<CallOutcome>('calls', 'POST', call),
  decide: (decision: Decision) => ask<DecisionOutcome>('confirmations', 'POST', decision),
  cancel: () => ask<{ cancelled: number }>('cancellations', 'POST', {}),
  session: () => ask<SessionView>('session'),
  beginTurn: () => ask<{ turn: number }>('session', 'POST', {}),
  endSession: () => ask<{ ended: boolean }>('session', 'DELETE'),
  metrics: () => ask<{ at: string; tools: unknown }>('metrics'),
}

/** @throws Error whose message is shown */
async function ask<T>(path: string, method = 'GET', body?: unknown): Promise<T> {
  const sent = body === undefined ? {} : { headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) }
  const answer = await fetchAnswer(`/api/inspector/${path}`, { method, cache: 'no-store', ...sent }).catch(
    (failure: RequestFailure) => {
      const isUnknown = failure.type === UNREACHED && method !== 'GET'
      throw isUnknown ? new Error(`${failure.message} Nothing is known of the outcome.`) : failure
    },
  )
  return answer.json()
}
