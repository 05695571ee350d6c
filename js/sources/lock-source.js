'use strict'

// What is locked of one source, and how what its server publishes now differs from that.

const { digestOf } = require('./digest.js')
const { policyOf, toolIdOf } = require('./policy.js')
const { prefixOf } = require('./source-prefix.js')

/**
 * @typedef {import('./lock-types.js').LockedSourceEntry} LockedSourceEntry
 * @typedef {import('./lock-types.js').PublishedSource} PublishedSource
 * @typedef {import('./lock-types.js').LockChange} LockChange
 */

/**
 * How a server's list differs from the lock: tools that are new, gone, or defined otherwise, those left out aside.
 * @param {LockedSourceEntry | undefined} locked
 * @param {PublishedSource} published
 * @returns {LockChange[]} by name
 */
function changesOf(locked, { config, definitions }) {
  const before = entriesOf(locked)
  const usable = definitions.filter(definition => !needsTask(definition))
  const now = new Map(usable.map(definition => [definition.name, definition]))
  const names = [...new Set([...before.keys(), ...now.keys()])].filter(tool => policyOf(config, tool) !== null)
  return names.sort().flatMap(tool => change(tool, before.get(tool), now.get(tool)))
}

/** @param {string} tool @param {import('./lock-types.js').LockedToolEntry | undefined} was @param {import('./types.js').PublishedTool | undefined} is @returns {LockChange[]} */
function change(tool, was, is) {
  if (is === undefined) return was === undefined ? [] : [{ tool, kind: 'gone', was: was.definition }]
  if (was === undefined) return [{ tool, kind: 'new', is }]
  const isLocked = digestOf(is) === was.sha256 && digestOf(was.definition) === was.sha256
  return isLocked ? [] : [{ tool, kind: 'changed', was: was.definition, is }]
}

/** Whether a tool runs only as a task, which the gate does not speak. @param {import('./types.js').PublishedTool} definition */
function needsTask({ execution }) {
  return /** @type {import('../shared-types.js').JsonObject | undefined} */ (execution)?.taskSupport === 'required'
}

/** By published name. @param {LockedSourceEntry | undefined} locked */
const entriesOf = locked => new Map(Object.entries(locked?.tools ?? {}))

/**
 * The source as it is locked from now on: with the present configuration, and with those of the server's changes that are
 * accepted. A change that is not leaves the tool as it was locked.
 * @param {LockedSourceEntry | undefined} locked
 * @param {PublishedSource} published
 * @param {(change: LockChange) => boolean} isAccepted
 * @returns {LockedSourceEntry}
 */
function lockSource(locked, published, isAccepted, at = new Date().toISOString()) {
  const { name, config, configText, facts } = published
  const [before, prefix] = [entriesOf(locked), prefixOf(name, config)]
  const changes = new Map(changesOf(locked, published).map(news => [news.tool, news]))
  const entries = [...new Set([...before.keys(), ...changes.keys()])].flatMap(tool => {
    const [policy, news, was] = [policyOf(config, tool), changes.get(tool), before.get(tool)]
    const isNews = news !== undefined && isAccepted(news)
    const toolId = toolIdOf(prefix, tool)
    if (policy === null) return []
    // What was locked stays as it is, its digest too: a definition that was edited does not get one by being locked again.
    if (!isNews) return was === undefined ? [] : [[tool, { ...was, toolId, policy }]]
    const definition = news.is
    return definition === undefined
      ? []
      : [[tool, { toolId, sha256: digestOf(definition), definition, policy, acceptedAt: at }]]
  })
  const { era, protocolVersion, serverInfo, capabilities } = facts
  const configSha256 = digestOf(configText)
  return { configSha256, prefix, era, protocolVersion, serverInfo, capabilities, tools: Object.fromEntries(entries) }
}

module.exports = { changesOf, lockSource, needsTask }
