'use strict'

// Adds the tools folder and the scripts to package.json. A member that exists is kept.

const { readFile, rename, writeFile } = require('node:fs/promises')
const path = require('node:path')

const { CommandFailure } = require('../exit.js')

const NAME = 'package.json'
const BUILD = 'toolgate build'

/** @typedef {import('../../shared-types.js').JsonObject} JsonObject */

/**
 * @param {string} home
 * @returns {Promise<{ text: string, manifest: JsonObject }>}
 * @throws {CommandFailure} if there is none, or it is not an object
 */
async function readManifest(home) {
  const text = await readFile(path.join(home, NAME), 'utf8').catch(() => {
    throw new CommandFailure('there is no package.json here', 'run `npm init -y` first, or change to your project')
  })
  try {
    const manifest = JSON.parse(text.replace(/^\ufeff/, ''))
    if (typeof manifest === 'object' && manifest !== null && !Array.isArray(manifest)) return { text, manifest }
  } catch {
    // Reported below.
  }
  throw new CommandFailure('package.json is not a JSON object', 'correct it first')
}

/**
 * @param {JsonObject} manifest
 * @param {string[]} scripts names of the scripts that build the tools
 * @param {string} tools the folder of the tools
 * @returns {{ manifest: JsonObject, added: string[], kept: string[] }} `added`: the members that are new; `kept`: those
 *   that exist with another value
 */
function withTools(manifest, scripts, tools) {
  const has = /** @param {string} name */ name => Object.hasOwn(manifest.scripts ?? {}, name)
  const missing = scripts.filter(name => !has(name))
  const others = scripts.filter(name => has(name) && !String(manifest.scripts[name]).includes(BUILD))
  const needsFolder = !Object.hasOwn(manifest, 'toolgate')
  return {
    manifest: {
      ...manifest,
      ...(missing.length > 0 && {
        scripts: { ...manifest.scripts, ...Object.fromEntries(missing.map(name => [name, BUILD])) },
      }),
      ...(needsFolder && { toolgate: { tools } }),
    },
    added: [...missing.map(name => `scripts.${name}`), ...(needsFolder ? ['toolgate'] : [])],
    kept: others.map(name => `scripts.${name}`),
  }
}

/**
 * Writes package.json with the indentation that it had; a reader never sees a part of it.
 * @param {string} home
 * @param {string} before its text
 * @param {JsonObject} manifest
 */
async function writeManifest(home, before, manifest) {
  const [, indent = '  '] = /^\{\r?\n([ \t]+)/.exec(before.replace(/^\ufeff/, '')) ?? []
  const file = path.join(home, NAME)
  const draft = `${file}.${process.pid}.tmp`
  try {
    await writeFile(draft, `${JSON.stringify(manifest, null, indent)}\n`, { flag: 'wx' })
    await rename(draft, file)
  } catch (cause) {
    const { code } = /** @type {NodeJS.ErrnoException} */ (cause)
    throw new CommandFailure(`package.json can't be written (${code})`, 'check the permissions of the folder')
  }
}

module.exports = { readManifest, withTools, writeManifest }
