'use client'
import { useEffect, useState } from 'react'
import type { PendingCard } from '@/lib/chat-message'
import { type VoiceKey, forgetVoiceKey } from '@/lib/voice-key'

/** Delay before the next request after a failure. */
const PAUSE_MS = 5000

/** The open questions of a voice call, oldest first, updated by long polling; empty while `voice` is `null`. */
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

/** Polls the open questions; the server answers once they change. */
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
      // The call is over, or the token is wrong.
      if (answer.status < 500) return signal.aborted ? undefined : forgetVoiceKey()
    } catch {
      // Network error, or the request was aborted.
    }
    await new Promise(resolve => setTimeout(resolve, PAUSE_MS))
  }
}
