// What a user has written in the form of a question, and the arguments that it means.
import type { ArgumentField } from './argument-fields.js'
import { isMoment, localInputOf, momentOfInput } from '../text/local-time.js'

/** Name → the text of its control; empty: no value. */
export type Draft = Record<string, string>

export interface DraftArgs {
  /** All arguments; what was not changed is as it was shown. */
  args: Record<string, unknown>
  /** The names of those that were changed. */
  changed: string[]
  /** Name → why its text means no value. */
  problems: Record<string, string>
}

type Args = Record<string, unknown>

/** The controls' texts of the arguments as they are shown. `json` writes what has no control of its own. */
export const draftOf = (fields: ArgumentField[], args: Args, json: (value: unknown) => string): Draft =>
  Object.fromEntries(fields.map(({ name, kind }) => [name, textOf(kind, own(args, name), json)]))

function textOf(kind: ArgumentField['kind'], value: unknown, json: (value: unknown) => string): string {
  if (value === undefined) return ''
  if (kind === 'json') return json(value)
  if (kind === 'texts') return (value as string[]).join('\n')
  return kind === 'moment' && isMoment(value) ? localInputOf(value) : String(value)
}

/** @param before the draft of the arguments as they are shown: a text that is still the same stands for its own value */
export function argsOfDraft(fields: ArgumentField[], shown: Args, before: Draft, draft: Draft): DraftArgs {
  const problems: Record<string, string> = {}
  const changed = fields.filter(({ name, kind }) => kind !== 'masked' && draft[name] !== before[name])
  const args = new Map(Object.entries(shown))
  for (const field of changed) {
    const { value, problem } = valueOf(field, draft[field.name] ?? '')
    if (problem !== undefined) problems[field.name] = problem
    else if (value === undefined) args.delete(field.name)
    else args.set(field.name, value)
  }
  return { args: Object.fromEntries(args), changed: changed.map(({ name }) => name), problems }
}

function valueOf({ kind, isRequired }: ArgumentField, text: string): { value?: unknown; problem?: string } {
  if (text === '' && !isRequired) return {}
  switch (kind) {
    case 'number':
    case 'integer':
      return text.trim() === '' || !Number.isFinite(Number(text))
        ? { problem: 'must be a number' }
        : { value: Number(text) }
    case 'boolean':
      return text === '' ? { problem: 'must be yes or no' } : { value: text === 'true' }
    case 'texts':
      return { value: text.split('\n').filter(line => line.trim() !== '') }
    case 'moment': {
      const value = momentOfInput(text)
      return value === null ? { problem: 'must be a date and a time' } : { value }
    }
    case 'json':
      return jsonOf(text)
    default:
      return { value: text }
  }
}

function jsonOf(text: string): { value?: unknown; problem?: string } {
  try {
    return { value: JSON.parse(text) }
  } catch {
    return { problem: 'must be JSON: a text stands in double quotes' }
  }
}

/** The value of an own member. */
export const own = (args: Args, name: string): unknown => (Object.hasOwn(args, name) ? args[name] : undefined)
