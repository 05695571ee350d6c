'use strict'

// Checks the models of the settings, and the defaults, against what their providers have announced.

const { checked, endingModels } = require('../../http/models.js')
const { ok, warning } = require('./check-result.js')

/** @param {NodeJS.ProcessEnv} env @param {number} [now] */
function checkModels(env, now = Date.now()) {
  const ending = endingModels(env, now)
  if (ending.length === 0) return [ok('models', `no model in use is withdrawn soon, as far as was known on ${checked}`)]
  return ending.map(({ setting, model, ends, successor, source, hasEnded }) => {
    const what = setting === null ? `the default model \`${model}\`` : `\`${model}\` of ${setting}`
    const help = setting === null ? 'update toolgate, or set another model' : `set \`${successor}\``
    return warning('models', `${what} ${hasEnded ? 'was' : 'is'} shut down on ${ends}`, `${help}; see ${source}`)
  })
}

module.exports = { checkModels }
