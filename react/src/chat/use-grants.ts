'use client'
import { useEffect, useState } from 'react'
import type { Grant } from 'toolgate'
import type { VoiceKey } from '../voice/voice-key.js'
import { type ChatAddress, postTo } from './chat-api.js'
import { useStateOf } from './use-state-of.js'

interface GrantsOptions {
  address: ChatAddress
  /** The voice call whose session the chat shares; `null`: that of the cookie. */
  voice: VoiceKey | null
  /** Whether the browser may have a session. */
  isKnown: boolean
  isBusy: boolean
  /** How many questions have been answered here. */
  answers: number
  /** The call of this window, if there is one: its server says what is granted. */
  call: { grants: Grant[]; revoke(id: string): boolean } | null
}

/** What the user has granted in the session: loaded anew once a question is answered, or an answer of the model is over. */
export function useGrants({ address, voice, isKnown, isBusy, answers, call }: GrantsOptions) {
  const [grants, setGrants] = useStateOf<Grant[]>(address.id, () => [])
  const [hasAsked, setHasAsked] = useState(isKnown)
  const isInCall = call !== null
  if ((answers > 0 || isInCall) && !hasAsked) setHasAsked(true)
  const load = async (revoke?: string) => {
    const answer = await postTo(address, 'grants', { voice: voice ?? undefined, revoke }).catch(() => null)
    if (!answer?.ok) return false
    const given = (await answer.json()).grants
    setGrants(() => given)
    return true
  }
  useEffect(() => {
    if (hasAsked && !isBusy && !isInCall) void load()
  }, [hasAsked, isBusy, isInCall, answers, voice, address.id])
  if (call !== null) return { grants: call.grants, revoke: async (id: string) => call.revoke(id) }
  return { grants, revoke: (id: string) => load(id) }
}
