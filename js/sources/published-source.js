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
  const { facts, definitions } = await listed(name, config, 'auto', log).catch(error => {
    // Some programs end at the first message that they don't know.
    if ('url' in config.transport || error.code === 'CONNECT_TIMEOUT') throw error
    return listed(name, config, 'legacy', log)
  })
  return { name, config, configText, facts, definitions }
}

/**
 * @param {string} name @param {import('./types.js').SourceConfig} config @param {'auto' | 'legacy'} era
 * @param {import('./types.js').SourceLog} [log]
 */
async function listed(name, config, era, log) {
  const connection = new Connection(name, config, { era, ...(log === undefined ? {} : { log }) })
  try {
    const facts = await connection.open()
    return { facts, definitions: [...(await connection.list()).values()] }
  } finally {
    await connection.close()
  }
}

module.exports = { publishedSource }
