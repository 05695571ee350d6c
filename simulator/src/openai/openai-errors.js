// OpenAI's API errors.

/**
 * @typedef {object} ApiError
 * @property {number} status
 * @property {string} message
 * @property {string} type
 * @property {string | null} param path of the offending member, such as `messages[2].role`
 * @property {string | null} code
 */

/**
 * @param {string} message
 * @param {string | null} [param]
 * @param {string | null} [code]
 * @returns {ApiError}
 */
export function invalidRequest(message, param = null, code = null) {
  return { status: 400, message, type: 'invalid_request_error', param, code }
}

/** Error codes by JSON Schema keyword. @type {Record<string, string>} */
const CODES = { type: 'invalid_type', minItems: 'empty_array' }

/** @param {import('ajv').ErrorObject[]} errors the first one is reported @returns {ApiError} */
export function shapeError([{ instancePath, keyword, params, message }]) {
  const place = instancePath
    .slice(1)
    .replace(/\/(\d+)/g, '[$1]')
    .replaceAll('/', '.')
  /** @param {string} name */
  const inside = name => [place, name].filter(part => part !== '').join('.')
  if (keyword === 'required') {
    const param = inside(params.missingProperty)
    return invalidRequest(`missing required parameter: \`${param}\``, param, 'missing_required_parameter')
  }
  if (keyword === 'additionalProperties') {
    const param = inside(params.additionalProperty)
    return invalidRequest(`unknown parameter: \`${param}\``, param, 'unknown_parameter')
  }
  const code = CODES[keyword] ?? 'invalid_value'
  const allowed = params.allowedValues === undefined ? '' : ` (${params.allowedValues.join(', ')})`
  return invalidRequest(`invalid value for \`${place || 'body'}\`: ${message}${allowed}`, place || null, code)
}
