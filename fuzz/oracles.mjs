// Validators of other authors, and the gate's, behind one interface.
import '@hyperjump/json-schema/draft-04'
import '@hyperjump/json-schema/draft-06'
import '@hyperjump/json-schema/draft-07'
import '@hyperjump/json-schema/draft-2019-09'
import { registerSchema, unregisterSchema, validate } from '@hyperjump/json-schema/draft-2020-12'
import Ajv from 'ajv'
import Ajv2019 from 'ajv/dist/2019.js'
import Ajv2020 from 'ajv/dist/2020.js'
import AjvDraft04 from 'ajv-draft-04'

import { SchemaValidator } from '../index.js'

/**
 * @typedef {(value: unknown) => boolean} IsValid
 * @typedef {import('./drafts.mjs').Draft} Draft
 */

const AJV_OPTIONS = { strict: false, validateFormats: false, logger: false }
const AJV = {
  'draft-04': AjvDraft04.default ?? AjvDraft04,
  'draft-06': Ajv.default ?? Ajv,
  'draft-07': Ajv.default ?? Ajv,
  '2019-09': Ajv2019.default ?? Ajv2019,
  '2020-12': Ajv2020.default ?? Ajv2020,
}
const BASE = 'https://fuzz.example/'
let registered = 0

/**
 * Each validator's judgement; null from one that refuses the schema.
 * @type {Record<string, (schema: any, draft: Draft) => Promise<IsValid | null>>}
 */
export const ORACLES = {
  async toolgate(schema) {
    try {
      const validator = new SchemaValidator(schema, { formats: [] })
      return value => validator.validate(value).valid
    } catch {
      return null
    }
  },
  async ajv(schema, draft) {
    try {
      // Draft-06 is not built in; the keywords that are generated for it mean the same in draft-07.
      const readable =
        draft.name === 'draft-06' ? { ...schema, $schema: 'http://json-schema.org/draft-07/schema#' } : schema
      const isValid = new AJV[draft.name](AJV_OPTIONS).compile(readable)
      return value => isValid(value) === true
    } catch {
      return null
    }
  },
  async hyperjump(schema, draft) {
    const uri = `${BASE}${(registered += 1)}`
    try {
      registerSchema(schema, uri, draft.uri)
      const isValid = await validate(uri)
      return value => isValid(/** @type {any} */ (value)).valid
    } catch {
      return null
    } finally {
      unregisterSchema(uri)
    }
  },
}
