'use client'
import { useEffect, useState } from 'react'

/** Counts down to `until` (epoch milliseconds): a sentence while it lasts, then `null`. */
export function useTimeout(until: number): string | null {
  const [now, setNow] = useState(0)
  useEffect(() => {
    if (until <= Date.now()) return
    const tick = () => {
      setNow(Date.now())
      if (Date.now() >= until) clearInterval(timer)
    }
    const timer = setInterval(tick, 1000)
    tick()
    return () => clearInterval(timer)
  }, [until])
  const seconds = Math.ceil((until - now) / 1000)
  return now > 0 && seconds > 0 ? `Paused, ${wording(seconds)} left` : null
}

function wording(seconds: number): string {
  if (seconds < 60) return `${seconds} s`
  return seconds < 3600 ? `${Math.ceil(seconds / 60)} min` : `${Math.ceil(seconds / 3600)} h`
}
