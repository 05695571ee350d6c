import { outcomeWords } from '@/lib/card-outcome'
import type { ClosedBy } from '@/lib/voice/frames'
import type { CardState, VoiceCard } from '@/lib/voice/voice-log'
import type { Decision } from '@/components/ui/decision-buttons'
import { type CardStatus, ConfirmationCard } from './confirmation-card'

interface VoiceConfirmationCardProps {
  card: VoiceCard
  /** Whether the call is connected: the answer needs its socket. */
  isLive: boolean
  onDecide(token: string, decision: Decision): void
  onExpire(token: string): void
}

/** A confirmation card of the running voice call. */
export function VoiceConfirmationCard({ card, isLive, onDecide, onExpire }: VoiceConfirmationCardProps) {
  const { request, title, readBack, state } = card
  return (
    <ConfirmationCard
      question={{ ...request, title, readBack }}
      status={statusOf(state, isLive)}
      onDecide={decision => onDecide(request.token, decision)}
      onExpire={() => onExpire(request.token)}
    />
  )
}

function statusOf(state: CardState, isLive: boolean): CardStatus {
  if (state.phase === 'closed') return settled(state)
  if (!isLive || state.phase === 'checking') return { phase: 'waiting', text: 'Waits until the connection is back.' }
  return { phase: state.phase }
}

const PLACES: Record<ClosedBy, string> = {
  button: '',
  dtmf: ', decided by a key',
  speech: ', decided by voice',
  elsewhere: ', decided elsewhere',
  time: '',
}

function settled({ outcome, by = 'button', result }: Extract<CardState, { phase: 'closed' }>): CardStatus {
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
            text: `${outcomeWords(result.data).slice(0, -1)}${where}.`,
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
