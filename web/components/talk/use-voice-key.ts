'use client'
import { useEffect, useMemo, useSyncExternalStore } from 'react'
import { type VoiceKey, readVoiceKey, takeVoiceKey, watchVoiceKey } from '@/lib/voice-key'

/** The voice call that this browser may answer for; `null` where there is none. */
export function useVoiceKey(): VoiceKey | null {
  const kept = useSyncExternalStore(watchVoiceKey, readAsText, () => 'null')
  useEffect(() => {
    takeVoiceKey()
    // A link that is opened where the page is open already.
    addEventListener('hashchange', takeVoiceKey)
    return () => removeEventListener('hashchange', takeVoiceKey)
  }, [])
  return useMemo(() => JSON.parse(kept) as VoiceKey | null, [kept])
}

/** Text, because React compares what it reads. */
function readAsText(): string {
  return JSON.stringify(readVoiceKey())
}
