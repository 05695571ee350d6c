// Parses and validates a client event. Returns the event, or the error to answer with; the connection stays open.

import { invalidRequest, shapeError } from '../openai/openai-errors.js'
import { parseJson } from '../parse-json.js'
import { shapeErrors } from '../shape-errors.js'
import { eventSchemas, itemSchemas } from './client-event-schema.js'

/** @import { JsonObject } from '../parse-json.js' */

const BASE64 = /^[A-Za-z0-9+/]*={0,2}$/

/** An invalid client event; sent as an `error` event. */
export class EventError extends Error {
  /** @param {Omit<import('../openai/openai-errors.js').ApiError, 'status'>} error */
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
  const schema = eventSchemas.get(json.type)
  if (schema === undefined) {
    return eventError(`invalid value for \`type\`; supported are ${[...eventSchemas.keys()].join(', ')}`, {
      param: 'type',
      code: 'invalid_value',
    })
  }
  const errors = shapeErrors(schema, json)
  if (errors !== null) return new EventError(shapeError(errors))
  if (json.item !== undefined) return itemProblem(json.item, 'item')
  /** @type {JsonObject[]} */
  const input = json.response?.input ?? []
  return input.map((item, at) => itemProblem(item, `response.input[${at}]`)).find(problem => problem !== null) ?? null
}

/** @param {JsonObject} item @param {string} place its path */
function itemProblem(item, place) {
  const schema = itemSchemas.get(item.type)
  if (schema === undefined) {
    return eventError(`invalid value for \`${place}.type\`; supported are ${[...itemSchemas.keys()].join(', ')}`, {
      param: `${place}.type`,
      code: 'invalid_value',
    })
  }
  const errors = shapeErrors(schema, item)
  if (errors === null) return null
  const [first] = errors
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
