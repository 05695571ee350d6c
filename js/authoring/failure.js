'use strict'

// Faults of schema modules, as data: the worker sends them to the compiler, which adds the positions.

/**
 * A finding about a module. The compiler maps `kind` to a code: `module`: the module can't be loaded or contains a
 * value that is not JSON; `conversion`: a schema has no JSON Schema; `unstable`: the schema differs each time it is
 * read; `lost` (a notice, not a failure): a part of a schema is not in its JSON Schema.
 * @typedef {{ kind: 'module' | 'conversion' | 'unstable' | 'lost', message: string, help: string,
 *   pointer?: string, line?: number, column?: number }} FailureDetails
 */

/** Ends the reading of a module with a finding. */
class AuthoringFailure extends Error {
  /** @param {FailureDetails} details */
  constructor(details) {
    super(details.message)
    this.details = details
  }
}

module.exports = { AuthoringFailure }
