import { type TimeSpan, shownTime, spansOf, sumOf } from '@/lib/inspector/run-times'
import type { RunCall } from '@/lib/inspector/runs'
import styles from './sessions.module.css'

const SAID: Record<TimeSpan['kind'], string> = {
  run: 'ran',
  person: 'waited for a person',
  pause: 'paused between attempts',
}

/** When the call waited and when it ran, within its turn; in words, too. */
export function CallBars({ call, frame }: { call: RunCall; frame: { from: number; length: number } }) {
  const spans = spansOf(call)
  const said = (['run', 'person', 'pause'] as const)
    .map(kind => [kind, sumOf(spans, kind)] as const)
    .filter(([kind]) => spans.some(span => span.kind === kind))
    .map(([kind, ms]) => `${SAID[kind]} ${shownTime(ms)}`)
    .join(', ')
  if (spans.length === 0) return null
  const at = (time: number) => ((time - frame.from) / frame.length) * 100
  return (
    <div className={styles.bars}>
      <svg viewBox="0 0 100 6" preserveAspectRatio="none" aria-hidden="true">
        {spans.map(({ kind, from, to }, place) => (
          <rect
            key={place}
            data-kind={kind}
            x={Math.min(at(from), 99.4)}
            width={Math.max(at(to) - at(from), 0.6)}
            height="6"
          />
        ))}
      </svg>
      <p className={styles.soft}>{said}</p>
    </div>
  )
}
