// The code of a page: its blocks, and what its comments say that they print.
import { readFileSync } from 'node:fs'

/** @param {string} file relative to the root @returns {string} */
export const pageText = file => readFileSync(new URL(`../../${file}`, import.meta.url), 'utf8')

/** The code blocks of a page in one language, in order. */
export function codeBlocks(file, language = 'js') {
  const pattern = new RegExp(`^\`\`\`${language}\\n([^]*?)^\`\`\`$`, 'gm')
  return [...pageText(file).matchAll(pattern)].map(([, code]) => code)
}

/** The only block that contains this text. */
export function blockWith(file, text, language = 'js') {
  const found = codeBlocks(file, language).filter(code => code.includes(text))
  if (found.length !== 1) throw new Error(`${found.length} ${language} blocks of ${file} contain \`${text}\``)
  return found[0]
}

/** The comments at the ends of the lines that print, up to a colon. */
export const printedIn = code =>
  [...code.matchAll(/console\.log\(.*\)\s+\/\/ (.*)$/gm)].map(([, comment]) =>
    comment.replace(/^(true|false): .*/, '$1'),
  )

/**
 * The files that a page shows: blocks after a line that ends with the file's name, in backticks, and a colon.
 *
 * @returns {Record<string, string>} text by path
 */
export function filesOfPage(file) {
  const pattern = /`([\w./[\]-]+\.\w+)`:\n\n```\w+\n([^]*?)^```$/gm
  return Object.fromEntries([...pageText(file).matchAll(pattern)].map(([, name, text]) => [name, text]))
}
