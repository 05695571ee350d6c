// What a settled card shows of the answer of its call.
import type { ToolResponse } from 'toolgate'
import { z } from 'zod'
import { isMoment, momentWithZone, periodWithZone } from './local-time'

const period = z.object({ start: z.iso.datetime({ offset: true }), end: z.iso.datetime({ offset: true }) })
/** `details` of a CONFLICT of a calendar tool. */
const conflict = z.object({ free_slots: z.array(period).max(20) })

/** The result's data, or the free times that a conflict offers instead. */
export function outcomeOf(response: ToolResponse): { data?: unknown; freeTimes?: z.infer<typeof period>[] } {
  if (response.ok) return { data: response.data }
  const offered = conflict.safeParse(response.error?.details)
  return offered.success ? { freeTimes: offered.data.free_slots } : {}
}

/** What came of the call in words, by what the results of most tools have: a title, and a time. */
export function outcomeWords(data: unknown): string {
  const { title, name, start, end } = (data ?? {}) as Record<string, unknown>
  const what = typeof title === 'string' ? title : name
  const time = isMoment(start) ? (isMoment(end) ? periodWithZone(start, end) : momentWithZone(start)) : null
  const said = [typeof what === 'string' && what !== '' ? `“${what}”` : null, time].filter(part => part !== null)
  return said.length === 0 ? 'Done.' : `Done: ${said.join(', ')}.`
}
