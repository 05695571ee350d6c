'use strict'

// `toolgate mcp lock`, `diff` and `approve`: what the team agrees to of the servers in `sources/`. The only commands that
// connect to them.

const { statSync } = require('node:fs')
const path = require('node:path')

const { settingsOf } = require('../command-settings.js')
const { counted } = require('../counted.js')
const { CommandFailure, EXIT, UsageError } = require('../exit.js')
const { harmless } = require('../terminal.js')
const { suggestion } = require('../../tool-sets/suggest.js')
const { differences } = require('./definition-diff.js')

/** What a program that failed wrote last, stack frames and blank lines left out. */
const MAX_SAID_LINES = 12
const STACK_FRAME = /^\s+at /

/**
 * @typedef {import('../../sources/lock-types.js').LockChange} LockChange
 * @typedef {import('../../sources/lock-types.js').LockFile} LockFile
 * @typedef {import('../../sources/lock-types.js').PublishedSource} PublishedSource
 * @typedef {import('../../sources/types.js').SourceConfig} SourceConfig
 * @typedef {{ sources?: string }} LockFlags
 * @typedef {{ folder: string, lock: LockFile, published: PublishedSource[], failed: boolean }} AskedServers
 */

/** Locks the sources: all of a source that is not locked yet, and the present policies of the others. @param {string[]} names @param {LockFlags} flags */
async function lock(names, flags) {
  const asked = await ask(names, flags)
  const { readLocked, changesOf, lockSource, writeLock } = model()
  let isOpen = asked.failed
  for (const source of asked.published) {
    const was = readLocked(asked.lock, source.name)
    asked.lock.sources[source.name] = lockSource(was, source, () => was === undefined)
    const open = changesOf(asked.lock.sources[source.name], source)
    print(summary(source, asked.lock))
    if (open.length > 0)
      print(
        `  not agreed to: ${open.map(described).join(', ')}; \`toolgate mcp diff\` shows it, \`toolgate mcp approve\` agrees\n`,
      )
    isOpen ||= open.length > 0
  }
  if (names.length === 0) dropLost(asked)
  if (Object.keys(asked.lock.sources).length === 0) throw new CommandFailure('nothing was locked')
  writeLock(asked.folder, asked.lock)
  print(`wrote toolgate.lock.json${isOpen ? '' : '; `toolgate build` makes the tool set'}\n`)
  return isOpen ? EXIT.failed : EXIT.ok
}

/** Shows how the servers differ from the lock. @param {string[]} names @param {LockFlags} flags */
async function diff(names, flags) {
  const asked = await ask(names, flags)
  const { readLocked, changesOf } = model()
  let found = 0
  for (const source of asked.published) {
    for (const change of changesOf(readLocked(asked.lock, source.name), source)) {
      found += 1
      print(`${source.name}/${change.tool} ${change.kind}\n`)
      print(
        differences(change.was, change.is)
          .map(line => `  ${line}\n`)
          .join(''),
      )
    }
  }
  if (found === 0 && !asked.failed) print('the servers publish what is locked\n')
  return found > 0 || asked.failed ? EXIT.failed : EXIT.ok
}

/** Agrees to what servers publish now: `fs` (all of it), or `fs/write_file`. @param {string[]} names @param {LockFlags} flags */
async function approve(names, flags) {
  const wanted = names.map(name => {
    const [source, ...tool] = name.split('/')
    return { source, tool: tool.length === 0 ? null : tool.join('/') }
  })
  const asked = await ask([...new Set(wanted.map(({ source }) => source))], flags)
  const { readLocked, changesOf, lockSource, writeLock } = model()
  let isMissing = false
  for (const source of asked.published) {
    const was = readLocked(asked.lock, source.name)
    const isWanted = (/** @type {LockChange} */ { tool }) =>
      wanted.some(one => one.source === source.name && (one.tool === null || one.tool === tool))
    const accepted = changesOf(was, source).filter(isWanted)
    asked.lock.sources[source.name] = lockSource(was, source, isWanted)
    const missing = wanted.filter(
      one => one.source === source.name && one.tool !== null && !accepted.some(({ tool }) => tool === one.tool),
    )
    print(
      `${source.name}: ${accepted.length === 0 ? 'nothing has changed' : `agreed to ${accepted.map(described).join(', ')}`}\n`,
    )
    isMissing ||= missing.some(({ tool }) => !isKnown(source, asked.lock, tool))
    for (const { tool } of missing) print(`  \`${tool}\` is as it was locked, or its server does not have it\n`)
  }
  writeLock(asked.folder, asked.lock)
  return asked.failed || isMissing ? EXIT.failed : EXIT.ok
}

/** Whether a tool is locked, or its server has it. @param {PublishedSource} source @param {LockFile} lock @param {string | null} tool */
const isKnown = ({ name, definitions }, { sources }, tool) =>
  Object.hasOwn(sources[name].tools, String(tool)) || definitions.some(definition => definition.name === tool)

/** What the servers of the named sources publish; without names, of all. @param {string[]} names @param {LockFlags} flags @returns {Promise<AskedServers>} */
async function ask(names, { sources }) {
  const folder = sources === undefined ? settingsOf(undefined, {}).sourcesDir : path.resolve(sources)
  const { publishedSource, readLock, configs } = model(folder)
  for (const name of names) {
    if (!configs.has(name))
      throw new UsageError(
        `there is no source \`${name}\` in \`${shown(folder)}\``,
        suggestion(name, [...configs.keys()]),
      )
  }
  const chosen = [...configs].filter(([name]) => names.length === 0 || names.includes(name))
  let failed = false
  const found = chosen.map(async ([name, config]) => {
    let said = ''
    try {
      return [await publishedSource(folder, name, config, ({ stderr = '' }) => (said += stderr))]
    } catch (error) {
      failed = true
      const lines = said.split('\n').filter(line => line.trim() !== '' && !STACK_FRAME.test(line))
      const quoted = lines.slice(-MAX_SAID_LINES).map(line => `  | ${line.slice(0, 200)}\n`)
      const { message } = /** @type {Error} */ (error)
      const named = message.includes(`\`${name}\``) ? message : `\`${name}\`: ${message}`
      process.stderr.write(harmless(`toolgate: ${named}\n${quoted.join('')}`))
      return []
    }
  })
  const published = (await Promise.all(found)).flat()
  return { folder, lock: wrapped(() => readLock(folder)), published, failed }
}

/** Loaded when a command runs. @param {string} [folder] whose configurations are read */
function model(folder) {
  const { readSourceConfigs } = require('../../sources/source-config.js')
  const { readLock, writeLock } = require('../../sources/lock-file.js')
  const { changesOf, lockSource } = require('../../sources/lock-source.js')
  const { publishedSource } = require('../../sources/published-source.js')
  const readLocked = (/** @type {LockFile} */ lock, /** @type {string} */ name) =>
    Object.hasOwn(lock.sources, name) ? lock.sources[name] : undefined
  /** @type {Map<string, SourceConfig>} */
  const configs = folder === undefined ? new Map() : readConfigs(folder, readSourceConfigs)
  return { changesOf, configs, lockSource, publishedSource, readLock, readLocked, writeLock }
}

/** @param {string} folder @param {typeof import('../../sources/source-config.js').readSourceConfigs} read */
function readConfigs(folder, read) {
  if (!statSync(folder, { throwIfNoEntry: false })?.isDirectory())
    throw new CommandFailure(`there is no folder \`${shown(folder)}\``, 'write `sources/<name>.json`: docs/sources.md')
  const { configs, problems } = read(folder)
  if (problems.length > 0) {
    const lines = problems.map(({ file, pointer, message }) => `${shown(file)}${pointer}: ${message}`)
    throw new CommandFailure(lines.join('\n'), 'docs/sources.md describes the file')
  }
  if (configs.size === 0)
    throw new CommandFailure(`\`${shown(folder)}\` has no source`, 'write `sources/<name>.json`: docs/sources.md')
  return configs
}

/** Sources whose files are gone are locked no more. @param {AskedServers} asked */
function dropLost({ folder, lock: { sources } }) {
  const { configs } = model(folder)
  for (const name of Object.keys(sources).filter(name => !configs.has(name))) {
    delete sources[name]
    print(`${name}: no longer locked, because its file is gone\n`)
  }
}

/** One source's line, and the server's proposals. @param {PublishedSource} source @param {LockFile} locked */
function summary({ name, config, definitions, facts }, { sources }) {
  const { needsTask } = require('../../sources/lock-source.js')
  const { isDoubtedRead, isProposedRead, namesOfNone } = require('../../sources/policy.js')
  const policies = Object.values(sources[name].tools).map(({ policy }) => policy)
  const reads = policies.filter(({ sideEffects }) => sideEffects !== 'writes').length
  const asked = policies.filter(({ requiresConfirmation }) => requiresConfirmation === true).length
  const server = [facts.serverInfo?.name, facts.serverInfo?.version, facts.protocolVersion]
    .filter(Boolean)
    .map(oneLine)
    .join(' ')
  const counts = `${reads} ${reads === 1 ? 'reads' : 'read'}, ${asked === 1 ? '1 asks its user' : `${asked} ask their user`}`
  const line = `${name}: ${counted(policies.length, 'tool')}, of which ${counts} (${server})\n`
  const proposed = definitions.filter(definition => isProposedRead(config, definition)).map(tool => `\`${tool.name}\``)
  const ofNone = namesOfNone(config, definitions).map(pattern => `  \`${pattern}\` names no tool of this server\n`)
  const proposals = `  read-only, says the server, so you may want to add to \`reads\`: ${proposed.join(', ')}\n`
  const asTasks = definitions.filter(needsTask).map(tool => `  \`${tool.name}\` runs only as a task, and is left out\n`)
  const doubted = definitions
    .filter(tool => isDoubtedRead(config, tool))
    .map(tool => `  \`${tool.name}\` is named by \`reads\`, but its server says that it changes something\n`)
  return [line, ...doubted, ...(proposed.length > 0 ? [proposals] : []), ...ofNone, ...asTasks].join('')
}

/** @param {LockChange} change */
const described = ({ tool, kind }) => `\`${tool}\` (${kind})`

/** @param {string} file */
const shown = file => path.relative('', file) || '.'

/** @param {string} text */
const print = text => process.stdout.write(harmless(text))

/** A server's word, on one line. @param {unknown} text */
const oneLine = text => String(text).replace(/\s+/g, ' ').slice(0, 80)

/** @template T @param {() => T} read @returns {T} */
function wrapped(read) {
  try {
    return read()
  } catch (error) {
    throw new CommandFailure(
      /** @type {Error} */ (error).message,
      'restore it from your repository, or remove it and lock again',
    )
  }
}

module.exports = { approve, diff, lock }
