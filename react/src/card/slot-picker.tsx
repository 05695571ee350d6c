'use client'
import { CalendarClock } from 'lucide-react'
import { Button } from '../controls/button.js'
import { momentText, zoneOfPage } from '../text/local-time.js'

/** Free times, exact with their UTC offset. */
export interface SlotChoice {
  title: string
  slots: { start: string; end: string }[]
}

interface SlotPickerProps {
  choice: SlotChoice
  /** Absent while no message can be sent. */
  onPick?(request: string): void
}

/** Free times to choose from. A choice is a message to the assistant, which asks for the event: nothing is booked here. */
export function SlotPicker({ choice, onPick }: SlotPickerProps) {
  const { title, slots } = choice
  return (
    <section data-toolgate="slots" aria-label={title}>
      <header>
        <CalendarClock size={15} aria-hidden="true" />
        <p data-part="title">{title}</p>
        <span data-toolgate="hint">times in {zoneOfPage()}</span>
      </header>
      {slots.length === 0 ? (
        <p data-toolgate="hint">No free time in this range.</p>
      ) : (
        <ul>
          {slots.map(({ start, end }) => (
            <li key={start}>
              <Button size="s" disabled={!onPick} onClick={() => onPick?.(requestOf(title, start, end))}>
                <time dateTime={start}>{momentText(start)}</time>
              </Button>
            </li>
          ))}
        </ul>
      )}
    </section>
  )
}

/** Exact times with their offset, so that the model has nothing to convert. */
function requestOf(title: string, start: string, end: string): string {
  return `Schedule "${title}" from ${start} to ${end}`
}
