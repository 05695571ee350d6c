'use strict'

// Wraps text.

/** Wider lines are hard to read, also on a wider terminal. */
const MAX_WIDTH = 100

/**
 * @returns {Generator<string>} lines with their indent
 * @param {string} text
 * @param {number} width
 * @param {string} indent
 * @param {string} [first] the indent of the first line
 */
function* wrapped(text, width, indent, first = indent) {
  const most = Math.min(width, MAX_WIDTH)
  let line = first
  let isEmpty = true
  for (const word of text.split(/\s+/).filter(Boolean)) {
    if (!isEmpty && line.length + 1 + word.length > most) {
      yield line
      line = indent
      isEmpty = true
    }
    line += isEmpty ? word : ` ${word}`
    isEmpty = false
  }
  if (!isEmpty) yield line
}

/**
 * Text that fits a terminal; in a file it is one line, for programs that read lines.
 * @param {string} text @param {Pick<import('../terminal.js').Look, 'width' | 'isTerminal'>} look @param {string} indent @param {string} first
 */
const fitted = (text, { width, isTerminal }, indent, first) =>
  isTerminal ? [...wrapped(text, width, indent, first)].join('\n') : first + text

module.exports = { fitted, wrapped }
