'use client'
import { useEffect, useState } from 'react'

/** Seconds until `until` (epoch milliseconds), counting down; 0 afterwards, `null` before the first tick. */
export function useCountdown(until: number): number | null {
  const [now, setNow] = useState<number | null>(null)
  useEffect(() => {
    const tick = () => {
      setNow(Date.now())
      if (Date.now() >= until) clearInterval(timer)
    }
    const timer = setInterval(tick, 1000)
    tick()
    return () => clearInterval(timer)
  }, [until])
  return now === null ? null : Math.max(0, Math.ceil((until - now) / 1000))
}

/** Formats as `4:05`, or with hours as `2:04:05`. */
export function clockTime(seconds: number): string {
  const [hours, minutes, rest] = [Math.floor(seconds / 3600), Math.floor(seconds / 60) % 60, seconds % 60]
  const two = (value: number) => String(value).padStart(2, '0')
  return hours > 0 ? `${hours}:${two(minutes)}:${two(rest)}` : `${minutes}:${two(rest)}`
}
