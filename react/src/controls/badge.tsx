import type { ReactNode } from 'react'

/** Meaning of a colour: the gate's outcome (`ok`, `ask`, `stop`), in progress (`live`), or none. */
export type Tone = 'neutral' | 'live' | 'ok' | 'ask' | 'stop'

export function Badge({ tone = 'neutral', children }: { tone?: Tone; children: ReactNode }) {
  return (
    <span data-toolgate="badge" data-tone={tone}>
      {children}
    </span>
  )
}
