'use strict'

// The compiler for commands: loaded only when it is needed, so that help and `doctor` work without the addon.

const { CommandFailure } = require('./exit.js')
const { withProgress } = require('./progress.js')

/**
 * @param {object} settings as `settingsOf` gives them
 * @param {'files' | 'nothing'} writing
 * @returns {ReturnType<import('../compile.js').compile>}
 */
function compile(settings, writing) {
  return withProgress(
    writing === 'files' ? 'building the tools' : 'checking the tools',
    compiler().compile(settings, writing),
  )
}

/** The findings of a report, drawn. */
const formatFindings = (report, look) => compiler().formatFindings(report, look)

function compiler() {
  try {
    return require('../compile.js')
  } catch {
    throw new CommandFailure(
      "the native part of toolgate can't be loaded",
      'run `toolgate doctor`: it says what is missing',
    )
  }
}

module.exports = { compile, formatFindings }
