'use strict'

// What can be wrong with a schema module, as data: it crosses from the worker to the compiler, which knows the positions.

/**
 * What a finding about a module says.
 * `kind` is what the compiler makes a code of: `module` it can't be loaded or holds something that is no JSON, `conversion` a
 * schema in it has no JSON Schema, `unstable` it is another one each time, `lost` (no failure, a notice) a part of a schema
 * is not in its JSON Schema.
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

/** A JSON Pointer (RFC 6901) from names. @param {PropertyKey[]} names */
const pointer = names => names.map(name => `/${String(name).replaceAll('~', '~0').replaceAll('/', '~1')}`).join('')

module.exports = { AuthoringFailure, pointer }
