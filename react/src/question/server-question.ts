// The question of a server: its user answers it in a form of the server's fields. What comes back are the arguments of the built-in
// tool `server_question` with the answers in `content`.

type Schema = Record<string, unknown>
type Args = Record<string, unknown>

interface Asked {
  requestedSchema: { properties: Record<string, Schema>; required?: string[] }
}

interface AnswerField {
  /** In the form. */
  name: string
  request: string
  field: string
  schema: Schema
  isRequired: boolean
}

export interface AnswerForm {
  /** The schema of the form. */
  parameters: Schema
  /** What its fields have at first. */
  args: Args
  /** The arguments of the answer. */
  answered(values: Args): Args
}

/** The form of a question that a server asks; null for a question about a call. */
export function answerForm({ tool, args }: { tool: string; args: Args }): AnswerForm | null {
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
    answered: values => ({ ...args, content: contentOf(fields, args, values) }),
  }
}

const requestsOf = (args: Args) => Object.entries((args.requests ?? {}) as Record<string, Asked>)

/** The fields of several requests have a number before their names. */
function fieldsOf(args: Args): AnswerField[] {
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

/** Choices with titles are shown by their values, which are what is sent. */
function withPlainChoices(schema: Schema): Schema {
  const { oneOf, ...rest } = schema
  return Array.isArray(oneOf) ? { ...rest, enum: oneOf.map(one => one.const) } : schema
}

function contentOf(fields: AnswerField[], args: Args, values: Args): Record<string, Args> {
  const content = new Map(requestsOf(args).map(([request]) => [request, new Map<string, unknown>()]))
  for (const { name, request, field } of fields)
    if (Object.hasOwn(values, name)) content.get(request)?.set(field, values[name])
  return Object.fromEntries([...content].map(([request, answer]) => [request, Object.fromEntries(answer)]))
}
