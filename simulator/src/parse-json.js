// JSON that strangers sent. Values that are nested beyond reason are refused: what walks through them later would overflow.

const DEEPEST = 500

/**
 * @param {string} text
 * @returns {{ value: any, problem?: undefined } | { value?: undefined, problem: string }}
 */
export function parseJson(text) {
  if (isTooDeep(text)) return { problem: `nested deeper than ${DEEPEST} levels` }
  try {
    return { value: JSON.parse(text) }
  } catch {
    return { problem: 'not JSON' }
  }
}

/** A tool's answer as a client sent it: JSON where it is JSON, else text. @param {string} text */
export function jsonOrText(text) {
  const { value = null, problem } = parseJson(text)
  return problem === undefined ? value : text
}

function isTooDeep(text) {
  let depth = 0
  let inText = false
  for (let at = 0; at < text.length; at += 1) {
    const char = text[at]
    if (inText && char === '\\') at += 1
    else if (char === '"') inText = !inText
    else if (inText) continue
    else if (char === '[' || char === '{') depth += 1
    else if (char === ']' || char === '}') depth -= 1
    if (depth > DEEPEST) return true
  }
  return false
}
