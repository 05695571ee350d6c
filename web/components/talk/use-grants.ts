'use client'
import { useEffect, useState } from 'react'
import type { Grant } from 'toolgate'
import { reach } from '@/lib/read-error'
import type { VoiceKey } from '@/lib/voice-key'

interface GrantsOptions {
  /** The voice call whose session the chat shares; `null`: that of the cookie. */
  voice: VoiceKey | null
  /** Whether the browser may have a session. */
  isKnown: boolean
  isBusy: boolean
  /** How many questions have been answered here. */
  answers: number
}

/** What the user has granted in the session: loaded anew once a question is answered, or an answer of the model is over. */
export function useGrants({ voice, isKnown, isBusy, answers }: GrantsOptions) {
  const [grants, setGrants] = useState<Grant[]>([])
  const [hasAsked, setHasAsked] = useState(isKnown)
  if (answers > 0 && !hasAsked) setHasAsked(true)
  const load = async (revoke?: string) => {
    const answer = await reach('/api/grants', {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ voice: voice ?? undefined, revoke }),
    }).catch(() => null)
    if (answer?.ok) setGrants((await answer.json()).grants)
    return answer?.ok === true
  }
  useEffect(() => {
    if (hasAsked && !isBusy) void load()
  }, [hasAsked, isBusy, answers, voice])
  return { grants, revoke: (id: string) => load(id) }
}
