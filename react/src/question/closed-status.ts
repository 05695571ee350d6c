// Cards whose question was answered elsewhere, or is over.
import type { ClosedQuestion } from './shown-question.js'
import type { CardStatus } from '../card/confirmation-card.js'

interface Asked {
  approvers?: unknown
}

/** Of a call that may have run. */
export const NOT_KNOWN = 'Its outcome is not known: check before you order again.'

/** What an answer came to that this page has not given. */
export function closedStatus(outcome: ClosedQuestion['outcome'], { approvers }: Asked): CardStatus {
  const where = approvers ? 'by others' : 'elsewhere'
  switch (outcome) {
    case 'done':
      return { phase: 'settled', heading: 'Approved', tone: 'ok', text: `Done, approved ${where}.` }
    case 'failed':
      return { phase: 'settled', heading: 'Approved', tone: 'stop', text: `It failed, approved ${where}.` }
    case 'running':
      return { phase: 'settled', heading: 'Approved', tone: 'live', text: `It runs, approved ${where}.` }
    case 'unknown':
      return {
        phase: 'settled',
        heading: 'Approved',
        tone: 'ask',
        text: `Approved ${where}. ${NOT_KNOWN}`,
      }
    case 'denied':
      return { phase: 'settled', heading: 'Denied', tone: 'neutral', text: `Nothing was done, denied ${where}.` }
    case 'expired':
      return { phase: 'settled', heading: 'Expired', tone: 'neutral', text: 'Nothing was done.' }
  }
}

/** What a denial of this page came to. */
export function deniedStatus({ denied }: { denied: boolean }, { approvers }: Asked): CardStatus {
  if (!denied)
    return { phase: 'settled', heading: 'Answered', tone: 'neutral', text: 'Was answered before, or has expired.' }
  const heading = approvers ? 'Withdrawn' : 'Denied'
  return { phase: 'settled', heading, tone: 'neutral', text: 'Nothing was done.' }
}
