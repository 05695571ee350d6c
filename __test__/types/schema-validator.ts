// SchemaValidator, as TypeScript sees it.
import {
  SchemaValidator,
  type JsonSchema,
  type SchemaIssue,
  type SchemaValidation,
  type ValidationIssue,
} from 'toolgate'

const schema: JsonSchema = { type: 'object', properties: { mail: { type: 'string', format: 'email' } } }
const validator = new SchemaValidator(schema, {
  formats: ['email', 'uuid'],
  remotes: { 'https://example.com/a.json': true },
})
const { valid, errors, value }: SchemaValidation = validator.validate({ mail: 'x' })
const first: SchemaIssue | undefined = errors[0]
const issue: ValidationIssue | undefined = first
const told: string = valid ? String(value) : `${first?.path} ${first?.keyword}: ${issue?.message}`
new SchemaValidator(true)
new SchemaValidator(schema, { formats: 'all' })
new SchemaValidator(schema, { formats: 'declared' })
void told
// @ts-expect-error no schema
new SchemaValidator()
// @ts-expect-error a schema is an object or a boolean
new SchemaValidator('{}')
// @ts-expect-error an unknown option
new SchemaValidator(schema, { format: 'all' })
// @ts-expect-error an unknown format
new SchemaValidator(schema, { formats: ['emial'] })
// @ts-expect-error findings have no such field
void errors[0]?.dataPath
