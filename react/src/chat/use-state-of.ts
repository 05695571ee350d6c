'use client'
import { useState } from 'react'

/**
 * The state of one chat. Another chat begins with `initial`; what comes late for one that was left changes nothing.
 *
 * @param of the chat's id
 */
export function useStateOf<T>(of: string, initial: () => T): [T, (change: (now: T) => T) => void] {
  const [kept, setKept] = useState(() => ({ of, value: initial() }))
  let { value } = kept
  if (kept.of !== of) {
    value = initial()
    setKept({ of, value })
  }
  const change = (make: (now: T) => T) => setKept(known => (known.of === of ? { of, value: make(known.value) } : known))
  return [value, change]
}
