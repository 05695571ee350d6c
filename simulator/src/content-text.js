/** @typedef {import('./parse-json.js').JsonObject} JsonObject */

/** The text of a message's content: itself, or its parts' texts together. @param {string | JsonObject[] | null | undefined} content */
export function textOfContent(content) {
  if (typeof content === 'string') return content
  return (content ?? []).map(({ text }) => (typeof text === 'string' ? text : '')).join('')
}
