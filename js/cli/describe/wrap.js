'use strict'

// Text in lines of a width.

/** Wider lines are hard to read, also where the terminal has room. */
const WIDEST = 100

/** @returns {Generator<string>} lines with their indent */
function* wrapped(text, width, indent, first = indent) {
  const most = Math.min(width, WIDEST)
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

module.exports = { wrapped }
