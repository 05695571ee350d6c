'use client'
import { useState } from 'react'
import { keepToken, keptTokens } from '../question/asked-tokens.js'
import type { ChatAddress } from './chat-api.js'
import type { PendingCard } from './chat-message.js'
import type { ClosedQuestion } from '../question/shown-question.js'
import type { CallEnd } from './tool-activity.js'
import type { VoiceKey } from '../voice/voice-key.js'
import { useWatchedQuestions } from './use-watched-questions.js'

/** A question of the text chat, and the voice call whose session it belongs to. */
export interface AskedCard {
  card: PendingCard
  voice?: VoiceKey
  /** What came of it elsewhere. */
  closed?: ClosedQuestion['outcome']
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
  const [cards, setCards] = useState<AskedCard[]>([])
  /** Ids of calls that will not run. */
  const [dropped, setDropped] = useState<(string | null)[]>([])
  /** Ids of calls that have asked before the page was loaded, and wait no longer. */
  const [earlier, setEarlier] = useState<string[]>([])
  /** Tokens of questions whose answer is here. */
  const [answered, setAnswered] = useState<string[]>([])
  const sessionId = voice?.sessionId ?? null
  const kept = earlier.length === 0 ? [] : keptTokens().filter(asked => earlier.includes(asked.callId))
  const shown = cards.map(({ card: { token, callId }, voice: of }) => ({
    token,
    callId,
    sessionId: of?.sessionId ?? null,
  }))
  const all = [...kept, ...shown]
  const [ended, setEnded] = useState<string[]>([])
  const tokens = all
    .filter(asked => asked.sessionId === sessionId && !answered.includes(asked.token) && !ended.includes(asked.token))
    .map(({ token }) => token)
  const { pending, closed } = useWatchedQuestions({ address, voice, isOff: isInCall, tokens })
  const over = tokens.filter(token => closed[token] !== undefined && closed[token] !== 'running')
  if (over.length > 0) setEnded([...ended, ...over])

  const ends = new Map<string | null, CallEnd>(earlier.map(callId => [callId, 'closed']))
  for (const { callId, token } of all) if (closed[token]) ends.set(callId, END[closed[token]])
  for (const callId of dropped) ends.set(callId, 'dropped')
  return {
    cards: cards.map(asked => ({ ...current(asked, pending), closed: closed[asked.card.token] })),
    /** The open questions of the session, also those that are not the chat's. */
    pending,
    /** How calls have ended that asked, by their ids. */
    ends,
    answers: answered.length,
    add(card: PendingCard, of?: VoiceKey) {
      if (card.callId !== null) keepToken({ callId: card.callId, token: card.token, sessionId: of?.sessionId ?? null })
      setCards(known => (known.some(one => one.card.token === card.token) ? known : [...known, { card, voice: of }]))
    },
    answer: (token: string) => setAnswered(known => [...known, token]),
    drop: (callId: string | null) => setDropped(known => [...known, callId]),
    restore: (calls: string[]) => setEarlier(calls),
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

/** With the number of approvers who have confirmed it by now. */
function current(asked: AskedCard, pending: PendingCard[]): AskedCard {
  const confirmations = pending.find(({ token }) => token === asked.card.token)?.confirmations
  return confirmations === undefined ? asked : { ...asked, card: { ...asked.card, confirmations } }
}
