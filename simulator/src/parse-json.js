// Parses untrusted JSON. Deeply nested values are refused: recursive code would overflow the stack.

const MAX_DEPTH = 500

/**
 * @typedef {Record<string, any>} JsonObject a frame, request, item or event of a provider's protocol. Members are
 *   `any`: JSON Schemas check the received ones, the providers' SDK types the sent ones (test/types.test.mjs)
 */

/**
 * `value` is `any` because each caller checks it with a JSON Schema.
 *
 * @param {string} text
 * @returns {{ value: any, problem?: undefined } | { value?: undefined, problem: string }}
 */
export function parseJson(text) {
  if (isTooDeep(text)) return { problem: `nested deeper than ${MAX_DEPTH} levels` }
  try {
    return { value: JSON.parse(text) }
  } catch {
    return { problem: 'not JSON' }
  }
}

/**
 * Parses a tool's answer as JSON; returns the text itself if it is not JSON.
 *
 * @param {string} text
 * @returns {unknown}
 */
export function jsonOrText(text) {
  const { value = null, problem } = parseJson(text)
  return problem === undefined ? value : text
}

/** Whether a text has more opening brackets than levels are allowed; most of what is received is sound without any. @param {string} text */
function hasManyBrackets(text) {
  let count = 0
  for (const bracket of '[{') {
    for (let at = text.indexOf(bracket); at !== -1; at = text.indexOf(bracket, at + 1)) {
      count += 1
      if (count > MAX_DEPTH) return true
    }
  }
  return false
}

/** @param {string} text */
function isTooDeep(text) {
  if (!hasManyBrackets(text)) return false
  let depth = 0
  let inText = false
  for (let at = 0; at < text.length; at += 1) {
    const char = text[at]
    if (inText && char === '\\') at += 1
    else if (char === '"') inText = !inText
    else if (inText) continue
    else if (char === '[' || char === '{') depth += 1
    else if (char === ']' || char === '}') depth -= 1
    if (depth > MAX_DEPTH) return true
  }
  return false
}
