'use strict'

// What the nearest package.json of a folder says of the project: how Node reads a `.js` file, and how its tests run.

const { manifestsAbove } = require('../../tool-sets/manifests.js')

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

module.exports = { moduleKind, testRunner }
