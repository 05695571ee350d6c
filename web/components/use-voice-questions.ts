'use client'
import { useEffect, useState } from 'react'
import type { PendingCard } from '@/lib/chat-message'
import { type VoiceKey, forgetVoiceKey, takeVoiceKey } from '@/lib/voice-key'

/** After a failure, before the server is asked again. */
const PAUSE_MS = 5000

export interface VoiceQuestions {
  /** `null` where this browser has no voice call. */
  voice: VoiceKey | null
  /** What waits now, oldest first. */
  pending: PendingCard[]
}

/** What this browser's voice call waits for, told by the server as it changes. */
export function useVoiceQuestions(): VoiceQuestions {
  const [voice, setVoice] = useState<VoiceKey | null>(null)
  const [pending, setPending] = useState<PendingCard[]>([])
  useEffect(() => {
    const take = () => setVoice((known) => unlessEqual(known, takeVoiceKey()))
    take()
    // A link that is opened where the page is open already, and a call that begins in another tab.
    for (const event of ['hashchange', 'storage']) addEventListener(event, take)
    return () => ['hashchange', 'storage'].forEach((event) => removeEventListener(event, take))
  }, [])
  useEffect(() => {
    if (!voice) return
    const stop = new AbortController()
    void follow(voice, stop.signal, setPending)
    return () => stop.abort()
  }, [voice])
  return { voice, pending }
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
        tell(pending)
        continue
      }
      // The call is over, or was never this browser's.
      if (answer.status < 500) {
        tell([])
        return forgetVoiceKey()
      }
    } catch {
      // Not reached, or left.
    }
    await new Promise((resolve) => setTimeout(resolve, PAUSE_MS))
  }
}

function unlessEqual(known: VoiceKey | null, found: VoiceKey | null): VoiceKey | null {
  return known?.resumeToken === found?.resumeToken && known?.sessionId === found?.sessionId ? known : found
}
