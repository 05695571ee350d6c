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

/** The element that scrolls: in little room, the page around the conversation. */
const moving = (element: HTMLElement): HTMLElement =>
  getComputedStyle(element).overflowY === 'visible' ? (element.parentElement ?? element) : element

/** How far its end is below the view. */
function below(element: HTMLElement): number {
  const box = moving(element)
  // What stands below the conversation is not waited for.
  const end =
    box === element ? box.scrollHeight : element.offsetTop - box.offsetTop + element.offsetHeight + footHeight(element)
  return end - box.scrollTop - box.clientHeight
}

const footHeight = (element: HTMLElement): number =>
  (element.nextElementSibling as HTMLElement | null)?.offsetHeight ?? 0

const scrollToEnd = (element: HTMLElement) => moving(element).scrollBy({ top: below(element) })

/** Keeps the end of growing content in view, unless the reader has scrolled away from it. */
export function useStickToBottom(): StickToBottom {
  const scroller = useRef<HTMLDivElement>(null)
  // Initial content is shown from its beginning.
  const follows = useRef(false)
  const [isBehind, setIsBehind] = useState(false)

  const toEnd = useCallback(() => {
    follows.current = true
    setIsBehind(false)
    if (scroller.current) scrollToEnd(scroller.current)
  }, [])

  useEffect(() => {
    const element = scroller.current
    if (!element) return
    const look = () => {
      follows.current = below(element) < NEAR_PX
      setIsBehind(!follows.current)
    }
    const grow = () => (follows.current ? scrollToEnd(element) : look())
    const sizes = new ResizeObserver(grow)
    const children = new MutationObserver(grow)
    // Of the page as well.
    const around = element.parentElement ?? element
    around.addEventListener('scroll', look, { passive: true, capture: true })
    children.observe(element, { childList: true, subtree: true, characterData: true })
    sizes.observe(element)
    return () => {
      around.removeEventListener('scroll', look, { capture: true })
      children.disconnect()
      sizes.disconnect()
    }
  }, [])
  return { scroller, isBehind, toEnd }
}
