// The form's checks as a script: compiled here, because the page's security policy lets nothing be compiled in the browser.
import { type RJSFSchema, hashForSchema } from '@rjsf/utils'
import { compileSchemaValidatorsCode } from '@rjsf/validator-ajv8/compileSchemaValidators'
import createAjvInstance from '@rjsf/validator-ajv8/lib/createAjvInstance.js'
import Ajv2020 from 'ajv/dist/2020'
import standaloneCode from 'ajv/dist/standalone'

/** A module whose default export makes the checks; it is given what they are made with, as `require` would. */
export function formValidatorModule(schema: RJSFSchema): string {
  const code = isSimple(schema)
    ? compileSchemaValidatorsCode(schema, { AjvClass: Ajv2020 as never })
    : wholeCode(schema)
  return `export default function (require) {\nconst exports = {};\n${code}\nreturn exports;\n}\n`
}

/** The check of the whole alone. Without those of its parts the form does not guess which alternative is meant. */
function wholeCode(schema: RJSFSchema): string {
  const schemas = [{ ...schema, $id: schema.$id ?? hashForSchema(schema) }]
  const options = { schemas, code: { lines: true, source: true } }
  return standaloneCode(createAjvInstance(undefined, undefined, options, undefined, Ajv2020 as never))
}

/** Choices whose combinations are still few. */
const MOST_CHOICES = 8
const CHOICES = ['anyOf', 'oneOf', 'if', 'dependentSchemas']

/** The parts of a schema that refers to itself are without end, and those of many choices are too many. */
function isSimple(schema: RJSFSchema): boolean {
  const keywords = keywordsIn(schema)
  return !keywords.includes('$ref') && keywords.filter(keyword => CHOICES.includes(keyword)).length <= MOST_CHOICES
}

function keywordsIn(value: unknown): string[] {
  if (typeof value !== 'object' || value === null) return []
  return Object.entries(value).flatMap(([keyword, inner]) => [keyword, ...keywordsIn(inner)])
}
