// The checks of a tool's form, as the server has compiled them.
import { createPrecompiledValidator } from '@rjsf/validator-ajv8'
import type { RJSFSchema, ValidatorType } from '@rjsf/utils'
import equal from 'ajv/dist/runtime/equal'
import ucs2length from 'ajv/dist/runtime/ucs2length'
import uri from 'ajv/dist/runtime/uri'
import ValidationError from 'ajv/dist/runtime/validation_error'
import * as formats from 'ajv-formats/dist/formats'

/** What compiled checks are made with, by the names they know it by. */
const PARTS: Record<string, unknown> = {
  'ajv/dist/runtime/equal': { default: equal },
  'ajv/dist/runtime/ucs2length': { default: ucs2length },
  'ajv/dist/runtime/uri': { default: uri },
  'ajv/dist/runtime/validation_error': { default: ValidationError },
  'ajv-formats/dist/formats': formats,
}

/** @throws where the schema is one that no form can be made of */
export async function loadFormValidator(toolId: string, schema: RJSFSchema): Promise<ValidatorType> {
  const address = `/api/inspector/tools/${encodeURIComponent(toolId)}/form-validator`
  const { default: make } = await import(/* webpackIgnore: true */ /* turbopackIgnore: true */ address)
  const validator = createPrecompiledValidator(
    make((name: string) => PARTS[name]),
    schema,
  )
  const isValid = validator.isValid.bind(validator)
  validator.isValid = (...given) => orNot(() => isValid(...given))
  return validator
}

/** Asked about a part of the schema that was not foreseen, the form takes the part as one that does not fit. */
function orNot(check: () => boolean): boolean {
  try {
    return check()
  } catch {
    return false
  }
}
