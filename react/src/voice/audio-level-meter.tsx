'use client'
import { useEffect, useRef } from 'react'

interface Levels {
  microphone: number
  voice: number
}

const BAR = 3
const GAP = 2
const STEP_MS = 60

/**
 * The audio levels of the last seconds: the assistant above the line, the microphone below.
 * Decorative: the page's text has the same facts.
 */
export function AudioLevelMeter({ levels }: { levels: Levels }) {
  const canvas = useRef<HTMLCanvasElement>(null)
  useEffect(() => (canvas.current ? draw(canvas.current, levels) : undefined), [levels])
  return <canvas ref={canvas} data-toolgate="levels" aria-hidden="true" />
}

/** Draws until the returned function is called. */
function draw(canvas: HTMLCanvasElement, levels: Levels): () => void {
  const past: Levels[] = []
  const isStill = matchMedia('(prefers-reduced-motion: reduce)').matches
  let drawnAt = 0
  let frame = requestAnimationFrame(function next(now) {
    frame = requestAnimationFrame(next)
    if (now - drawnAt < STEP_MS) return
    drawnAt = now
    past.unshift({ ...levels })
    past.length = Math.min(past.length, 400)
    // With reduced motion: the current level only, along the whole line.
    paint(canvas, isStill ? Array<Levels>(400).fill(levels) : past)
  })
  return () => cancelAnimationFrame(frame)
}

function paint(canvas: HTMLCanvasElement, past: Levels[]): void {
  const { clientWidth: width, clientHeight: height } = canvas
  const ratio = devicePixelRatio
  if (canvas.width !== width * ratio || canvas.height !== height * ratio)
    Object.assign(canvas, { width: width * ratio, height: height * ratio })
  const context = canvas.getContext('2d')
  if (!context) return
  const style = getComputedStyle(canvas)
  context.setTransform(ratio, 0, 0, ratio, 0, 0)
  context.clearRect(0, 0, width, height)
  const middle = height / 2
  for (let index = 0; index * (BAR + GAP) < width; index += 1) {
    const { voice, microphone } = past[index] ?? { voice: 0, microphone: 0 }
    const x = width - (index + 1) * (BAR + GAP)
    context.fillStyle = style.color
    const above = 1 + heightOf(voice, middle)
    context.fillRect(x, middle - above, BAR, above)
    context.fillStyle = style.accentColor
    context.fillRect(x, middle + 1, BAR, heightOf(microphone, middle))
  }
}

/** Perceived loudness: speech has some hundredths of full scale. */
function heightOf(level: number, most: number): number {
  return Math.min(1, Math.sqrt(level) * 1.6) * (most - 2)
}
