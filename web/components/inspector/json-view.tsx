'use client'
import { Check, Copy } from 'lucide-react'
import { useState } from 'react'
import { IconButton } from '@/components/ui/button'
import { visible } from 'toolgate-react/parts'
import { type JsonToken, jsonTokens } from '@/lib/inspector/json-tokens'
import styles from './json-view.module.css'

interface JsonViewProps {
  value: unknown
  /** Accessible name. */
  label: string
  /** Whether the box may become tall before it scrolls. */
  tall?: boolean
}

/**
 * Shows JSON, with hidden characters escaped, and a copy button. Long text is shown and copied whole, but coloured only up to
 * a bound.
 */
export function JsonView({ value, label, tall = false }: JsonViewProps) {
  const text = visible.json(value)
  return (
    <div className={styles.box}>
      <CopyButton text={text} label={label} />
      <pre className={tall ? styles.tall : styles.code} role="region" aria-label={label} tabIndex={0}>
        <code>
          {jsonTokens(text).map((token, place) => (
            <Token key={place} {...token} />
          ))}
        </code>
      </pre>
    </div>
  )
}

function Token({ kind, text }: JsonToken) {
  return kind === 'plain' ? text : <span className={styles[kind]}>{text}</span>
}

function CopyButton({ text, label }: { text: string; label: string }) {
  const [copied, setCopied] = useState(false)
  async function copy() {
    await navigator.clipboard.writeText(text)
    setCopied(true)
    setTimeout(() => setCopied(false), 1500)
  }
  return (
    <IconButton
      size="s"
      className={styles.copy}
      label={copied ? 'Copied' : `Copy: ${label}`}
      onClick={() => void copy().catch(() => {})}
    >
      {copied ? <Check size={14} aria-hidden="true" /> : <Copy size={14} aria-hidden="true" />}
    </IconButton>
  )
}
