// Cards whose question was answered elsewhere, or is over.
import type { ClosedQuestion } from './shown-question.js'
import type { CardStatus } from '../card/card-status.js'
import { visible } from '../text/visible-text.js'

interface Asked {
  approvers?: unknown
}

/** Of a call that may have run. */
export const NOT_KNOWN = 'Its outcome is not known: check before you order again.'

/** What an answer came to that this page has not given. */
export function closedStatus({ outcome, progress }: ClosedQuestion, { approvers }: Asked): CardStatus {
  const where = approvers ? 'by others' : 'elsewhere'
  switch (outcome) {
    case 'done':
      return { phase: 'settled', heading: 'Approved', tone: 'ok', text: `Done, approved ${where}.` }
    case 'failed':
      return { phase: 'settled', heading: 'Approved', tone: 'stop', text: `It failed, approved ${where}.` }
    case 'running':
      return {
        phase: 'settled',
        heading: 'Approved',
        tone: 'live',
        text: `It runs, approved ${where}.`,
        progress: progressText(progress) ?? undefined,
      }
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

const MAX_PROGRESS = 300

/** What the handler of a running call has said; null for nothing. */
export function progressText(progress: unknown): string | null {
  if (progress === undefined || progress === null) return null
  const text = visible.text(typeof progress === 'string' ? progress : JSON.stringify(progress))
  return text.length > MAX_PROGRESS ? `${text.slice(0, MAX_PROGRESS)}…` : text
}

/** What a denial of this page came to. */
export function deniedStatus({ denied }: { denied: boolean }, { approvers }: Asked): CardStatus {
  if (!denied)
    return { phase: 'settled', heading: 'Answered', tone: 'neutral', text: 'Was answered before, or has expired.' }
  const heading = approvers ? 'Withdrawn' : 'Denied'
  return { phase: 'settled', heading, tone: 'neutral', text: 'Nothing was done.' }
}
