'use client'
import { type RefObject, useCallback, useEffect, useRef, useState } from 'react'

/** Nearer to the end than this, the reader follows what comes. */
const NEAR_PX = 80

interface StickToEnd {
  scroller: RefObject<HTMLDivElement | null>
  /** Whether there is something below that is not seen. */
  isBehind: boolean
  toEnd(): void
}

/** Keeps the end of what grows in view, unless the reader has scrolled away from it. */
export function useStickToEnd(): StickToEnd {
  const scroller = useRef<HTMLDivElement>(null)
  // What is there at first is read from its beginning.
  const follows = useRef(false)
  const [isBehind, setIsBehind] = useState(false)

  const toEnd = useCallback(() => {
    follows.current = true
    setIsBehind(false)
    scroller.current?.scrollTo({ top: scroller.current.scrollHeight })
  }, [])

  useEffect(() => {
    const element = scroller.current
    if (!element) return
    const look = () => {
      follows.current = element.scrollHeight - element.scrollTop - element.clientHeight < NEAR_PX
      setIsBehind(!follows.current)
    }
    const grow = () => (follows.current ? element.scrollTo({ top: element.scrollHeight }) : look())
    const sizes = new ResizeObserver(grow)
    const children = new MutationObserver(grow)
    element.addEventListener('scroll', look, { passive: true })
    children.observe(element, { childList: true, subtree: true, characterData: true })
    sizes.observe(element)
    return () => {
      element.removeEventListener('scroll', look)
      children.disconnect()
      sizes.disconnect()
    }
  }, [])
  return { scroller, isBehind, toEnd }
}
