'use strict'

// The line about an error of a handler that no answer contains.

const { memberOf, textOf } = require('../values/foreign.js')

/**
 * @param {unknown} error
 * @param {string} [toolId] absent if a listener threw
 */
const handlerErrorText = (error, toolId) =>
  `${toolId === undefined ? 'a listener' : `the handler of \`${toolId}\``} threw: ${textOf(memberOf(error, 'stack') ?? error)}`

module.exports = { handlerErrorText }
