'use strict'

// A handler that leaves its call: a worker, a webhook or a workflow engine ends it by `registry.complete(token, response)`.

const { memberOf } = require('../values/foreign.js')

/** The same for every copy of the package in a process. */
const PENDING = Symbol.for('toolgate.pending')

/**
 * What a handler returns if its call is completed from elsewhere.
 * @param {{ token: string }} completion `token`: from `await context.completionToken()`
 */
function pending(completion) {
  const token = completion?.token
  if (typeof token !== 'string')
    throw new TypeError('`pending` takes `{ token }`, with the token of `await context.completionToken()`')
  return Object.freeze({ [PENDING]: token })
}

/** The token of a value that `pending` made; undefined for any other. @param {unknown} value @returns {unknown} */
const pendingToken = value => memberOf(value, PENDING)

module.exports = { pending, pendingToken }
