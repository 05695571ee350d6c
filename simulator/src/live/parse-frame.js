// Parses and validates a client frame. Returns the frame, or the close reason: the service closes with 1007 and one
// sentence.

import { parseJson } from '../parse-json.js'
import { shapeErrors } from '../shape-errors.js'
import { clientFrameSchema } from './client-frame-schema.js'

/**
 * @import { ErrorObject } from 'ajv'
 * @import { JsonObject } from '../parse-json.js'
 */

/**
 * @typedef {{ frame: JsonObject, json?: undefined, text?: undefined, problem?: undefined }
 *   | { frame?: undefined, json?: unknown, text?: string, problem: string }} ParsedFrame
 */

/**
 * @param {Buffer} bytes of a text or binary message: the service accepts both
 * @returns {ParsedFrame}
 */
export function parseFrame(bytes) {
  const text = bytes.toString('utf8')
  const { value: json, problem: unreadable } = parseJson(text)
  if (unreadable !== undefined) return { text, problem: `invalid JSON payload received: the frame is ${unreadable}` }
  const errors = shapeErrors(clientFrameSchema, json)
  if (errors !== null) return { json, problem: messageOf(errors) }
  const problem = declarationProblem(json.setup?.tools, 'setup.tools')
  return problem === null ? { frame: json } : { json, problem }
}

/**
 * Checks tools for rules that the schema cannot express.
 *
 * @param {JsonObject[] | undefined} tools
 * @param {string} place of the tools
 * @returns {string | null} the problem, if any
 */
export function declarationProblem(tools, place) {
  const names = new Set()
  for (const declaration of declarationsOf({ tools })) {
    if (names.has(declaration.name)) return `${place}: duplicate function declaration \`${declaration.name}\``
    names.add(declaration.name)
    const { type, properties } = declaration.parameters ?? {}
    if (/^object$/i.test(type ?? '') && Object.keys(properties ?? {}).length === 0) {
      return `parameters.properties of \`${declaration.name}\`: should be non-empty for OBJECT type`
    }
  }
  return null
}

/** @param {JsonObject | undefined} setup or any object with `tools` @returns {{ name: string, parameters?: JsonObject, behavior?: string }[]} */
export function declarationsOf(setup) {
  return (setup?.tools ?? []).flatMap((/** @type {JsonObject} */ tool) => tool.functionDeclarations ?? [])
}

/** @param {JsonObject | undefined} setup @returns {import('../assistant/read-arguments.js').ToolDeclaration[]} */
export function functionsOf(setup) {
  return declarationsOf(setup).map((/** @type {JsonObject} */ { name, parameters, parametersJsonSchema }) => ({
    name,
    parameters: parametersJsonSchema ?? parameters,
  }))
}

/** The text of a system instruction. @param {string | JsonObject | undefined} instruction */
export function textOfParts(instruction) {
  if (typeof instruction === 'string') return instruction
  return [instruction?.parts ?? []]
    .flat()
    .map((/** @type {JsonObject} */ { text = '' }) => text)
    .join('\n')
}

/** @param {ErrorObject[]} errors the first one is reported */
function messageOf([{ keyword, instancePath, params, message }]) {
  const place = instancePath === '' ? 'the frame' : `\`${instancePath.slice(1).replaceAll('/', '.')}\``
  switch (keyword) {
    case 'additionalProperties':
      return `invalid JSON payload received: unknown name \`${params.additionalProperty}\` at ${place}`
    case 'enum':
      return `${place} ${instancePath.endsWith('/type') ? 'has a type that is not allowed here' : 'is none of the allowed values'}`
    case 'minProperties':
    case 'maxProperties':
      return instancePath === ''
        ? 'a frame has exactly one of setup, clientContent, realtimeInput, toolResponse'
        : `${place} ${message}`
    case 'not':
      return `${place} has both \`parameters\` and \`parametersJsonSchema\``
    default:
      return `${place} ${message}`
  }
}
