'use strict'

// Formats Markdown for a terminal. Unrecognized syntax is printed as it is.

const { wrapped } = require('./wrap.js')

const FENCE = /^\s*(`{3,}|~{3,})/
const HEADING = /^(#{1,6})\s+(.*?)\s*#*$/
const ITEM = /^(\s*)([-*+]|\d+[.)])\s+(.*)$/

/** @param {string} text @param {import('../terminal.js').Look} look @returns {string} ends with a line end */
function renderMarkdown(text, look) {
  const lines = [...render(text.trimEnd().split('\n'), look)]
  return `${lines.join('\n')}\n`
}

/** @param {string[]} lines @param {import('../terminal.js').Look} look @returns {Generator<string>} */
function* render(lines, look) {
  const { paint } = look
  /** @type {{ text: string, first: string, indent: string } | null} */
  let paragraph = null
  const flush = function* () {
    if (paragraph === null) return
    const { text, first, indent } = paragraph
    paragraph = null
    for (const line of wrapped(text, look.width, indent, first)) yield inline(line, paint)
  }
  let fence = null
  for (const line of lines) {
    if (fence !== null) {
      if (line.trim().startsWith(fence) && line.trim().replaceAll(fence[0], '') === '') fence = null
      else yield `    ${paint.dim(line)}`
      continue
    }
    const starts = FENCE.exec(line)
    const heading = HEADING.exec(line)
    const item = ITEM.exec(line)
    if (starts !== null || heading !== null || item !== null || line.trim() === '') yield* flush()
    if (starts !== null) fence = starts[1]
    else if (heading !== null) yield paint.isColorSupported ? paint.bold(heading[2]) : line.trim()
    else if (item !== null)
      paragraph = {
        text: item[3],
        first: `  ${item[1]}${item[2]} `,
        indent: `  ${item[1]}${' '.repeat(item[2].length + 1)}`,
      }
    else if (line.trim() === '') yield ''
    else if (/^\s*\|/.test(line)) yield line
    else if (paragraph !== null) paragraph.text += ` ${line.trim()}`
    else paragraph = { text: line.trim(), first: '', indent: '' }
  }
  yield* flush()
}

/**
 * Colours code and strong text; without colours the marks are kept.
 * @param {string} text
 * @param {import('../terminal.js').Look['paint']} paint
 */
function inline(text, paint) {
  return text
    .replace(/`([^`]+)`/g, (all, code) => (paint.isColorSupported ? paint.cyan(code) : all))
    .replace(/\*\*([^*]+)\*\*/g, (all, strong) => (paint.isColorSupported ? paint.bold(strong) : all))
}

module.exports = { renderMarkdown }
