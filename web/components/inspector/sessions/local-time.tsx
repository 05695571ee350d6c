'use client'

/** A time of this browser's clock and zone; the server's until the page is awake. */
export function LocalTime({ time }: { time: number }) {
  const date = new Date(time)
  return (
    <time dateTime={date.toISOString()} suppressHydrationWarning>
      {date.toLocaleString(undefined, { dateStyle: 'short', timeStyle: 'medium' })}
    </time>
  )
}
