/** @typedef {import('./parse-json.js').JsonObject} JsonObject */

/** The text of a message's content: itself, or its parts' texts. @param {string | JsonObject[] | null | undefined} content */
export function textOfContent(content) {
  return typeof content === 'string' ? content : joinedTexts((content ?? []).map(({ text }) => text))
}

/** The texts of one message's parts, a line each: two parts never make one word. @param {unknown[]} texts what is no text says nothing */
export const joinedTexts = texts => texts.filter(text => typeof text === 'string' && text !== '').join('\n')
