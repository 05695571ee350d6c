'use client'
import { type RefObject, useCallback, useEffect, useRef, useState } from 'react'

/** Pixels from the end within which the view follows new content. */
const NEAR_PX = 80

interface StickToBottom {
  scroller: RefObject<HTMLDivElement | null>
  /** Whether there is unseen content below. */
  isBehind: boolean
  toEnd(): void
}

/** Keeps the end of growing content in view, unless the reader has scrolled away from it. */
export function useStickToBottom(): StickToBottom {
  const scroller = useRef<HTMLDivElement>(null)
  // Initial content is shown from its beginning.
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
