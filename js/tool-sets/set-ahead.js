'use strict'

// The tool set of a registry that is described before its load: modules make prompts and check arguments while they are
// imported, when nothing can be waited for.

const { artifactToLoad } = require('./artifact.js')
const { EMBEDDED_SERVICES, shippedTools } = require('./shipped-tools.js')
const { readToolSet } = require('./tool-set.js')

/**
 * @typedef {import('./tool-set.js').ToolSet} ToolSet
 * @typedef {{ file: string, set: ToolSet, services: string[] }} SetAhead `services`: those that the load is expected to give
 */

/**
 * Reads the tool set that a load would read, without its handlers.
 * @param {Pick<import('../../index.js').RegistryOptions, 'artifact' | 'strictNulls'>} options
 * @returns {SetAhead}
 */
function readAhead(options) {
  const { file } = artifactToLoad(options.artifact, true)
  const set = readToolSet(file, options)
  // The services of a project are given at the load: until then no tool is hidden for want of one.
  const required = [...set.tools.values()].flatMap(({ requires }) => requires)
  return { file, set, services: file === shippedTools ? EMBEDDED_SERVICES : [...new Set(required)] }
}

/**
 * The set that was read ahead, if it is the one to load: what was declared of it counts. Else the set is read.
 * @param {SetAhead | null} ahead
 * @param {string} file
 * @param {Pick<import('../../index.js').RegistryOptions, 'strictNulls'>} options
 */
function setToLoad(ahead, file, options) {
  if (ahead === null || ahead.file !== file) return readToolSet(file, options)
  if (options.strictNulls !== undefined) ahead.set.native.decideStrictNulls(options.strictNulls)
  return ahead.set
}

module.exports = { readAhead, setToLoad }
