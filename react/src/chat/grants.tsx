'use client'
import { ShieldCheck } from 'lucide-react'
import { useState } from 'react'
import type { Grant } from 'toolgate'
import { Button } from '../controls/button.js'
import { clockTime, useCountdown } from '../card/use-countdown.js'

interface GrantsProps {
  className?: string
  grants: Grant[]
  /** Resolves with false if the server was not reached. */
  onRevoke(id: string): Promise<boolean>
}

/** What runs without a question, and until when; each can be ended. */
export function Grants({ grants, onRevoke, className }: GrantsProps) {
  if (grants.length === 0) return null
  return (
    <ul data-toolgate="grants" className={className} aria-label="Runs without asking">
      {grants.map(grant => (
        <GrantLine key={grant.id} grant={grant} onRevoke={onRevoke} />
      ))}
    </ul>
  )
}

function GrantLine({ grant, onRevoke }: { grant: Grant; onRevoke: GrantsProps['onRevoke'] }) {
  const seconds = useCountdown(grant.expires)
  const [notice, setNotice] = useState<string | null>(null)
  const [isSending, setIsSending] = useState(false)
  if (seconds === 0) return null
  const { id, tool, scope, preview, callsLeft } = grant
  async function revoke() {
    setIsSending(true)
    setNotice((await onRevoke(id)) ? null : 'Not ended: the server cannot be reached.')
    setIsSending(false)
  }
  return (
    <li>
      <ShieldCheck size={14} aria-hidden="true" />
      <span data-toolgate="grant">
        Runs without asking: {scope === 'args' && preview ? <bdi>{preview.split('\n')[0]}</bdi> : <code>{tool}</code>}
        <span data-toolgate="note">
          {' '}
          · {callsLeft === 1 ? '1 call' : `${callsLeft} calls`}
          {seconds === null ? '' : ` · ${clockTime(seconds)}`}
        </span>
        {notice && <span role="alert"> {notice}</span>}
      </span>
      <Button size="s" disabled={isSending} onClick={() => void revoke()}>
        Ask again
      </Button>
    </li>
  )
}
