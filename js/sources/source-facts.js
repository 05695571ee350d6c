'use strict'

// What a build must know of the sources' files: their faults, and what they say of the locked tools. A lock says it
// too, and must say the same.

const { digestOf } = require('./digest.js')
const { readLock } = require('./lock-file.js')
const { policyOf, toolIdOf } = require('./policy.js')
const { prefixOf } = require('./source-prefix.js')
const { readSourceConfigs } = require('./source-config.js')

/**
 * @param {string} folder of the sources, which may not exist
 * @returns {{ policies: Record<string, string>, problems: { file: string, pointer: string, message: string }[] }} `policies`: by
 *   source, the digest of what its file says of the tools that the lock has
 */
function sourceFacts(folder) {
  const { configs, problems } = readSourceConfigs(folder)
  /** @type {import('./lock-types.js').LockFile['sources']} */
  let locked = {}
  try {
    locked = readLock(folder).sources
  } catch {
    // The compiler says what is wrong with the lock.
  }
  const policies = [...configs].map(([name, config]) => {
    const tools = Object.keys((Object.hasOwn(locked, name) && locked[name]?.tools) || {})
    return [name, digestOf(saidOf(tools, prefixOf(name, config), config))]
  })
  return { policies: Object.fromEntries(policies), problems }
}

/** @param {string[]} tools @param {string} prefix @param {import('./types.js').SourceConfig} config */
function saidOf(tools, prefix, config) {
  const said = tools.map(tool => [tool, { toolId: toolIdOf(prefix, tool), policy: policyOf(config, tool) }])
  return { prefix, tools: Object.fromEntries(said) }
}

module.exports = { sourceFacts }
