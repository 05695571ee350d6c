'use strict'

// Settings of a command: its flags, then the project's configuration, then the defaults.

const { InvalidArgumentError } = require('commander')
const { statSync } = require('node:fs')
const path = require('node:path')

const { checkModeNames } = require('../tool-sets/registry-modes.js')
const { readConfig } = require('./config.js')
const { CommandFailure, UsageError } = require('./exit.js')

const DEFAULT_TOOLS = 'tools'
const DEFAULT_SOURCES = 'sources'

/** The value of a flag such as `--modes kiosk,phone`. @param {string} text */
function parseNames(text) {
  const list = text
    .split(',')
    .map(name => name.trim())
    .filter(name => name !== '')
  // Commander prints the quoted value before this message.
  if (list.length === 0) throw new InvalidArgumentError('Give names, separated by commas.')
  return list
}

/** The value of a flag such as `--port 8789`. @param {string} text */
function parsePort(text) {
  const port = wholeNumber(text)
  if (port > 65_535) throw new InvalidArgumentError('A port is a number from 0 to 65535.')
  return port
}

/** The value of a flag such as `--turn-gap 10000`. @param {string} text */
const parseMilliseconds = text => wholeNumber(text, 'Give milliseconds, 0 or more.')

/** The value of a flag such as `--limit 50`. @param {string} text */
function parseCount(text) {
  const count = wholeNumber(text, 'Give a number, 1 or more.')
  if (count === 0) throw new InvalidArgumentError('Give a number, 1 or more.')
  return count
}

/** @param {string} text */
function wholeNumber(text, expected = 'Give a number, 0 or more.') {
  if (!/^\d{1,12}$/.test(text)) throw new InvalidArgumentError(expected)
  return Number(text)
}

/** Options of commands that read the tools' sources. @param {import('commander').Command} command */
function takesSources(command) {
  return command
    .argument('[folder]', 'the tools folder: one folder in it for each tool (default: `tools`)')
    .option('--tools <folder>', 'the same, as an option')
    .option('--modes <names>', 'modes of the host besides text, voice and webcam', parseNames)
    .option(
      '--providers <names>',
      'providers that the host uses; findings are about these (default: those of its dependencies)',
      parseNames,
    )
}

/** Options of commands that write the tool set. @param {import('commander').Command} command */
function takesOutput(command) {
  return takesSources(command).option('--out <folder>', 'where the tool set is written (default: the tools folder)')
}

/**
 * @typedef {import('./config.js').ProjectConfig} SourceFlags the flags that select the sources and the output
 * @typedef {{ toolsDir: string, outDir: string, sourcesDir: string, modes?: string[], providers?: string[],
 *   services?: string[] }} Settings absolute paths; `sourcesDir` may not exist
 * @param {string | undefined} folder the positional argument
 * @param {SourceFlags} flags
 * @returns {Settings}
 * @throws {UsageError}
 */
function settingsOf(folder, flags, cwd = process.cwd()) {
  if (
    folder !== undefined &&
    flags.tools !== undefined &&
    path.resolve(cwd, folder) !== path.resolve(cwd, flags.tools)
  ) {
    throw new UsageError(`two tools folders are named: \`${folder}\` and \`${flags.tools}\``, 'name one of them')
  }
  const named = folder ?? flags.tools
  if (named === '') throw new UsageError('the name of the tools folder is empty', 'leave it out for `tools`')
  const config = readConfig(cwd)
  const home = config?.home ?? cwd
  const usual = path.resolve(home, config?.tools ?? DEFAULT_TOOLS)
  const toolsDir = named === undefined ? usual : path.resolve(cwd, named)
  // Tools of another folder are not written to the project's output.
  const out = config?.out === undefined || toolsDir !== usual ? toolsDir : path.resolve(home, config.out)
  const modes = flags.modes ?? config?.modes
  try {
    checkModeNames(modes)
  } catch (error) {
    throw new UsageError(/** @type {Error} */ (error).message, 'rename the mode')
  }
  return {
    toolsDir,
    outDir: flags.out === undefined ? out : path.resolve(cwd, flags.out),
    // Nor have they the project's sources.
    sourcesDir: path.resolve(toolsDir === usual ? home : toolsDir, config?.sources ?? DEFAULT_SOURCES),
    modes,
    providers: flags.providers ?? config?.providers,
    services: config?.services,
  }
}

/**
 * Why the tools folder can't be read, and what to do; null if it is there.
 * @param {Pick<Settings, 'toolsDir' | 'sourcesDir'>} settings
 */
function missingSources({ toolsDir, sourcesDir }) {
  const found = statSync(toolsDir, { throwIfNoEntry: false })
  if (found?.isDirectory()) return null
  // All of its tools may be those of other people's servers.
  if (found === undefined && statSync(sourcesDir, { throwIfNoEntry: false })?.isDirectory()) return null
  const shown = path.relative('', toolsDir) || '.'
  return {
    found: found === undefined ? `there is no folder \`${shown}\`` : `\`${shown}\` is not a folder`,
    help: 'name the tools folder, or write a first tool with `toolgate init`',
  }
}

/** @param {Pick<Settings, 'toolsDir' | 'sourcesDir'>} settings @throws {CommandFailure} if the tools folder is not there */
function requireSources(settings) {
  const missing = missingSources(settings)
  if (missing !== null) throw new CommandFailure(missing.found, missing.help)
}

module.exports = {
  missingSources,
  parseCount,
  parsePort,
  parseMilliseconds,
  parseNames,
  requireSources,
  settingsOf,
  takesOutput,
  takesSources,
}
