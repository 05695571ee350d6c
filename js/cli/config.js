'use strict'

// The `toolgate` field of package.json: defaults of a project for the flags.

const { readFileSync } = require('node:fs')
const path = require('node:path')

const { UsageError } = require('./exit.js')
const { suggestion } = require('../tool-sets/suggest.js')

/** @param {unknown} value */
const isText = value => typeof value === 'string' && value !== ''
/** @param {unknown} value */
const isTexts = value => Array.isArray(value) && value.length > 0 && value.every(isText)

/** @type {Record<string, { is(value: unknown): boolean, expected: string }>} */
const FIELDS = {
  tools: { is: isText, expected: 'a folder' },
  out: { is: isText, expected: 'a folder' },
  sources: { is: isText, expected: 'a folder' },
  modes: { is: isTexts, expected: 'a list of names' },
  providers: { is: isTexts, expected: 'a list of names' },
  services: { is: isTexts, expected: 'a list of names' },
}

/** @typedef {{ tools?: string, out?: string, sources?: string, modes?: string[], providers?: string[], services?: string[] }} ProjectConfig */

/**
 * The configuration of the nearest package.json, from `folder` upwards, that has one.
 * @param {string} folder
 * @returns {ProjectConfig & { home: string } | null} `home`: the folder that its paths are relative to
 * @throws {UsageError} if it is wrong
 */
function readConfig(folder) {
  for (let home = path.resolve(folder); ; home = path.dirname(home)) {
    const config = configIn(home)
    if (config !== undefined) return { ...checked(config, path.join(home, 'package.json')), home }
    if (home === path.dirname(home)) return null
  }
}

/** @param {string} home @returns {unknown} undefined if there is none */
function configIn(home) {
  const file = path.join(home, 'package.json')
  let text
  try {
    text = readFileSync(file, 'utf8')
  } catch {
    // Absent, or unreadable: no configuration.
    return undefined
  }
  try {
    return JSON.parse(text.replace(/^\ufeff/, ''))?.toolgate
  } catch (cause) {
    throw new UsageError(
      `\`${file}\` is not valid JSON: ${/** @type {Error} */ (cause).message}`,
      'correct it; the field `toolgate` in it is read',
    )
  }
}

/** @param {unknown} config @param {string} file @returns {ProjectConfig} */
function checked(config, file) {
  if (typeof config !== 'object' || config === null || Array.isArray(config)) {
    throw new UsageError(`\`toolgate\` in \`${file}\` is not an object`, 'write `"toolgate": { "tools": "tools" }`')
  }
  for (const [name, value] of Object.entries(config)) {
    if (!Object.hasOwn(FIELDS, name)) {
      throw new UsageError(`unknown field \`toolgate.${name}\` in \`${file}\``, suggestion(name, Object.keys(FIELDS)))
    }
    const { is, expected } = FIELDS[name]
    if (!is(value))
      throw new UsageError(`\`toolgate.${name}\` in \`${file}\` is ${JSON.stringify(value)}`, `it must be ${expected}`)
  }
  return config
}

module.exports = { readConfig }
