// Loads the validator of a tool's form, which the server compiled.
import { createPrecompiledValidator } from '@rjsf/validator-ajv8'
import type { RJSFSchema, ValidatorType } from '@rjsf/utils'
import equal from 'ajv/dist/runtime/equal'
import ucs2length from 'ajv/dist/runtime/ucs2length'
import uri from 'ajv/dist/runtime/uri'
import ValidationError from 'ajv/dist/runtime/validation_error'
import * as formats from 'ajv-formats/dist/formats'

/** Dependencies of compiled validators, by module name. */
const PARTS: Record<string, unknown> = {
  'ajv/dist/runtime/equal': { default: equal },
  'ajv/dist/runtime/ucs2length': { default: ucs2length },
  'ajv/dist/runtime/uri': { default: uri },
  'ajv/dist/runtime/validation_error': { default: ValidationError },
  'ajv-formats/dist/formats': formats,
}

/** @throws if no form can be made from the schema */
export async function loadFormValidator(toolId: string, schema: RJSFSchema): Promise<ValidatorType> {
  const address = `/api/inspector/tools/${encodeURIComponent(toolId)}/form-validator`
  const { default: make } = await import(/* webpackIgnore: true */ /* turbopackIgnore: true */ address)
  const validator = createPrecompiledValidator(
    make((name: string) => PARTS[name]),
    schema,
  )
  const isValid = validator.isValid.bind(validator)
  validator.isValid = (...given) => falseOnError(() => isValid(...given))
  return validator
}

/** Returns false for a part of the schema without a compiled validator: the part does not match. */
function falseOnError(check: () => boolean): boolean {
  try {
    return check()
  } catch {
    return false
  }
}
