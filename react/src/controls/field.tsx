import { type ComponentProps, type ReactNode, useId } from 'react'

/** Attributes that connect a control with its label, hint and error. */
export interface FieldControl {
  id: string
  'aria-describedby'?: string
  'aria-invalid'?: true
}

interface FieldProps {
  label: ReactNode
  hint?: ReactNode
  error?: ReactNode
  /** Whether its user has changed it. */
  isChanged?: boolean
  /** Renders the control with the given attributes. */
  children(control: FieldControl): ReactNode
}

export function Field({ label, hint, error, isChanged, children }: FieldProps) {
  const id = useId()
  const described = [hint && `${id}-hint`, error && `${id}-error`].filter(Boolean).join(' ')
  return (
    <div data-toolgate="field" data-changed={isChanged || undefined}>
      <label htmlFor={id}>{label}</label>
      {children({ id, 'aria-describedby': described || undefined, 'aria-invalid': error ? true : undefined })}
      {hint && (
        <p id={`${id}-hint`} data-toolgate="hint">
          {hint}
        </p>
      )}
      {error && (
        <p id={`${id}-error`} data-toolgate="error">
          {error}
        </p>
      )}
    </div>
  )
}

export function Input(attributes: ComponentProps<'input'>) {
  return <input dir="auto" data-toolgate="control" {...attributes} />
}

export function TextArea(attributes: ComponentProps<'textarea'>) {
  return <textarea dir="auto" data-toolgate="control" {...attributes} />
}

export function Select(attributes: ComponentProps<'select'>) {
  return <select data-toolgate="control" {...attributes} />
}
