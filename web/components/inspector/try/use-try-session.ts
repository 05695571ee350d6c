'use client'
import { useCallback, useEffect, useState } from 'react'
import type { PendingConfirmation, SessionUsage, ToolResponse } from 'toolgate'
import { type SessionView, type TriedCall, inspectorApi } from '@/lib/inspector/inspector-api'

/** The outcome of a call or decision. */
export interface Trial {
  number: number
  name: string
  mode: string
  what: 'call' | 'approval' | 'denial'
  at: Date
  /** None if nothing ran, or if the server did not report it. */
  response?: ToolResponse
  messages: unknown[]
  progress: unknown[]
  /** Reason that there is no response. */
  problem?: string
}

const KEPT_TRIALS = 30

/** The inspector's session on the page: its calls, pending confirmations and turn. */
export function useTrySession() {
  const [trials, setTrials] = useState<Trial[]>([])
  const [pending, setPending] = useState<PendingConfirmation[]>([])
  const [turn, setTurn] = useState(0)
  const [usage, setUsage] = useState<SessionUsage | null>(null)
  const [isRunning, setIsRunning] = useState(false)
  const [isKnown, setIsKnown] = useState(false)

  const note = useCallback((trial: Omit<Trial, 'number' | 'at'>) => {
    setTrials(earlier =>
      [{ ...trial, number: (earlier[0]?.number ?? 0) + 1, at: new Date() }, ...earlier].slice(0, KEPT_TRIALS),
    )
  }, [])

  /** Shows what an answer says about the session. */
  const know = useCallback((session: Partial<SessionView>) => {
    if (session.pending !== undefined) setPending(session.pending)
    if (session.turn !== undefined) setTurn(session.turn)
    if (session.usage !== undefined) setUsage(session.usage)
  }, [])

  useEffect(() => {
    // Shows confirmations that were pending when the page was loaded.
    inspectorApi.session().then(
      session => {
        know(session)
        setIsKnown(true)
      },
      () => setIsKnown(true),
    )
  }, [])

  /** Runs `act`; its failure becomes a trial, too. */
  const running = useCallback(
    async (about: Pick<Trial, 'name' | 'mode' | 'what'>, act: () => Promise<Partial<Trial>>) => {
      setIsRunning(true)
      const outcome = await act().catch((error: Error) => ({ problem: error.message }))
      note({ messages: [], progress: [], ...about, ...outcome })
      setIsRunning(false)
    },
    [note],
  )

  const call = useCallback(
    (tried: TriedCall) =>
      running({ name: tried.name, mode: tried.mode ?? 'text', what: 'call' }, async () => {
        const { response, messages, progress, ...session } = await inspectorApi.call(tried)
        know(session)
        return { response, messages, progress }
      }),
    [running],
  )

  const decide = useCallback(
    (card: PendingConfirmation, decision: 'approve' | 'deny', roles: string[]) => {
      const { token, tool, mode } = card
      return running({ name: tool, mode, what: decision === 'approve' ? 'approval' : 'denial' }, async () => {
        const outcome = await inspectorApi.decide({ confirmationToken: token, decision, mode, roles })
        know(outcome)
        if ('response' in outcome)
          return { response: outcome.response, messages: outcome.messages, progress: outcome.progress }
        return outcome.denied ? {} : { problem: 'Nothing was pending any more.' }
      })
    },
    [running],
  )

  const beginTurn = useCallback(async () => setTurn((await inspectorApi.beginTurn()).turn), [])
  const end = useCallback(async () => {
    await inspectorApi.endSession()
    setPending([])
    setTurn(0)
    setUsage(null)
  }, [])
  return { trials, pending, turn, usage, isKnown, isRunning, call, decide, cancel: inspectorApi.cancel, beginTurn, end }
}

export type TrySession = ReturnType<typeof useTrySession>
