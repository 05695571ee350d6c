'use strict'
// The model's view of an answer, for all transports.
const views = require('../../answers/views.js')

/**
 * @param {import('../../../index.js').ToolResponse} result its confirmation token is left out
 * @param {import('../../../index.js').ModelMeta} meta
 */
function toModelResponse(result, meta) {
  if (typeof result?.ok !== 'boolean') {
    throw new TypeError('`result` must be a ToolResponse, such as the result of `session.execute`')
  }
  return views.toModelResponse(result, { meta })
}

/**
 * The option `meta` of a transport: the full ToolResponse is sent unless the host chooses the lean one.
 * @param {{ meta?: import('../../../index.js').ModelMeta }} [options]
 */
function modelMeta({ meta = 'full' } = {}) {
  views.checkModelMeta(meta)
  return meta
}

/**
 * Refuses options that stand where a client belongs: it is of any kind, and would be taken for one without functions.
 * @param {unknown} client
 * @param {string} usage how they are given
 * @throws {TypeError}
 */
function refuseOptions(client, usage) {
  const { meta, surface } = /** @type {{ meta?: unknown, surface?: unknown }} */ (client ?? {})
  if (typeof meta === 'string' || typeof surface === 'string')
    throw new TypeError(`options come after the client: \`${usage}\``)
}

module.exports = { modelMeta, refuseOptions, toModelResponse }
