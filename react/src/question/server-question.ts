// The question of a server: its user answers it in a form of the server's fields. What comes back are the arguments of the built-in
// tool `server_question` with the answers in `content`.

type AnswerSchema = Record<string, unknown>
type QuestionArgs = Record<string, unknown>

interface AskedRequest {
  requestedSchema: { properties: Record<string, AnswerSchema>; required?: string[] }
}

interface AnswerField {
  /** In the form. */
  name: string
  request: string
  field: string
  schema: AnswerSchema
  isRequired: boolean
}

export interface AnswerForm {
  /** The schema of the form. */
  parameters: AnswerSchema
  /** What its fields have at first. */
  args: QuestionArgs
  /** What the choices of a field are called, by value. */
  titlesOf(field: string): ReadonlyMap<string, string>
  /** The arguments of the answer. */
  answered(values: QuestionArgs): QuestionArgs
}

/** The form of a question that a server asks; null for a question about a call. */
export function answerForm({ tool, args }: { tool: string; args: QuestionArgs }): AnswerForm | null {
  if (tool !== 'server_question') return null
  const fields = fieldsOf(args)
  const given = fields.filter(({ schema }) => schema.default !== undefined)
  return {
    parameters: {
      type: 'object',
      properties: Object.fromEntries(fields.map(({ name, schema }) => [name, withPlainChoices(schema)])),
      required: fields.filter(({ isRequired }) => isRequired).map(({ name }) => name),
    },
    args: Object.fromEntries(given.map(({ name, schema }) => [name, schema.default])),
    titlesOf: field => titlesOf(fields.find(({ name }) => name === field)?.schema ?? {}),
    answered: values => ({ ...args, content: contentOf(fields, args, values) }),
  }
}

const requestsOf = (args: QuestionArgs) => Object.entries((args.requests ?? {}) as Record<string, AskedRequest>)

/** The fields of several requests have a number before their names. */
function fieldsOf(args: QuestionArgs): AnswerField[] {
  const requests = requestsOf(args)
  return requests.flatMap(([request, { requestedSchema }], place) =>
    Object.entries(requestedSchema.properties).map(([field, schema]) => ({
      name: requests.length === 1 ? field : `${place + 1}.${field}`,
      request,
      field,
      schema: { title: field, ...schema },
      isRequired: requestedSchema.required?.includes(field) === true,
    })),
  )
}

interface TitledChoice {
  const: string
  title: string
}

/** The values of choices are what is sent. */
function withPlainChoices(schema: AnswerSchema): AnswerSchema {
  const { oneOf, ...rest } = schema
  return Array.isArray(oneOf) ? { ...rest, enum: oneOf.map(one => one.const) } : schema
}

function titlesOf({ oneOf, enum: values, enumNames }: AnswerSchema): ReadonlyMap<string, string> {
  if (Array.isArray(oneOf)) return new Map(oneOf.map((one: TitledChoice) => [one.const, one.title]))
  const names: string[] = Array.isArray(enumNames) ? enumNames : []
  const known = Array.isArray(values) ? (values as string[]) : []
  return new Map(known.map((value, place) => [value, names[place] ?? value]))
}

function contentOf(fields: AnswerField[], args: QuestionArgs, values: QuestionArgs): Record<string, QuestionArgs> {
  const content = new Map(requestsOf(args).map(([request]) => [request, new Map<string, unknown>()]))
  for (const { name, request, field } of fields)
    if (Object.hasOwn(values, name)) content.get(request)?.set(field, values[name])
  return Object.fromEntries([...content].map(([request, answer]) => [request, Object.fromEntries(answer)]))
}
