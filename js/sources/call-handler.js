'use strict'

// The handler of a source's tool: sends a call to the server, puts what the server asks meanwhile to the user or their client, and makes
// its answer the call's.

const { success } = require('../answers/tool-response.js')
const { CallQuestions } = require('./call-questions.js')
const { toHandlerResult } = require('./source-result.js')
const { uriPrefix, withPublicUris } = require('./source-prefix.js')

/**
 * @typedef {object} CallHandlerParts
 * @property {import('./source.js').Source} source
 * @property {import('./source-tools.js').SourceTool} tool
 * @property {import('./types.js').PublishedTool} definition as locked
 * @property {(sessionId: string, callId: string | null) => import('./types.js').SourceClient | undefined} clientOf the MCP client that
 *   has sent a call
 * @property {import('./source-tools.js').SourceToolsParts['onBlocks']} onBlocks
 * @property {(reason: string) => void} warn
 */

/** @param {CallHandlerParts} parts @returns {(context: import('../../index.js').HandlerContext) => Promise<unknown>} */
function callHandler({ source, tool, definition, clientOf, onBlocks, warn }) {
  const { name, config } = source
  const writes = tool.sideEffects === 'writes'
  const { tool: published, offers = [] } = tool.source
  // A server that offers no resources reads none.
  const before = offers.includes('resources') ? uriPrefix(name, config) : ''
  return async context => {
    const { args, principal, session, signal, meta, progress } = context
    const sessionId = session.sessionId ?? ''
    // A later request of the same call may come from elsewhere: what its client can do was said by the first.
    const client = clientOf(sessionId, meta.callId)
    const capabilities = offered(config, client)
    const asks = config.elicitation === 'ask'
    const questions = new CallQuestions({ source: name, asks, offers: capabilities, writes, context, warn })
    const options = {
      sessionId,
      ...(principal === null ? {} : { principal }),
      signal,
      writes,
      meta: { 'toolgate/idempotencyKey': meta.idempotencyKey },
      progress: (/** @type {any} */ report) => void progress(report),
      onQuestion: (/** @type {any} */ params) => questions.pushed(params),
      onClientRequest: questions.pushedToClient.bind(questions),
      onLog: (/** @type {any} */ params) => clientOf(sessionId, meta.callId)?.log(name, params, meta.callId),
      capabilities,
      ...(client?.logLevel === undefined ? {} : { logLevel: client.logLevel }),
    }
    let result = await source.call(published, args, options)
    while (result.resultType === 'input_required')
      result = await source.call(published, args, { ...options, round: await questions.round(result) })
    const { data, blocks } = toHandlerResult(result, { source: name, definition, writes })
    onBlocks(sessionId, meta.idempotencyKey, withPublicUris(blocks, before))
    return success(data)
  }
}

/**
 * What a server may ask of the user and the client of a call: what the team allows, and the client can do.
 * @param {import('./types.js').SourceConfig} config @param {import('./types.js').SourceClient | undefined} client
 * @returns {import('../shared-types.js').JsonObject}
 */
function offered({ elicitation, sampling, roots }, client) {
  /** @type {import('../shared-types.js').JsonObject} */
  const capabilities = client === undefined ? { elicitation: {} } : client.capabilities
  return {
    ...(elicitation === 'ask' && capabilities.elicitation !== undefined && { elicitation: { form: {} } }),
    ...(sampling && capabilities.sampling !== undefined && { sampling: {} }),
    ...(roots && capabilities.roots !== undefined && { roots: {} }),
  }
}

module.exports = { callHandler, offered }
