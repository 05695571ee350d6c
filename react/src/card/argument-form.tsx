'use client'
import { Field, type FieldControl, Input, Select, TextArea } from '../controls/field.js'
import { type ArgumentField, problemOf } from '../question/argument-fields.js'
import { zoneOfPage } from '../text/local-time.js'
import type { ArgumentEdit } from './use-argument-edit.js'

interface ArgumentFormProps {
  edit: ArgumentEdit
  /** A problem of no field. */
  problem?: string
  disabled: boolean
}

/**
 * The arguments of a question with a control for each. It is no form of HTML, in which the Enter key would approve: only the
 * button does.
 */
export function ArgumentForm({ edit, problem, disabled }: ArgumentFormProps) {
  const { fields, draft, wanted, problems, change } = edit
  return (
    <fieldset data-toolgate="argument-form" disabled={disabled}>
      <legend data-toolgate="unseen">Change the arguments</legend>
      {problem && (
        <p data-toolgate="error" role="alert">
          {problem}
        </p>
      )}
      {fields.map(field => (
        <Field
          key={field.name}
          label={<Label field={field} isChanged={wanted.changed.includes(field.name)} />}
          hint={hintOf(field)}
          error={errorOf(field, problems[field.name])}
          isChanged={wanted.changed.includes(field.name)}
        >
          {control => (
            <Control
              field={field}
              control={control}
              text={draft?.[field.name] ?? ''}
              onChange={text => change(field.name, text)}
            />
          )}
        </Field>
      ))}
    </fieldset>
  )
}

const errorOf = (field: ArgumentField, problem: string | undefined) =>
  problem === undefined ? undefined : problemOf(field, problem)

function Label({ field: { name, title, kind, isRequired }, isChanged }: { field: ArgumentField; isChanged: boolean }) {
  return (
    <>
      <bdi>{title ?? name}</bdi>
      {!isRequired && kind !== 'masked' && <span data-toolgate="note"> (optional)</span>}
      {isChanged && <span data-toolgate="changed"> changed</span>}
    </>
  )
}

function hintOf({ kind }: ArgumentField): string | undefined {
  if (kind === 'masked') return 'Sensitive: not shown, and not to be changed.'
  if (kind === 'texts') return 'One per line.'
  if (kind === 'json') return 'As JSON: texts in double quotes.'
  return kind === 'moment' ? `Time in ${zoneOfPage()}.` : undefined
}

interface ControlProps {
  field: ArgumentField
  control: FieldControl
  text: string
  onChange(text: string): void
}

function Control({ field, control, text, onChange }: ControlProps) {
  const { kind, choices = [], titles, isRequired } = field
  const shared = {
    ...control,
    value: text,
    onChange: ({ target }: { target: { value: string } }) => onChange(target.value),
  }
  switch (kind) {
    case 'masked':
      return <Input {...control} value={text} readOnly data-kind="masked" />
    case 'number':
    case 'integer':
      return <Input {...shared} inputMode="decimal" autoComplete="off" />
    case 'moment':
      return <Input {...shared} type="datetime-local" step={text.length > 16 ? 1 : 60} />
    case 'boolean':
      return <Choice {...shared} isRequired={isRequired} options={YES_NO} />
    case 'choice':
      return <Choice {...shared} isRequired={isRequired} options={choices.map(one => [one, titles?.get(one) ?? one])} />
    case 'text':
      return <Input {...shared} autoComplete="off" />
    default:
      return (
        <TextArea
          {...shared}
          rows={rowsOf(text)}
          dir={kind === 'json' ? 'ltr' : 'auto'}
          data-kind={kind}
          spellCheck={kind === 'long'}
        />
      )
  }
}

const YES_NO: [string, string][] = [
  ['true', 'yes'],
  ['false', 'no'],
]

interface ChoiceProps extends FieldControl {
  value: string
  isRequired: boolean
  /** Values with their words. */
  options: [string, string][]
  onChange(event: { target: { value: string } }): void
}

function Choice({ isRequired, options, ...control }: ChoiceProps) {
  return (
    <Select {...control}>
      {(!isRequired || control.value === '') && <option value="">none</option>}
      {options.map(([value, word]) => (
        <option key={value} value={value}>
          {word}
        </option>
      ))}
    </Select>
  )
}

/** Lines to show, within what a card can hold; wrapped lines count about. */
const rowsOf = (text: string): number =>
  Math.min(
    text.split('\n').reduce((lines, line) => lines + 1 + Math.floor(line.length / 60), 0),
    10,
  )
