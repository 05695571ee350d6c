'use client'
import { useEffect, useState } from 'react'

/** Shorter than a person takes to read what a button does. */
export const READING_MS = 500

/**
 * Whether a click can be meant for what is shown: not in a frame, where another page decides what its user sees, and not
 * right after the component, the page or its window came into view, because such a click was begun for something else.
 */
export function useDeliberate(): boolean {
  const [isDeliberate, setDeliberate] = useState(false)
  useEffect(() => {
    if (window.top !== window.self) return
    let timer: ReturnType<typeof setTimeout>
    const shown = () => {
      setDeliberate(false)
      clearTimeout(timer)
      timer = setTimeout(() => setDeliberate(document.visibilityState === 'visible'), READING_MS)
    }
    shown()
    window.addEventListener('focus', shown)
    document.addEventListener('visibilitychange', shown)
    return () => {
      clearTimeout(timer)
      window.removeEventListener('focus', shown)
      document.removeEventListener('visibilitychange', shown)
    }
  }, [])
  return isDeliberate
}
