'use strict'

// Loads the compiler on first use, so that help and `doctor` work without the addon.

const { CommandFailure } = require('./exit.js')
const { withProgress } = require('./progress.js')

/**
 * @param {import('./command-settings.js').Settings} settings
 * @param {'files' | 'nothing'} writing
 * @returns {ReturnType<import('../tool-sets/compile.js').compile>}
 */
function compile(settings, writing) {
  return withProgress(
    writing === 'files' ? 'building the tools' : 'checking the tools',
    compiler().compile(settings, writing),
  )
}

/**
 * Formats the findings of a report.
 * @param {import('toolgate').BuildReport} report
 * @param {import('./terminal.js').Look} look
 */
const formatFindings = (report, look) => compiler().formatFindings(report, look)

function compiler() {
  try {
    return require('../tool-sets/compile.js')
  } catch {
    throw new CommandFailure(
      "the native part of toolgate can't be loaded",
      'run `toolgate doctor`: it names the missing part',
    )
  }
}

module.exports = { compile, formatFindings }
