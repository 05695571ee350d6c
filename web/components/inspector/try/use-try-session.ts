'use client'
import { useCallback, useEffect, useState } from 'react'
import type { PendingConfirmation, ToolResponse } from 'toolgate'
import { type TriedCall, inspectorApi } from '@/lib/inspector/inspector-api'

/** What became of something that was tried. */
export interface Trial {
  number: number
  name: string
  mode: string
  what: 'call' | 'approval' | 'denial'
  at: Date
  /** None where nothing ran, or where the server did not say. */
  response?: ToolResponse
  messages: unknown[]
  progress: unknown[]
  /** Why there is no response. */
  problem?: string
}

const KEPT_TRIALS = 30

/** The inspector's session from the page: its calls, what it waits for, its turn. */
export function useTrySession() {
  const [trials, setTrials] = useState<Trial[]>([])
  const [pending, setPending] = useState<PendingConfirmation[]>([])
  const [turn, setTurn] = useState(0)
  const [isRunning, setIsRunning] = useState(false)

  const note = useCallback((trial: Omit<Trial, 'number' | 'at'>) => {
    setTrials(earlier =>
      [{ ...trial, number: (earlier[0]?.number ?? 0) + 1, at: new Date() }, ...earlier].slice(0, KEPT_TRIALS),
    )
  }, [])

  useEffect(() => {
    // What waited before the page was loaded is shown again.
    inspectorApi.session().then(
      session => {
        setPending(session.pending)
        setTurn(session.turn)
      },
      () => {},
    )
  }, [])

  /** Runs `act`; what it cannot tell is a trial too. */
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
        setPending(session.pending)
        setTurn(session.turn)
        return { response, messages, progress }
      }),
    [running],
  )

  const decide = useCallback(
    (card: PendingConfirmation, decision: 'approve' | 'deny', roles: string[]) => {
      const { token, tool, mode } = card
      return running({ name: tool, mode, what: decision === 'approve' ? 'approval' : 'denial' }, async () => {
        const outcome = await inspectorApi.decide({ confirmationToken: token, decision, mode, roles })
        setPending(outcome.pending)
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
  }, [])
  return { trials, pending, turn, isRunning, call, decide, cancel: inspectorApi.cancel, beginTurn, end }
}

export type TrySession = ReturnType<typeof useTrySession>
