/** The JSON object of a message; null if it is none. @param {unknown} data text, or bytes of text @returns {object | null} unchecked */
export function parseObject(data) {
  try {
    const value = JSON.parse(String(data))
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? value : null
  } catch {
    return null
  }
}
