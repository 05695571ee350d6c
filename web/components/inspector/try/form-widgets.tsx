'use client'
import { type EnumOptionsType, type RegistryWidgetsType, type WidgetProps, ariaDescribedByIds } from '@rjsf/utils'
import { Select } from '@/components/ui/field'
import styles from './schema-form.module.css'

/** Any of several values; an empty choice is left out. */
function Several({ id, options, value, disabled, readonly, onChange }: WidgetProps) {
  const chosen: unknown[] = Array.isArray(value) ? value : []
  const choose = (entry: unknown, isChosen: boolean) => {
    const next = isChosen ? [...chosen, entry] : chosen.filter(other => other !== entry)
    onChange(next.length === 0 ? undefined : next)
  }
  return (
    <div className={styles.several} id={id}>
      {(options.enumOptions ?? []).map((entry, place) => (
        <label key={place}>
          <input
            type="checkbox"
            disabled={disabled || readonly}
            checked={chosen.includes(entry.value)}
            onChange={({ target }) => choose(entry.value, target.checked)}
          />
          {textOf(entry)}
        </label>
      ))}
    </div>
  )
}

const textOf = ({ label, value }: EnumOptionsType) => (typeof value === 'boolean' ? String(value) : label)

/** The choice between the alternatives of a schema is a widget like any other, but one of them is always meant. */
const isAlternative = (id: string) => /__(one|any)of_select$/.test(id)

const SelectOrSeveral = (props: WidgetProps) => (props.multiple ? <Several {...props} /> : <Choice {...props} />)

/** One of several values, or none: what is left out is filled by the gate, and the form says with what. */
function Choice({
  id,
  schema,
  options,
  value,
  disabled,
  readonly,
  required,
  rawErrors,
  onChange,
  onBlur,
  onFocus,
}: WidgetProps) {
  const entries = options.enumOptions ?? []
  const chosen = entries.findIndex(entry => entry.value === value)
  const standard = schema.default === undefined ? '' : ` (then ${JSON.stringify(schema.default)})`
  return (
    <Select
      id={id}
      value={chosen < 0 ? '' : String(chosen)}
      disabled={disabled || readonly}
      aria-label={isAlternative(id) ? 'Which alternative' : undefined}
      aria-required={required}
      aria-invalid={rawErrors && rawErrors.length > 0 ? true : undefined}
      aria-describedby={ariaDescribedByIds(id)}
      onChange={({ target }) => onChange(entries[Number(target.value || NaN)]?.value)}
      onBlur={() => onBlur(id, value)}
      onFocus={() => onFocus(id, value)}
    >
      {!isAlternative(id) && <option value="">left out{standard}</option>}
      {entries.map((entry, place) => (
        <option key={place} value={place}>
          {textOf(entry)}
        </option>
      ))}
    </Select>
  )
}

/** A boolean has three states here: a box that is not ticked could be `false` or left out. */
export const formWidgets: RegistryWidgetsType = {
  SelectWidget: SelectOrSeveral,
  CheckboxesWidget: Several,
  CheckboxWidget: Choice,
  RadioWidget: Choice,
}
