'use strict'

// Columns for a terminal.

/**
 * @param {string[][]} rows the first is the heading
 * @param {{ paint: ReturnType<import('picocolors').createColors> }} look
 * @returns {string} one line a row, as wide as its texts need
 */
function table(rows, { paint }) {
  const widths = rows[0].map((_, column) => Math.max(...rows.map(row => row[column].length)))
  const lines = rows.map(row =>
    row
      .map((cell, column) => cell.padEnd(widths[column]))
      .join('  ')
      .trimEnd(),
  )
  return lines.map((line, index) => `${index === 0 ? paint.dim(line) : line}\n`).join('')
}

module.exports = { table }
