'use client'
import { useState } from 'react'
import type { ToolgateCall } from '../voice/use-voice-call.js'
import type { AskedCard, useAskedCards } from './use-asked-cards.js'

interface CallQuestionsOptions {
  call: ToolgateCall | undefined
  asked: ReturnType<typeof useAskedCards>
}

/** The questions of a voice call that the chat has not asked, and that no connection of this window shows. */
export function useCallQuestions({ call, asked: { pending, cards } }: CallQuestionsOptions) {
  /** They stay, to show their outcome. */
  const [answered, setAnswered] = useState<AskedCard[]>([])
  const { key = null, isOn = false } = call ?? {}
  const elsewhere = [
    ...answered.map(({ card }) => card.token),
    ...cards.map(({ card }) => card.token),
    ...(isOn && call ? call.cards.map(({ request }) => request.token) : []),
  ]
  // A call in this window asks through its own connection.
  const open = isOn || key === null ? [] : pending.filter(({ token }) => !elsewhere.includes(token))
  return {
    questions: [...answered, ...open.map((card): AskedCard => ({ card, voice: key ?? undefined }))],
    keep: (question: AskedCard) => setAnswered(known => [...known, question]),
  }
}
