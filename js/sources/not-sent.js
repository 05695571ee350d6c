'use strict'

/** The request has not left this process: nothing can have run. */
class NotSent extends Error {
  /** @param {string} message @param {ErrorOptions} [options] */
  constructor(message, options) {
    super(message, options)
    this.name = 'NotSent'
  }
}

module.exports = { NotSent }
