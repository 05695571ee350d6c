'use client'
import { useEffect, useRef, useState } from 'react'

/** Number of last announcements that stay, for a screen reader that is still speaking. */
const KEPT = 6

/**
 * Announces changes to screen readers, in whole sentences: an answer once it is complete, not its pieces.
 *
 * @param texts current statements; new non-empty ones are announced
 */
export function Announcer({ texts }: { texts: string[] }) {
  const [said, setSaid] = useState<{ id: number; text: string }[]>([])
  const before = useRef<string[]>([])
  const last = useRef(0)
  const known = texts.join('\n')
  useEffect(() => {
    const now = known.split('\n')
    const fresh = now
      .filter(text => text && !before.current.includes(text))
      .map(text => ({ id: (last.current += 1), text }))
    before.current = now
    if (fresh.length > 0) setSaid(earlier => [...earlier, ...fresh].slice(-KEPT))
  }, [known])
  return (
    <div className="visually-hidden" role="status" aria-live="polite" aria-atomic="false" aria-label="News">
      {said.map(({ id, text }) => (
        <p key={id}>{text}</p>
      ))}
    </div>
  )
}
