// Cleans untrusted text (of web pages, language models, people).

/** Control characters except tab and line end, and characters that change the direction or hide text. */
const INVISIBLE = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u200b\u200e\u200f\u202a-\u202e\u2060-\u2069\ufeff]/g

/**
 * @param {unknown} value
 * @param {number} maxCharacters UTF-16 units; a longer text is cut and ends with an ellipsis
 * @returns {string} well-formed, trimmed text; empty if the value is not a string
 */
export function plainText(value, maxCharacters) {
  if (typeof value !== 'string') return ''
  const text = value.replaceAll('\r\n', '\n').replaceAll(INVISIBLE, '').toWellFormed().trim()
  if (text.length <= maxCharacters) return text
  return `${text
    .slice(0, maxCharacters - 1)
    .replace(/[\ud800-\udbff]$/, '')
    .trimEnd()}…`
}
