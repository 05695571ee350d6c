'use client'
import { useState } from 'react'
import { visible } from '../text/visible-text.js'
import { type Draft, argsOfDraft, draftOf } from '../question/argument-draft.js'
import type { ArgumentField } from '../question/argument-fields.js'
import type { Refusal } from '../question/card-outcome.js'

interface EditedQuestion {
  args: Record<string, unknown>
  fields?: ArgumentField[]
  /** Whether it is a form to be filled in: it has begun. */
  isForm: boolean
}

/** The changes that a user makes to a question's arguments; `draft` is null until they begin. */
export function useArgumentEdit({ args, fields = [], isForm }: EditedQuestion, refusal: Refusal | undefined) {
  const [draft, setDraft] = useState<Draft | null>(() => (isForm ? draftOf(fields, args, visible.json) : null))
  /** The fields that were changed since the refusal: what it says about them no longer holds. */
  const [touched, setTouched] = useState<{ refusal?: Refusal; names: string[] }>({ names: [] })
  const before = draftOf(fields, args, visible.json)
  const wanted = argsOfDraft(fields, args, before, draft ?? before)
  const isTouched = (name: string) => touched.refusal === refusal && touched.names.includes(name)
  const refused = Object.entries(refusal?.fields ?? {}).filter(([name]) => !isTouched(name))
  const known = new Set(fields.map(({ name }) => name))
  // An argument without a field.
  const other = refused.filter(([name]) => !known.has(name)).map(([, problem]) => problem)
  return {
    fields,
    /** Whether there is anything that the user may change. */
    isPossible: fields.some(({ kind }) => kind !== 'masked'),
    draft,
    wanted,
    isChanged: wanted.changed.length > 0,
    hasProblem: Object.keys(wanted.problems).length > 0,
    /** What is wrong with no field. */
    problem: refusal?.message ?? other[0],
    problems: { ...Object.fromEntries(refused), ...wanted.problems },
    begin: () => setDraft(before),
    cancel: () => setDraft(null),
    change(name: string, text: string) {
      setDraft(known => ({ ...(known ?? before), [name]: text }))
      setTouched(known => ({ refusal, names: known.refusal === refusal ? [...known.names, name] : [name] }))
    },
  }
}

export type ArgumentEdit = ReturnType<typeof useArgumentEdit>
