// The fields of a form in which a user changes the arguments of a question: made from the tool's schema.

/** `json`: anything that has no control of its own, as JSON text. `masked`: sensitive, shown and left as it is. */
export type FieldKind =
  'text' | 'long' | 'number' | 'integer' | 'boolean' | 'choice' | 'moment' | 'texts' | 'json' | 'masked'

export interface ArgumentField {
  name: string
  title?: string
  kind: FieldKind
  isRequired: boolean
  /** Of a `choice`. */
  choices?: string[]
  /** What choices are called, by value. Of a server's question alone: an argument is shown as it runs. */
  titles?: ReadonlyMap<string, string>
}

type Schema = Record<string, unknown>

/** Whether a control shows all characters of a text. */
type IsVisible = (text: string) => boolean

/** Texts from this length on get several lines. */
const LONG_TEXT = 120
const MAX_REFERENCES = 8
/** How the core shows a sensitive value. */
const MASK = '***'

/**
 * A field for each property of the schema, in its order, and for each other argument.
 * @param sensitive the arguments that are sensitive, or have sensitive parts
 */
export function argumentFields(
  parameters: unknown,
  args: Record<string, unknown>,
  isVisible: IsVisible,
  sensitive: readonly string[] = [],
): ArgumentField[] {
  const root = isSchema(parameters) ? parameters : {}
  const properties = isSchema(root.properties) ? root.properties : {}
  const required = Array.isArray(root.required) ? root.required : []
  const names = new Set([...Object.keys(properties), ...Object.keys(args)])
  return [...names]
    .map(name => {
      const schema = resolved(properties[name], root)
      const choices = choicesOf(schema, isVisible)
      const isMasked = sensitive.includes(name) && schema.type !== 'object'
      const kind = isMasked ? 'masked' : kindOf(schema, Object.hasOwn(args, name) ? args[name] : undefined, isVisible)
      const title = typeof schema.title === 'string' ? schema.title : undefined
      return { name, title, kind, isRequired: required.includes(name), ...(kind === 'choice' && { choices }) }
    })
    .filter(({ name, kind }) => kind !== 'masked' || Object.hasOwn(args, name))
}

/**
 * What is wrong with an argument, in the words of its form: the gate names places by JSON Pointers.
 * @param problem such as "`/seats` must be at least 1"
 */
export function problemOf({ name, title }: Pick<ArgumentField, 'name' | 'title'>, problem: string): string {
  const place = /^`\/([^`/]*)(?:\/(\d+))?`/.exec(problem)
  if (place === null || place[1] !== name.replaceAll('~', '~0').replaceAll('/', '~1')) return problem
  const item = place[2] === undefined ? '' : ` ${Number(place[2]) + 1}`
  return `${title ?? name}${item}${problem.slice(place[0].length)}`
}

function kindOf(schema: Schema, value: unknown, isVisible: IsVisible): FieldKind {
  const kind = kindOfSchema(schema, isVisible)
  if (value === MASK) return 'masked'
  return value === undefined || fits(kind, schema, value, isVisible) ? kind : 'json'
}

function kindOfSchema(schema: Schema, isVisible: IsVisible): FieldKind {
  const { type, format, maxLength } = schema
  if (schema.enum !== undefined) return choicesOf(schema, isVisible) ? 'choice' : 'json'
  if (type === 'number' || type === 'integer' || type === 'boolean') return type
  if (type === 'array') return isSchema(schema.items) && isPlainText(schema.items) ? 'texts' : 'json'
  if (type !== 'string') return 'json'
  if (format === 'date-time') return 'moment'
  return typeof maxLength !== 'number' || maxLength > LONG_TEXT ? 'long' : 'text'
}

/** Whether the control shows the value, whole and as it is: hidden characters are seen only as escapes of JSON. */
function fits(kind: FieldKind, schema: Schema, value: unknown, isVisible: IsVisible): boolean {
  switch (kind) {
    case 'number':
    case 'integer':
      return typeof value === 'number'
    case 'boolean':
      return typeof value === 'boolean'
    case 'choice':
      return choicesOf(schema, isVisible)?.includes(value as string) === true
    case 'texts':
      return Array.isArray(value) && value.every(one => typeof one === 'string' && one !== '' && isVisible(one))
    case 'long':
      return typeof value === 'string' && isVisible(value.replaceAll('\n', ''))
    default:
      return typeof value === 'string' && isVisible(value)
  }
}

const isPlainText = ({ type, enum: choices }: Schema): boolean => type === 'string' && choices === undefined

function choicesOf({ enum: choices }: Schema, isVisible: IsVisible): string[] | undefined {
  const isOfTexts =
    Array.isArray(choices) && choices.every(one => typeof one === 'string' && one !== '' && isVisible(one))
  return isOfTexts ? choices : undefined
}

/** A schema, or the definition of the same document that it refers to. */
function resolved(schema: unknown, root: Schema): Schema {
  let found = schema
  for (let steps = 0; isSchema(found) && typeof found.$ref === 'string' && steps < MAX_REFERENCES; steps += 1) {
    const [document, ...names] = found.$ref.split('/').map(nameOf)
    if (document !== '#') return {}
    found = names.reduce<unknown>((at, name) => (isSchema(at) && Object.hasOwn(at, name) ? at[name] : undefined), root)
  }
  return isSchema(found) ? found : {}
}

/** A name in a reference: a URI's fragment, of a JSON Pointer. */
function nameOf(token: string): string {
  try {
    return decodeURIComponent(token).replaceAll('~1', '/').replaceAll('~0', '~')
  } catch {
    return token
  }
}

const isSchema = (value: unknown): value is Schema =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
