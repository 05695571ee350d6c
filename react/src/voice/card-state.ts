// The state of a question's card in a voice call.
import { type Refusal, refusalIn } from '../question/card-outcome.js'
import type { Wishes } from '../question/shown-question.js'
import type { ClosedBy, ErrorFrame, ToolResultFrame } from './frames.js'

export type CardState =
  /** `refusal`: of the changes that were sent; `notice`: why the answer did not count. */
  | { phase: 'asking'; refusal?: Refusal; notice?: string }
  | { phase: 'sending'; decision: 'approve' | 'deny'; wishes: Wishes }
  /** The connection was lost; the next start shows whether the question is still open. */
  | { phase: 'checking' }
  | {
      phase: 'closed'
      outcome: 'confirmed' | 'denied' | 'expired' | 'unheard'
      by?: ClosedBy
      result: ToolResultFrame | null
      /** Of the approval that closed it, if this page has sent it. */
      wishes?: Wishes
    }

/** A late answer does not change a closed question. */
export function closeUnlessClosed(
  state: CardState,
  outcome: 'confirmed' | 'denied' | 'expired',
  by?: ClosedBy,
): CardState {
  if (state.phase === 'closed' && state.outcome !== 'unheard') return state
  const wishes = state.phase === 'sending' && by === 'button' ? state.wishes : undefined
  return { ...closedState(outcome, by), wishes }
}

export function closedState(outcome: 'confirmed' | 'denied' | 'expired' | 'unheard', by?: ClosedBy) {
  return { phase: 'closed' as const, outcome, by, result: null }
}

export const withResult = (state: CardState, result: ToolResultFrame): CardState =>
  state.phase === 'closed' ? { ...state, result } : state

/** The answer that was sent ran nothing. */
export function askedStill(state: CardState, { errorType, message, details }: ErrorFrame): CardState {
  if (state.phase !== 'sending') return state
  const { args, grant } = state.wishes
  const isRefused = errorType === 'VALIDATION' && (args ?? grant) !== undefined
  return { phase: 'asking', ...(isRefused ? { refusal: refusalIn(message, details) } : { notice: message }) }
}
