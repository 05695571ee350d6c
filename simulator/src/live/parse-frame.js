// Parses and validates a client frame. Returns the frame, or the close reason: the service closes with 1007 and one
// sentence.

import Ajv2020 from 'ajv/dist/2020.js'
import { parseJson } from '../parse-json.js'
import { clientFrameSchema } from './client-frame-schema.js'

const validate = new Ajv2020({
  verbose: true,
  allowUnionTypes: true,
  strictTypes: false,
  strictRequired: false,
}).compile(clientFrameSchema)

/**
 * @param {Buffer} bytes of a text or binary message: the service accepts both
 * @returns {{ frame: Record<string, any>, problem?: undefined } | { json?: unknown, text?: string, problem: string }}
 */
export function parseFrame(bytes) {
  const text = bytes.toString('utf8')
  const { value: json, problem: unreadable } = parseJson(text)
  if (unreadable !== undefined) return { text, problem: `invalid JSON payload received: the frame is ${unreadable}` }
  const problem = validate(json) ? declarationProblem(json.setup) : messageOf(validate.errors[0])
  return problem === null ? { frame: json } : { json, problem }
}

/** Checks the setup's tools for rules that the schema cannot express. */
function declarationProblem(setup) {
  const names = new Set()
  for (const declaration of declarationsOf(setup)) {
    if (names.has(declaration.name)) return `setup.tools: duplicate function declaration \`${declaration.name}\``
    names.add(declaration.name)
    const { type, properties } = declaration.parameters ?? {}
    if (/^object$/i.test(type ?? '') && Object.keys(properties ?? {}).length === 0) {
      return `parameters.properties of \`${declaration.name}\`: should be non-empty for OBJECT type`
    }
  }
  return null
}

/** @param {object | undefined} setup @returns {{ name: string, parameters?: any }[]} */
export function declarationsOf(setup) {
  return (setup?.tools ?? []).flatMap(tool => tool.functionDeclarations ?? [])
}

function messageOf({ keyword, instancePath, params, message }) {
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
