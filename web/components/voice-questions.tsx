'use client'
import { useEffect, useRef, useState } from 'react'
import type { PendingCard } from '@/lib/chat-message'
import { ConfirmationCard } from './confirmation-card'
import { useVoiceQuestions } from './use-voice-questions'

/** What a voice call asks, answered here: one that was answered elsewhere goes, one that was answered here stays. */
export function VoiceQuestions() {
  const { voice, pending } = useVoiceQuestions()
  const [answered, setAnswered] = useState<PendingCard[]>([])
  const end = useRef<HTMLDivElement>(null)
  const cards = [...answered, ...pending.filter(({ token }) => !answered.some((card) => card.token === token))]

  useEffect(() => {
    if (cards.length > 0) void end.current?.scrollIntoView({ block: 'end' })
  }, [cards.length])

  return (
    <>
      {voice && cards.map((card) => (
        <ConfirmationCard key={card.token} card={card} voice={voice} onAnswer={() => setAnswered((known) => [...known, card])} />
      ))}
      <div ref={end} />
    </>
  )
}
