'use strict'

// Columns for a terminal.

const { fitted } = require('./describe/wrap.js')

/** A narrower last column is not wrapped: it would be hard to read. */
const MIN_LAST = 20

/**
 * @param {string[][]} rows the first is the heading
 * @param {Pick<import('./terminal.js').Look, 'paint' | 'width' | 'isTerminal'>} look
 * @returns {string} one line a row, as wide as its texts need; on a terminal the last column is wrapped if it does not fit
 */
function table(rows, { paint, width, isTerminal }) {
  const widths = rows[0].map((_, column) => Math.max(...rows.map(row => row[column].length)))
  const before = widths.slice(0, -1).reduce((sum, one) => sum + one + 2, 0)
  const fits = { width, isTerminal: isTerminal && width - before >= MIN_LAST }
  const lines = rows.map(row => {
    const start = row.slice(0, -1).map((cell, column) => `${cell.padEnd(widths[column])}  `)
    return fitted(row.at(-1) ?? '', fits, ' '.repeat(before), start.join('')).trimEnd()
  })
  return lines.map((line, index) => `${index === 0 ? paint.dim(line) : line}\n`).join('')
}

module.exports = { table }
