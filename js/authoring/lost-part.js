'use strict'

// A part of a library's schema that its JSON Schema does not have, as a finding.

/**
 * @typedef {import('./failure.js').FailureDetails} FailureDetails
 * @typedef {{ what: string, fact: string, help?: string }} LostPart `fact`: what follows for a call
 * @typedef {{ at: string, part: LostPart }} PlacedPart `at`: JSON Pointer within the JSON Schema
 * @typedef {'at-call-time' | 'never'} CodeRuns whether the library's code runs: that of `parameters` does, just before the
 *   handler
 */

/** Code that the model can't know of. @param {string} what @returns {LostPart} */
const lostPart = what => ({ what, fact: `${what} is not part of the JSON Schema: the model is not told of it` })

/** A pattern of which a JSON Schema would have no flags. @param {string} flags */
const lostFlags = flags => lostPart(`a pattern with the flags \`${flags}\``)

/**
 * @param {string} at JSON Pointer
 * @param {LostPart} part
 * @param {CodeRuns} runs
 * @returns {FailureDetails}
 */
function lostFinding(at, { what, fact, help }, runs) {
  return runs === 'never'
    ? {
        kind: 'lost',
        pointer: at,
        message: `${what} is not part of the JSON Schema, and never runs here`,
        help: 'express it in JSON Schema, or do it in the handler',
      }
    : {
        kind: 'lost',
        pointer: at,
        message: `${fact}; the code runs at call time`,
        help: help ?? 'say the rule in the description, or in JSON Schema, then acknowledge this in `lintAccepted`',
      }
}

/** Reports a schema that is used twice at one place only. @param {FailureDetails[]} lost */
const unique = lost => [...new Map(lost.map(one => [`${one.pointer} ${one.message}`, one])).values()]

module.exports = { lostFinding, lostFlags, lostPart, unique }
