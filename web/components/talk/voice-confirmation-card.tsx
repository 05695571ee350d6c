import type { ClosedBy } from '@/lib/voice/frames'
import type { CardState, VoiceCard } from '@/lib/voice/voice-log'
import { type CardStatus, ConfirmationCard, type Decision } from './confirmation-card'

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
  dtmf: ', by a key',
  speech: ', by voice',
  elsewhere: ' elsewhere',
  time: '',
}

function settled({ outcome, by = 'button', result }: Extract<CardState, { phase: 'closed' }>): CardStatus {
  const where = PLACES[by] ?? ''
  switch (outcome) {
    case 'unheard':
      return { phase: 'settled', tone: 'neutral', text: 'No longer waits for an answer.' }
    case 'denied':
      return { phase: 'settled', tone: 'neutral', text: `Denied${where}; nothing was done.` }
    case 'expired':
      return {
        phase: 'settled',
        tone: 'neutral',
        text: by === 'time' ? 'Expired; nothing was done.' : 'Was answered before, or has expired.',
      }
    case 'confirmed':
      if (!result) return { phase: 'settled', tone: 'live', text: `Approved${where}; it runs.` }
      return result.ok
        ? { phase: 'settled', tone: 'ok', text: `Approved${where}. Done.` }
        : { phase: 'settled', tone: 'stop', text: result.message ?? result.errorType ?? 'It failed.' }
  }
}
