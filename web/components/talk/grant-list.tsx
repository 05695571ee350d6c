'use client'
import { ShieldCheck } from 'lucide-react'
import { useState } from 'react'
import type { Grant } from 'toolgate'
import { Button } from '@/components/ui/button'
import styles from './grant-list.module.css'
import { clockTime, useCountdown } from './use-countdown'

interface GrantListProps {
  grants: Grant[]
  /** Resolves with false if the server was not reached. */
  onRevoke(id: string): Promise<boolean>
}

/** What runs without a question, and until when; each can be ended. */
export function GrantList({ grants, onRevoke }: GrantListProps) {
  if (grants.length === 0) return null
  return (
    <ul className={styles.list} aria-label="Runs without asking">
      {grants.map(grant => (
        <GrantLine key={grant.id} grant={grant} onRevoke={onRevoke} />
      ))}
    </ul>
  )
}

function GrantLine({ grant, onRevoke }: { grant: Grant; onRevoke: GrantListProps['onRevoke'] }) {
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
    <li className={styles.line}>
      <ShieldCheck size={14} aria-hidden="true" />
      <span className={styles.text}>
        Runs without asking: {scope === 'args' && preview ? <bdi>{preview.split('\n')[0]}</bdi> : <code>{tool}</code>}
        <span className={styles.rest}>
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
