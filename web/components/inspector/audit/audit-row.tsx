'use client'
import { ChevronRight } from 'lucide-react'
import Link from 'next/link'
import { memo, useState } from 'react'
import { Badge } from '@/components/ui/badge'
import { visible } from 'toolgate-react/parts'
import { type AuditItem, type AuditLine, lineSummary, toneOf } from '@/lib/inspector/audit-lines'
import { callHref, sessionHref } from '@/lib/inspector/run-links'
import { JsonView } from '../json-view'
import styles from './audit-log.module.css'

/** A line: its summary, and its JSON when opened. */
export const AuditRow = memo(function AuditRow({ item }: { item: AuditItem }) {
  const [isOpen, setIsOpen] = useState(false)
  if (item.kind === 'gap')
    return (
      <li className={styles.gap}>
        {item.lost} lines are missing here: this page was too slow for them. The audit’s file has them.
      </li>
    )
  const { line, tool } = item
  return (
    <li className={styles.row}>
      <button type="button" aria-expanded={isOpen} onClick={() => setIsOpen(!isOpen)}>
        <ChevronRight size={14} aria-hidden="true" className={styles.chevron} />
        <time dateTime={line.at}>{timeOf(line.at)}</time>
        <Badge tone={toneOf(line)}>{line.event}</Badge>
        <code className={styles.tool}>{tool && visible.text(tool)}</code>
        <span className={styles.gist}>{visible.text(lineSummary(line))}</span>
        <span className={styles.session} title="Session">
          {line.sessionId?.slice(0, 8)}
        </span>
      </button>
      {isOpen && <OpenLine line={line} />}
    </li>
  )
})

function OpenLine({ line }: { line: AuditLine }) {
  const { callId, sessionId } = line
  return (
    <div>
      {typeof callId === 'string' && (
        <Link prefetch={false} href={callHref(callId)}>
          What became of the call {visible.text(callId)}
        </Link>
      )}
      {typeof callId !== 'string' && sessionId && (
        <Link prefetch={false} href={sessionHref(sessionId)}>
          The session of the line
        </Link>
      )}
      <JsonView value={line} label={`${line.event} at ${line.at}`} />
    </div>
  )
}

const timeOf = (at: string) => new Date(at).toLocaleTimeString(undefined, { hour12: false }) + at.slice(19, 23)
