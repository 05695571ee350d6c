// The form's checks as a script: compiled here, because the page's security policy lets nothing be compiled in the browser.
import { compileSchemaValidatorsCode } from '@rjsf/validator-ajv8/compileSchemaValidators'
import Ajv2020 from 'ajv/dist/2020'
import type { JsonValue } from 'toolgate'

/** A module whose default export makes the checks; it is given what they are made with, as `require` would. */
export function formValidatorModule(schema: Record<string, JsonValue>): string {
  const code = compileSchemaValidatorsCode(schema, { AjvClass: Ajv2020 as never })
  return `export default function (require) {\nconst exports = {};\n${code}\nreturn exports;\n}\n`
}
