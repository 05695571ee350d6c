// Validates a generateContent request. Returns the members of Google's error body.

import { declarationProblem } from '../live/parse-frame.js'
import { shapeErrors } from '../shape-errors.js'
import { requestSchema } from './gemini-request-schema.js'

/**
 * @import { ErrorObject } from 'ajv'
 * @import { Problem } from '../http/answer-request.js'
 * @import { JsonObject } from '../parse-json.js'
 */

/** @param {any} body any JSON value @returns {Problem | null} */
export function checkRequest(body) {
  const errors = shapeErrors(requestSchema, body)
  if (errors !== null) return invalid(shapeProblem(errors))
  const problem = declarationProblem(body.tools, 'tools') ?? turnsProblem(body.contents)
  return problem === null ? null : invalid(problem)
}

/** @param {string} message @returns {Problem} */
const invalid = message => ({ status: 400, message })

/** @param {ErrorObject[]} errors the first one is reported */
function shapeProblem([{ instancePath, keyword, params, message }]) {
  const place = instancePath.slice(1).replaceAll('/', '.') || 'the request'
  return keyword === 'additionalProperties'
    ? `Invalid JSON payload received. Unknown name "${params.additionalProperty}" at '${place}'`
    : `${place} ${message}`
}

/**
 * The content after a model's calls has as many responses as there were calls; nothing else is answered.
 *
 * @param {JsonObject[]} contents
 */
function turnsProblem(contents) {
  let open = 0
  for (const { role, parts } of contents) {
    const responses = countOf(parts, 'functionResponse')
    if (responses > 0 && open === 0)
      return 'Please ensure that function response turn comes immediately after a function call turn.'
    if (responses !== open) return UNEQUAL
    open = role === 'model' ? countOf(parts, 'functionCall') : 0
  }
  return open === 0 ? null : UNEQUAL
}

const UNEQUAL =
  'Please ensure that the number of function response parts is equal to the number of function call parts of the function call turn.'

/** @param {JsonObject[]} parts @param {string} member */
const countOf = (parts, member) => parts.filter(part => part[member] !== undefined).length
