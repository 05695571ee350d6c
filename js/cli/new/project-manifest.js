'use strict'

// What the nearest package.json of a folder says of the project: how Node reads a `.js` file, and how its tests run.

const { readFileSync } = require('node:fs')
const path = require('node:path')

/**
 * @typedef {{ module: string, extension: 'mjs' | 'cjs', command(file: string): string }} TestRunner `module`: exports
 *   `test`; `extension`: of the test's file
 */

/** The runners that a project may have, each by its package. @type {Record<string, TestRunner>} */
const RUNNERS = {
  vitest: { module: 'vitest', extension: 'mjs', command: file => `npx vitest run ${file}` },
  // A test that is an ES module fails in a run without the flag, even before it could skip itself.
  jest: {
    module: '@jest/globals',
    extension: 'cjs',
    command: file => `NODE_OPTIONS=--experimental-vm-modules npx jest ${file}`,
  },
}
/** @type {TestRunner} */
const NODE = { module: 'node:test', extension: 'mjs', command: file => `node --test ${file}` }

/** Without `type`, package.json means CommonJS. @param {string} folder which need not be there yet @returns {'module' | 'commonjs'} */
const moduleKind = folder => (manifestsAbove(folder)[0]?.type === 'module' ? 'module' : 'commonjs')

/**
 * The runner of the nearest package.json that has one: a workspace may leave it to the root.
 * @param {string} folder which need not be there yet
 * @returns {TestRunner} Node's own, if the project has no other
 */
function testRunner(folder) {
  for (const { dependencies, devDependencies } of manifestsAbove(folder)) {
    const name = Object.keys(RUNNERS).find(name => Object.hasOwn({ ...dependencies, ...devDependencies }, name))
    if (name !== undefined) return /** @type {TestRunner} */ (RUNNERS[name])
  }
  return NODE
}

/** Each package.json from a folder upwards. @param {string} folder @returns {import('../../shared-types.js').JsonObject[]} */
function manifestsAbove(folder) {
  const home = path.resolve(folder)
  const above = home === path.dirname(home) ? [] : manifestsAbove(path.dirname(home))
  const manifest = manifestIn(home)
  return manifest === null ? above : [manifest, ...above]
}

/** @param {string} home */
function manifestIn(home) {
  try {
    return JSON.parse(readFileSync(path.join(home, 'package.json'), 'utf8')) ?? {}
  } catch {
    return null
  }
}

module.exports = { moduleKind, testRunner }
