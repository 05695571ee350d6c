'use strict'

// Asks a source's server what it publishes. Nothing is called.

const { readFileSync } = require('node:fs')
const path = require('node:path')

const { Connection } = require('./connection.js')

/**
 * @param {string} folder of the sources
 * @param {string} name
 * @param {import('./types.js').SourceConfig} config
 * @param {import('./types.js').SourceLog} [log]
 * @returns {Promise<import('./lock-types.js').PublishedSource>}
 * @throws {Error} if the server can't be reached, or its list is not usable
 */
async function publishedSource(folder, name, config, log) {
  const configText = readFileSync(path.join(folder, `${name}.json`), 'utf8')
  const connection = new Connection(name, config, { ...(log === undefined ? {} : { log }) })
  try {
    const facts = await connection.open()
    const definitions = [...(await connection.list()).values()]
    return { name, config, configText, facts, definitions }
  } finally {
    await connection.close()
  }
}

module.exports = { publishedSource }
