// Parses and validates a client event. Returns the event, or the error to answer with; the connection stays open.

import { Ajv2020 } from 'ajv/dist/2020.js'
import { invalidRequest, shapeError } from '../openai/errors.js'
import { parseJson } from '../parse-json.js'
import { eventSchemas, itemSchemas } from './client-event-schema.js'

/** @import { JsonObject } from '../parse-json.js' */

const BASE64 = /^[A-Za-z0-9+/]*={0,2}$/

const ajv = new Ajv2020({ allowUnionTypes: true, strictTypes: false, strictRequired: false })
/**
 * @param {Record<string, import('ajv').SchemaObject>} schemas
 * @returns {Map<string, import('ajv').ValidateFunction<JsonObject>>}
 */
const compileAll = schemas => new Map(Object.entries(schemas).map(([name, schema]) => [name, ajv.compile(schema)]))
const events = compileAll(eventSchemas)
const items = compileAll(itemSchemas)

/** An invalid client event; sent as an `error` event. */
export class EventError extends Error {
  /** @param {Omit<import('../openai/errors.js').ApiError, 'status'>} error */
  constructor({ message, type, param, code }) {
    super(message)
    this.error = { type, code, message, param }
  }
}

/**
 * @param {string} message
 * @param {{ param?: string | null, code?: string | null }} [details]
 * @returns {EventError}
 */
export function eventError(message, { param = null, code = null } = {}) {
  return new EventError(invalidRequest(message, param, code))
}

/**
 * @param {Buffer} bytes
 * @returns {{ json: JsonObject, text?: undefined, problem: null } | { json?: any, text?: string, problem: EventError }}
 *   `json` is valid if `problem` is null, and `any` otherwise: it may be any JSON value
 */
export function parseEvent(bytes) {
  const text = bytes.toString('utf8')
  const { value: json, problem } = parseJson(text)
  if (problem !== undefined) return { text, problem: eventError(`the event is ${problem}`, { code: 'invalid_json' }) }
  return { json, problem: problemOf(json) }
}

/** @param {any} json any JSON value @returns {EventError | null} */
function problemOf(json) {
  if (typeof json !== 'object' || json === null || Array.isArray(json))
    return eventError('an event is a JSON object', { code: 'invalid_json' })
  if (typeof json.type !== 'string')
    return eventError('missing required parameter: `type`', { param: 'type', code: 'missing_required_parameter' })
  const validate = events.get(json.type)
  if (validate === undefined) {
    return eventError(`invalid value for \`type\`; supported are ${[...events.keys()].join(', ')}`, {
      param: 'type',
      code: 'invalid_value',
    })
  }
  if (!validate(json)) return new EventError(shapeError(validate.errors))
  if (json.item !== undefined) return itemProblem(json.item, 'item')
  /** @type {JsonObject[]} */
  const input = json.response?.input ?? []
  return input.map((item, at) => itemProblem(item, `response.input[${at}]`)).find(problem => problem !== null) ?? null
}

/** @param {JsonObject} item @param {string} place its path */
function itemProblem(item, place) {
  const validate = items.get(item.type)
  if (validate === undefined) {
    return eventError(`invalid value for \`${place}.type\`; supported are ${[...items.keys()].join(', ')}`, {
      param: `${place}.type`,
      code: 'invalid_value',
    })
  }
  if (validate(item)) return null
  const [first] = /** @type {import('ajv').ErrorObject[]} */ (validate.errors)
  const instancePath = `/${place.replace(/[.[]/g, '/').replace(']', '')}${first.instancePath}`
  return new EventError(shapeError([{ ...first, instancePath }]))
}

/**
 * @param {string} base64
 * @param {string} param path of the member
 * @returns {Buffer} PCM, 16 bit
 * @throws {EventError}
 */
export function decodeAudio(base64, param) {
  if (base64.length % 4 !== 0 || !BASE64.test(base64)) {
    throw eventError(`invalid value for \`${param}\`: not base64`, { param, code: 'invalid_value' })
  }
  return Buffer.from(base64, 'base64')
}
