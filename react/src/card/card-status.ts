import type { Tone } from '../controls/badge.js'
import type { Change, Refusal } from '../question/card-outcome.js'
import type { ShownQuestion } from '../question/shown-question.js'

export type CardStatus =
  /** `refusal`: of the changes that were sent; nothing has run. `notice`: why the answer did not arrive. */
  | { phase: 'asking'; refusal?: Refusal; notice?: string }
  /** `isRunning`: approved, without an answer yet, and what its handler says. `onStop` stops the call. */
  | { phase: 'sending'; isRunning?: boolean; progress?: string; notice?: string; onStop?(): void }
  /** Cannot be answered now, for this reason. */
  | { phase: 'waiting'; text: string }
  | {
      phase: 'settled'
      heading: SettledHeading
      tone: Tone
      text: string
      progress?: string
      outcome?: Outcome
      changes?: Change[]
    }

export type SettledHeading = 'Approved' | 'Denied' | 'Withdrawn' | 'Expired' | 'Answered'

/** What an approved call came to: the members of its result, or the free times that its refusal offers. */
export interface Outcome {
  data?: unknown
  freeTimes?: { start: string; end: string }[]
}

export type Question = ShownQuestion & { token: string }
