// What a settled card shows of the answer of its call.
import type { ToolResponse } from 'toolgate'
import { readError } from '../text/read-error.js'
import { isMoment, momentWithZone, periodWithZone } from '../text/local-time.js'

interface Period {
  start: string
  end: string
}

const MOST_PERIODS = 20

/** The result's data, or the free times that a CONFLICT of a calendar tool offers instead. */
export function outcomeOf(response: ToolResponse): { data?: unknown; freeTimes?: Period[] } {
  if (response.ok) return { data: response.data }
  const { free_slots: offered } = (response.error?.details ?? {}) as { free_slots?: unknown }
  const areTimes = Array.isArray(offered) && offered.length <= MOST_PERIODS && offered.every(isPeriod)
  return areTimes ? { freeTimes: offered } : {}
}

function isPeriod(value: unknown): value is Period {
  const { start, end } = (value ?? {}) as Partial<Period>
  return isMoment(start) && isMoment(end)
}

/** What came of the call in words, by what the results of most tools have: a title, and a time. */
export function outcomeWords(data: unknown): string {
  const { title, name, start, end } = (data ?? {}) as Record<string, unknown>
  const what = typeof title === 'string' ? title : name
  const time = isMoment(start) ? (isMoment(end) ? periodWithZone(start, end) : momentWithZone(start)) : null
  const said = [typeof what === 'string' && what !== '' ? `“${what}”` : null, time].filter(part => part !== null)
  return said.length === 0 ? 'Done.' : `Done: ${said.join(', ')}.`
}

/** A finding of a VALIDATION. */
type Issue = { instancePath: string; message: string }

function isIssue(value: unknown): value is Issue {
  const { instancePath, message } = (value ?? {}) as Partial<Issue>
  return typeof instancePath === 'string' && typeof message === 'string'
}

/** Why the gate refused a user's changes: nothing has run, and the question is still pending. */
export interface Refusal {
  /** Argument → what is wrong with it. */
  fields: Record<string, string>
  /** What is wrong with no single argument. */
  message?: string
}

/** The refusal in the answer of a route. Null for one of another kind, such as that of a call that ran. */
export function refusalOf(text: string): Refusal | null {
  const { response, error } = parsed(text)
  const { type, message } = readError(text)
  // The route's own refusals have no response: a body that is too large, or of another shape.
  const isRefused = response ? type === 'VALIDATION' && response.meta?.attempts === undefined : error !== undefined
  if (!isRefused || !(type === 'VALIDATION' || type === 'TOO_LARGE')) return null
  return refusalIn(message, response?.error?.details)
}

/** @param details of a VALIDATION */
export function refusalIn(message: string, details: unknown): Refusal {
  const issues = Array.isArray(details) && details.every(isIssue) ? details : []
  const fields: Record<string, string> = {}
  for (const { instancePath, message: problem } of issues) {
    const [name] = stepsOf(instancePath)
    // What no argument is named for is in the message, like everything else.
    if (name === undefined) return { fields: {}, message }
    fields[name] ??= problem
  }
  return Object.keys(fields).length > 0 ? { fields } : { fields, message }
}

/** Empty for the page of a proxy. */
function parsed(text: string) {
  try {
    return JSON.parse(text)
  } catch {
    return {}
  }
}

/** Changes as the card shows them. @param sent the arguments that the user sent */
export function changesOf(
  edits: { path: string; value?: unknown }[],
  shown: Record<string, unknown>,
  sent: Record<string, unknown>,
): Change[] {
  return edits.map(edit => {
    const isRemoved = !('value' in edit) && valueAt(sent, edit.path) === undefined
    return { name: placeName(edit.path), before: valueAt(shown, edit.path), after: edit.value, isRemoved }
  })
}

/** A change that the user made; `after` is undefined if the value was removed or is long. */
export interface Change {
  name: string
  before: unknown
  after: unknown
  isRemoved: boolean
}

const valueAt = (args: unknown, path: string): unknown =>
  stepsOf(path).reduce<unknown>(
    (at, name) =>
      typeof at === 'object' && at !== null && Object.hasOwn(at, name)
        ? (at as Record<string, unknown>)[name]
        : undefined,
    args,
  )

/** The names and indexes of a JSON pointer, joined as in the rows of arguments. */
export const placeName = (path: string): string => (path === '' ? 'arguments' : stepsOf(path).join('.'))

const stepsOf = (path: string): string[] =>
  path
    .split('/')
    .slice(1)
    .map(step => step.replaceAll('~1', '/').replaceAll('~0', '~'))

/** Whether a refused or failed answer leaves open what came of its call: it may have run, or run on. */
export function isOutcomeUnknown(response: ToolResponse): boolean {
  if (response.ok) return false
  const { type, partialSideEffects, details } = response.error
  const { outcome, reason } = (details ?? {}) as { outcome?: unknown; reason?: unknown }
  return (
    outcome === 'unknown' ||
    outcome === 'continues' ||
    (type === 'TRANSIENT' && reason === 'timeout' && partialSideEffects)
  )
}
