'use client'
import { useEffect, useMemo, useSyncExternalStore } from 'react'
import { type VoiceKey, readVoiceKey, claimVoiceKey, watchVoiceKey } from './voice-key.js'

/** The credentials of the voice call whose questions this browser may answer; `null` if none. */
export function useVoiceKey(): VoiceKey | null {
  const kept = useSyncExternalStore(watchVoiceKey, readAsText, () => 'null')
  useEffect(() => {
    claimVoiceKey()
    // A call link was opened in a tab that has the page already.
    addEventListener('hashchange', claimVoiceKey)
    return () => removeEventListener('hashchange', claimVoiceKey)
  }, [])
  return useMemo(() => JSON.parse(kept) as VoiceKey | null, [kept])
}

/** Text, because React compares snapshots by identity. */
function readAsText(): string {
  return JSON.stringify(readVoiceKey())
}
