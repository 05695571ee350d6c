'use client'
import { useEffect } from 'react'
import { type ChatAddress, postTo } from './chat-api.js'
import type { PendingCard } from './chat-message.js'
import type { ClosedQuestion } from '../question/shown-question.js'
import { useStateOf } from './use-state-of.js'
import { type VoiceKey, forgetVoiceKey } from '../voice/voice-key.js'

/** Delay before the next request after a failure. */
const PAUSE_MS = 5000
/** Delay before the next request while a confirmed call runs. */
const RUNNING_MS = 1000
/** Answers after which a later request may succeed. */
const PASSING = [408, 429]
const MOST_WATCHED = 40

export interface WatchedQuestions {
  /** The open questions of the session, oldest first. */
  pending: PendingCard[]
  /** What came of questions that no longer wait, by token. */
  closed: Record<string, ClosedQuestion>
}

interface Watch {
  address: ChatAddress
  /** The voice call whose session is watched; null: the session of the cookie, as long as the page shows questions of it. */
  voice: VoiceKey | null
  isOff: boolean
  /** Questions of the session whose outcome the page waits for. */
  tokens: string[]
}

/** Watches questions of a session by long polling: they can be asked, and answered, elsewhere. */
export function useWatchedQuestions({ address, voice, isOff, tokens }: Watch): WatchedQuestions {
  const [watched, setWatched] = useStateOf<WatchedQuestions>(address.id, () => ({ pending: [], closed: {} }))
  const isOn = !isOff && (voice !== null || tokens.length > 0)
  useEffect(() => {
    if (!isOn) return setWatched(({ closed }) => ({ pending: [], closed }))
    const stop = new AbortController()
    void followQuestions({ address, voice, tokens: tokens.slice(-MOST_WATCHED) }, stop.signal, ({ pending, closed }) =>
      setWatched(known => {
        const open = new Set(pending.map(({ token }) => token))
        const earlier = Object.entries(known.closed).filter(([token]) => !open.has(token))
        const later = closed.map(question => [question.token, question] as const)
        return { pending, closed: Object.fromEntries([...earlier, ...later]) }
      }),
    )
    return () => stop.abort()
  }, [isOn, voice, address.id, tokens.join(' ')])
  return watched
}

interface WatchAnswer {
  pending: PendingCard[]
  closed: ClosedQuestion[]
}

/** Polls the open questions; the server answers once they change, and at once while a confirmed call runs. */
export async function followQuestions(
  { address, voice, tokens }: Pick<Watch, 'address' | 'voice' | 'tokens'>,
  signal: AbortSignal,
  tell: (answer: WatchAnswer) => void,
): Promise<void> {
  let known: { token: string; confirmations?: number }[] = tokens.map(token => ({ token }))
  while (!signal.aborted) {
    let pauseMs = PAUSE_MS
    try {
      const answer = await postTo(address, 'confirmations/watch', { voice: voice ?? undefined, known }, { signal })
      if (answer.ok) {
        const questions = (await answer.json()) as WatchAnswer
        const running = questions.closed.filter(({ outcome }) => outcome === 'running')
        known = [...questions.pending, ...running].map(({ token, ...rest }) => ({
          token,
          confirmations: 'confirmations' in rest ? rest.confirmations : undefined,
        }))
        if (!signal.aborted) tell(questions)
        if (running.length === 0) continue
        pauseMs = RUNNING_MS
      } else if (answer.status < 500 && !PASSING.includes(answer.status))
        // The call is over, or the token is wrong.
        return signal.aborted || voice === null ? undefined : forgetVoiceKey()
    } catch {
      // Network error, or the request was aborted.
    }
    await new Promise(resolve => setTimeout(resolve, pauseMs))
  }
}
