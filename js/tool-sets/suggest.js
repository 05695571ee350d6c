'use strict'

// "did you mean" suggestions, by the rule of the compiler's findings.

/** @param {string} name @param {string[]} candidates */
function suggestion(name, candidates) {
  const near = nearest(name, candidates)
  return near === null ? `use one of ${candidates.map(one => `\`${one}\``).join(', ')}` : `did you mean \`${near}\`?`
}

/** @returns {string | null} the most similar candidate @param {string} name @param {string[]} candidates */
function nearest(name, candidates) {
  try {
    return require('../../native.js').nearestName(name, candidates)
  } catch {
    // Without the addon there is no suggestion; `toolgate doctor` reports the missing addon.
    return null
  }
}

module.exports = { nearest, suggestion }
