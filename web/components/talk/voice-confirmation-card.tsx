import { useVisibleText } from '@/components/ui/visible-text'
import { argumentFields } from '@/lib/argument-fields'
import { changesOf, outcomeWords } from '@/lib/card-outcome'
import type { Wishes } from '@/lib/shown-question'
import type { ClosedBy } from '@/lib/voice/frames'
import type { CardState } from '@/lib/voice/card-state'
import type { VoiceCard } from '@/lib/voice/voice-log'
import type { Decision } from '@/components/ui/decision-buttons'
import { type CardStatus, ConfirmationCard } from './confirmation-card'
import { GRANTED } from './grant-choice'

interface VoiceConfirmationCardProps {
  card: VoiceCard
  /** Whether the call is connected: the answer needs its socket. */
  isLive: boolean
  onDecide(token: string, decision: Decision, wishes: Wishes): void
  onExpire(token: string): void
}

/** A confirmation card of the running voice call. */
export function VoiceConfirmationCard({ card, isLive, onDecide, onExpire }: VoiceConfirmationCardProps) {
  const { request, title, readBack, state } = card
  const { args, parameters } = request
  const { isVisible } = useVisibleText()
  const fields = parameters && argumentFields(parameters, args, isVisible)
  return (
    <ConfirmationCard
      question={{ ...request, fields, title, readBack }}
      status={statusOf(state, { isLive, isOfOthers: request.approvers !== undefined, args })}
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
}

function statusOf(state: CardState, { isLive, isOfOthers, args }: Situation): CardStatus {
  if (state.phase === 'closed') return isOfOthers ? ofOthers(state) : withChanges(settled(state), state, args)
  if (!isLive || state.phase === 'checking') return { phase: 'waiting', text: 'Waits until the connection is back.' }
  return state.phase === 'asking' ? state : { phase: 'sending' }
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
