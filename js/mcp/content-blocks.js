'use strict'

// Which blocks of a source an MCP client can read: a client refuses a whole result for one block that its revision does not have.

const { sdk } = require('./sdk.js')

/** The first revision of types that came after the first one. @type {Record<string, string>} */
const SINCE = { audio: '2025-03-26', resource_link: '2025-06-18' }

/**
 * @param {Record<string, unknown>[]} blocks
 * @param {string} [revision] the client's; undefined: the newest
 * @returns {import('@modelcontextprotocol/server').ContentBlock[]}
 */
function readableBlocks(blocks, revision) {
  const known = blocks.filter(block => sdk.server.isSpecType.ContentBlock(block))
  return /** @type {any[]} */ (known).filter(({ type }) => revision === undefined || (SINCE[type] ?? '') <= revision)
}

module.exports = { readableBlocks }
