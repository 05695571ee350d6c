import { changesOf, outcomeWords } from '../question/card-outcome.js'
import { NOT_KNOWN, progressText } from '../question/closed-status.js'
import type { Wishes } from '../question/shown-question.js'
import type { ClosedBy } from '../voice/frames.js'
import type { CardState } from '../voice/card-state.js'
import type { VoiceCard } from '../voice/voice-log.js'
import type { Decision } from './decision-buttons.js'
import type { CardStatus } from './card-status.js'
import { ConfirmationCard } from './confirmation-card.js'
import { GRANTED } from './grant-choice.js'

interface VoiceConfirmationCardProps {
  card: VoiceCard
  /** Whether the call is connected: the answer needs its socket. */
  isLive: boolean
  onDecide(token: string, decision: Decision, wishes: Wishes): void
  onExpire(token: string): void
}

/** A confirmation card of the running voice call. */
export function VoiceConfirmationCard({ card, isLive, onDecide, onExpire }: VoiceConfirmationCardProps) {
  const { request, title, readBack, state, progress } = card
  const { args } = request
  return (
    <ConfirmationCard
      question={{ ...request, title: title ?? request.title, readBack }}
      status={statusOf(state, {
        isLive,
        isOfOthers: request.approvers !== undefined,
        args,
        progress: progressText(progress) ?? undefined,
      })}
      onDecide={(decision, wishes) => onDecide(request.token, decision, wishes)}
      onExpire={() => onExpire(request.token)}
    />
  )
}

interface Situation {
  isLive: boolean
  /** Whether approvers decide. */
  isOfOthers: boolean
  /** As they were shown. */
  args: Record<string, unknown>
  /** What its handler has said last. */
  progress?: string
}

function statusOf(state: CardState, { isLive, isOfOthers, args, progress }: Situation): CardStatus {
  if (state.phase === 'closed') {
    const status = isOfOthers ? ofOthers(state) : withChanges(settled(state), state, args)
    return state.result || status.phase !== 'settled' ? status : { ...status, progress }
  }
  if (!isLive || state.phase === 'checking') return { phase: 'waiting', text: 'Waits until the connection is back.' }
  return state.phase === 'asking' ? state : { phase: 'sending', isRunning: progress !== undefined, progress }
}

function withChanges(status: CardStatus, { result, wishes }: Closed, args: Record<string, unknown>): CardStatus {
  if (status.phase !== 'settled' || !result?.edited) return status
  return { ...status, changes: changesOf(result.edited, args, wishes?.args ?? args) }
}

/** A card that approvers have decided about, or that the user has withdrawn. */
function ofOthers(state: Closed): CardStatus {
  const status = settled(state)
  const isWithdrawn = state.outcome === 'denied' && state.by === 'button'
  return status.phase === 'settled' && isWithdrawn ? { ...status, heading: 'Withdrawn' } : status
}

type Closed = Extract<CardState, { phase: 'closed' }>

const PLACES: Record<ClosedBy, string> = {
  button: '',
  dtmf: ', decided by a key',
  speech: ', decided by voice',
  elsewhere: ', decided elsewhere',
  time: '',
}

function settled({ outcome, by = 'button', result, wishes }: Closed): CardStatus {
  const where = PLACES[by] ?? ''
  switch (outcome) {
    case 'unheard':
      return { phase: 'settled', heading: 'Answered', tone: 'neutral', text: 'No longer waits for an answer.' }
    case 'denied':
      return { phase: 'settled', heading: 'Denied', tone: 'neutral', text: `Nothing was done${where}.` }
    case 'expired':
      return {
        phase: 'settled',
        heading: by === 'time' ? 'Expired' : 'Answered',
        tone: 'neutral',
        text: by === 'time' ? 'Nothing was done.' : 'Was answered before, or has expired.',
      }
    case 'confirmed':
      if (result?.outcome === 'unknown')
        return { phase: 'settled', heading: 'Approved', tone: 'ask', text: `Approved${where}. ${NOT_KNOWN}` }
      if (!result) return { phase: 'settled', heading: 'Approved', tone: 'live', text: `It runs${where}.` }
      return result.ok
        ? {
            phase: 'settled',
            heading: 'Approved',
            tone: 'ok',
            text: `${outcomeWords(result.data).slice(0, -1)}${where}.${wishes?.grant ? GRANTED : ''}`,
            outcome: { data: result.data },
          }
        : {
            phase: 'settled',
            heading: 'Approved',
            tone: 'stop',
            text: result.message ?? result.errorType ?? 'It failed.',
          }
  }
}
