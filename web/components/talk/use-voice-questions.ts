'use client'
import { useEffect, useState } from 'react'
import type { PendingCard } from '@/lib/chat-message'
import { type VoiceKey, forgetVoiceKey } from '@/lib/voice-key'

/** After a failure, before the server is asked again. */
const PAUSE_MS = 5000

/** What a voice call waits for, oldest first, told by the server as it changes; nothing while `voice` is `null`. */
export function useVoiceQuestions(voice: VoiceKey | null): PendingCard[] {
  const [pending, setPending] = useState<PendingCard[]>([])
  useEffect(() => {
    if (!voice) return
    const stop = new AbortController()
    void follow(voice, stop.signal, setPending)
    return () => {
      stop.abort()
      setPending([])
    }
  }, [voice])
  return pending
}

/** Asks again and again what waits; the server answers once that is something else. */
async function follow(voice: VoiceKey, signal: AbortSignal, tell: (pending: PendingCard[]) => void): Promise<void> {
  let known: string[] = []
  while (!signal.aborted) {
    try {
      const answer = await fetch('/api/confirmations/voice', {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ voice, known }),
        signal,
      })
      if (answer.ok) {
        const { pending } = (await answer.json()) as { pending: PendingCard[] }
        known = pending.map(({ token }) => token)
        if (!signal.aborted) tell(pending)
        continue
      }
      // The call is over, or was never this browser's.
      if (answer.status < 500) return signal.aborted ? undefined : forgetVoiceKey()
    } catch {
      // Not reached, or left.
    }
    await new Promise(resolve => setTimeout(resolve, PAUSE_MS))
  }
}
