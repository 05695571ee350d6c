'use strict'

// Checks the sources: their files, what they need, and whether their servers publish what was locked. The servers are connected to.

const { existsSync } = require('node:fs')
const path = require('node:path')

const { sdk } = require('../../mcp/sdk.js')
const { readLock } = require('../../sources/lock-file.js')
const { changesOf } = require('../../sources/lock-source.js')
const { publishedSource } = require('../../sources/published-source.js')
const { readSourceConfigs, requireVariables } = require('../../sources/source-config.js')
const { messageOf } = require('../../values/foreign.js')
const { counted } = require('../counted.js')
const { ok, problem, warning } = require('./check-result.js')

/**
 * @typedef {import('./check-result.js').CheckResult} CheckResult
 * @param {import('../command-settings.js').Settings} settings
 * @returns {Promise<CheckResult[]>} none without sources
 */
async function checkSources({ sourcesDir }) {
  if (!existsSync(sourcesDir)) return []
  const { configs, problems } = readSourceConfigs(sourcesDir)
  const faults = problems.map(({ file, pointer, message }) =>
    problem('sources', `${path.basename(file)}${pointer}: ${message}`, 'docs/sources.md describes the file'),
  )
  if (configs.size === 0) return faults
  try {
    void sdk.client
    const { sources } = readLock(sourcesDir)
    const checks = [...configs].map(([name, config]) => checkSource(sourcesDir, name, config, sources[name]))
    return [...faults, ...(await Promise.all(checks))]
  } catch (error) {
    return [...faults, problem('sources', messageOf(error), 'docs/sources.md')]
  }
}

/**
 * @param {string} folder @param {string} name @param {import('../../sources/types.js').SourceConfig} config
 * @param {import('../../sources/lock-types.js').LockedSourceEntry | undefined} locked
 */
async function checkSource(folder, name, config, locked) {
  const what = `the source \`${name}\``
  const unset = requireVariables(config)
  if (unset.length > 0) {
    const names = unset.map(variable => `\`${variable}\``).join(', ')
    return problem(
      'sources',
      `${what} needs ${names}, which the environment does not set`,
      'set it where your program runs',
    )
  }
  if (locked === undefined) return problem('sources', `${what} is not locked`, '`toolgate mcp lock`')
  try {
    const changes = changesOf(locked, await publishedSource(folder, name, config))
    if (changes.length === 0) return ok('sources', `${what} publishes what is locked`)
    const said = `${what} publishes something else than what is locked: ${counted(changes.length, 'tool')}`
    return warning('sources', said, '`toolgate mcp diff` shows it')
  } catch (error) {
    return problem('sources', `${what} can't be used: ${messageOf(error)}`, 'correct its file, or start its server')
  }
}

module.exports = { checkSources }
