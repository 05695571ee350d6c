'use strict'

// The line about an error of a handler that no answer contains.

/**
 * @param {unknown} error
 * @param {string} [toolId] absent if a listener threw
 */
const handlerErrorText = (error, toolId) =>
  `${toolId === undefined ? 'a listener' : `the handler of \`${toolId}\``} threw: ${/** @type {Partial<Error> | null} */ (error)?.stack ?? error}`

module.exports = { handlerErrorText }
