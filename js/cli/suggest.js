'use strict'

// "did you mean": by the same rule as the compiler's findings.

/** @param {string} name @param {string[]} candidates */
function suggestion(name, candidates) {
  const near = nearest(name, candidates)
  return near === null ? `use one of ${candidates.map(one => `\`${one}\``).join(', ')}` : `did you mean \`${near}\`?`
}

/** @returns {string | null} the name that was probably meant */
function nearest(name, candidates) {
  try {
    return require('../../native.js').nearestName(name, candidates)
  } catch {
    // Without the addon there is no suggestion; `toolgate doctor` says why there is none.
    return null
  }
}

module.exports = { nearest, suggestion }
