'use strict'

// The core's warnings on standard error, without the tools that are hidden: commands name those in their own words.

const { HIDDEN_TOOLS } = require('../tool-sets/hidden-tools.js')

/** @param {import('../../index.js').CoreWarning} warning */
function printCoreWarning(warning) {
  if (warning.message !== HIDDEN_TOOLS) process.stderr.write(`${JSON.stringify(warning)}\n`)
}

module.exports = { printCoreWarning }
