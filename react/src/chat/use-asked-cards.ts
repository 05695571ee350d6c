'use client'
import { keepToken, keptTokens } from '../question/asked-tokens.js'
import type { ChatAddress } from './chat-api.js'
import type { PendingCard } from './chat-message.js'
import type { ClosedQuestion } from '../question/shown-question.js'
import type { CallEnd } from './tool-activity.js'
import { useStateOf } from './use-state-of.js'
import type { VoiceKey } from '../voice/voice-key.js'
import { useWatchedQuestions } from './use-watched-questions.js'

/** A question of the text chat, and the voice call whose session it belongs to. */
export interface AskedCard {
  card: PendingCard
  voice?: VoiceKey
  /** What came of it elsewhere. */
  closed?: ClosedQuestion
}

interface AskedCardsOptions {
  address: ChatAddress
  /** The voice call whose session the chat shares; `null` if the chat has its own. */
  voice: VoiceKey | null
  /** Whether that call runs in this window, which asks through its own connection. */
  isInCall: boolean
}

/** The questions of the chat's calls, what came of them, and the open ones of the session. */
export function useAskedCards({ address, voice, isInCall }: AskedCardsOptions) {
  const { id } = address
  const [cards, setCards] = useStateOf<AskedCard[]>(id, () => [])
  /** Ids of calls that will not run. */
  const [dropped, setDropped] = useStateOf<(string | null)[]>(id, () => [])
  /** Ids of calls that have asked before the page was loaded, and wait no longer. */
  const [earlier, setEarlier] = useStateOf<string[]>(id, () => [])
  /** Tokens of questions whose answer is here. */
  const [answered, setAnswered] = useStateOf<string[]>(id, () => [])
  const sessionId = voice?.sessionId ?? null
  const kept = earlier.length === 0 ? [] : keptTokens().filter(asked => earlier.includes(asked.callId))
  const shown = cards.map(({ card: { token, callId }, voice: of }) => ({
    token,
    callId,
    sessionId: of?.sessionId ?? null,
  }))
  // A card that is shown is kept as well. Watched twice, a question would always differ from those that the server has.
  const all = [...new Map([...kept, ...shown].map(asked => [asked.token, asked])).values()]
  const [ended, setEnded] = useStateOf<string[]>(id, () => [])
  const tokens = all
    .filter(asked => asked.sessionId === sessionId && !answered.includes(asked.token) && !ended.includes(asked.token))
    .map(({ token }) => token)
  const { pending, closed } = useWatchedQuestions({ address, voice, isOff: isInCall, tokens })
  const over = tokens.filter(token => closed[token] !== undefined && closed[token].outcome !== 'running')
  if (over.length > 0) setEnded(known => [...known, ...over])

  const ends = new Map<string | null, CallEnd>(earlier.map(callId => [callId, 'closed']))
  for (const { callId, token } of all) if (closed[token]) ends.set(callId, END[closed[token].outcome])
  for (const callId of dropped) ends.set(callId, 'dropped')
  return {
    cards: cards.map(asked => ({ ...current(asked, pending), closed: closed[asked.card.token] })),
    /** The open questions of the session, also those that are not the chat's. */
    pending,
    /** How calls have ended that asked, by their ids. */
    ends,
    answers: answered.length,
    /** Tokens of the chat's own questions that were answered elsewhere. */
    answeredElsewhere: shown
      .filter(({ token, sessionId: of }) => of === null && !answered.includes(token) && isDecided(closed[token]))
      .map(({ token }) => token),
    add(card: PendingCard, of?: VoiceKey) {
      if (card.callId !== null) keepToken({ callId: card.callId, token: card.token, sessionId: of?.sessionId ?? null })
      setCards(known => (known.some(one => one.card.token === card.token) ? known : [...known, { card, voice: of }]))
    },
    answer: (token: string) => setAnswered(known => [...known, token]),
    drop: (callId: string | null) => setDropped(known => [...known, callId]),
    restore: (calls: string[]) => setEarlier(() => calls),
  }
}

const END: Record<ClosedQuestion['outcome'], CallEnd> = {
  done: 'ok',
  failed: 'failed',
  running: 'running',
  unknown: 'unknown',
  denied: 'dropped',
  expired: 'dropped',
}

const isDecided = (question: ClosedQuestion | undefined): boolean =>
  question !== undefined && question.outcome !== 'running' && question.outcome !== 'expired'

/** With the number of approvers who have confirmed it by now. */
function current(asked: AskedCard, pending: PendingCard[]): AskedCard {
  const confirmations = pending.find(({ token }) => token === asked.card.token)?.confirmations
  return confirmations === undefined ? asked : { ...asked, card: { ...asked.card, confirmations } }
}
