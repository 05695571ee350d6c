// Compiles the form's validator on the server, because the page's Content-Security-Policy forbids compiling code.
import { type RJSFSchema, hashForSchema } from '@rjsf/utils'
import { compileSchemaValidatorsCode } from '@rjsf/validator-ajv8/compileSchemaValidators'
import createAjvInstance from '@rjsf/validator-ajv8/lib/createAjvInstance.js'
import Ajv2020 from 'ajv/dist/2020'
import standaloneCode from 'ajv/dist/standalone'

/** A module whose default export creates the validator, given a `require` for its dependencies. */
export function formValidatorModule(schema: RJSFSchema): string {
  const code = isSimple(schema)
    ? compileSchemaValidatorsCode(schema, { AjvClass: Ajv2020 as never })
    : wholeCode(schema)
  return `export default function (require) {\nconst exports = {};\n${code}\nreturn exports;\n}\n`
}

/**
 * The validator of the whole schema only. Without those of its parts the form does not guess the chosen alternative.
 */
function wholeCode(schema: RJSFSchema): string {
  const schemas = [{ ...schema, $id: schema.$id ?? hashForSchema(schema) }]
  const options = { schemas, code: { lines: true, source: true } }
  return standaloneCode(createAjvInstance(undefined, undefined, options, undefined, Ajv2020 as never))
}

/** Maximum number of alternatives, whose combinations multiply. */
const MAX_CHOICES = 8
const CHOICES = ['anyOf', 'oneOf', 'if', 'dependentSchemas']

/** False for recursive schemas, which have unlimited parts, and for schemas with too many alternatives. */
function isSimple(schema: RJSFSchema): boolean {
  const keywords = keywordsIn(schema)
  return !keywords.includes('$ref') && keywords.filter(keyword => CHOICES.includes(keyword)).length <= MAX_CHOICES
}

function keywordsIn(value: unknown): string[] {
  if (typeof value !== 'object' || value === null) return []
  return Object.entries(value).flatMap(([keyword, inner]) => [keyword, ...keywordsIn(inner)])
}
