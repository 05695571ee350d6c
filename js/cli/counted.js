'use strict'

// Counts with their nouns.

/** `1 tool`, `2 tools`. @param {number} count @param {string} noun */
const counted = (count, noun) => `${count} ${noun}${count === 1 ? '' : 's'}`

/** @param {{ diagnostics: { severity: string }[] }} report @returns {{ errors: number, warnings: number }} */
function tally({ diagnostics }) {
  const errors = diagnostics.filter(({ severity }) => severity === 'error').length
  return { errors, warnings: diagnostics.length - errors }
}

/**
 * `2 errors, 1 warning`; zero counts are omitted unless both are zero.
 * @param {{ diagnostics: { severity: string }[] }} report
 */
function talliedText(report) {
  const { errors, warnings } = tally(report)
  const parts = [errors > 0 && counted(errors, 'error'), warnings > 0 && counted(warnings, 'warning')].filter(Boolean)
  return parts.length > 0 ? parts.join(', ') : 'no findings'
}

module.exports = { counted, tally, talliedText }
