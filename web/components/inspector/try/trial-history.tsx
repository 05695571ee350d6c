'use client'
import { Badge } from '@/components/ui/badge'
import { outcomeLabel } from './trial-labels'
import styles from './try-it.module.css'
import type { Trial } from './use-try-session'

interface TrialHistoryProps {
  trials: Trial[]
  shown: number | undefined
  onShow(number: number): void
}

/** Earlier answers of this page. */
export function TrialHistory({ trials, shown, onShow }: TrialHistoryProps) {
  if (trials.length < 2) return null
  return (
    <section className={styles.history} aria-labelledby="earlier">
      <h2 id="earlier" className="eyebrow">
        Earlier on this page
      </h2>
      <ol>
        {trials.map(trial => (
          <li key={trial.number}>
            <button
              type="button"
              aria-current={trial.number === shown ? 'true' : undefined}
              onClick={() => onShow(trial.number)}
            >
              <Badge tone={outcomeLabel(trial).tone}>{outcomeLabel(trial).text}</Badge>
              <code>{trial.name || '(no name)'}</code>
              <span>{trial.what === 'call' ? trial.mode : trial.what}</span>
              <time>{trial.at.toLocaleTimeString()}</time>
            </button>
          </li>
        ))}
      </ol>
    </section>
  )
}
