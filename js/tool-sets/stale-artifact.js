'use strict'

// Finds tool folders that are newer than the built tool set: such a tool is missing in it, or as it was before.

const { readdirSync, statSync } = require('node:fs')
const path = require('node:path')

const { projectToolsFolder } = require('./project-artifact.js')
const { shippedTools } = require('./shipped-tools.js')
const { isToolFile } = require('../values/tool-files.js')

/**
 * The log line about a tool set that is older than its sources; null if it is not. An installed package has no sources
 * to build, and its files have the times of its installation.
 * @param {string} file the artifact
 * @param {boolean} isProjects whether it was found as the project's: its sources may be in another folder
 * @returns {import('../../index.js').CoreWarning | null}
 */
function staleArtifactLine(file, isProjects) {
  if (file === shippedTools || file.split(path.sep).includes('node_modules')) return null
  const newer = newerFolders((isProjects ? projectToolsFolder() : null) ?? path.dirname(file), file)
  if (newer.length === 0) return null
  const folders = newer.map(folder => path.relative('', folder) || '.').join('; ')
  const message = 'the tool set is older than tools that it is built from: run `npx toolgate build`'
  return { at: new Date().toISOString(), level: 'warn', message, folders }
}

/** @param {string} toolsDir @param {string} artifact @returns {string[]} sorted */
function newerFolders(toolsDir, artifact) {
  const built = changedAt(artifact)
  return namesIn(toolsDir)
    .filter(name => !/^[_.]/.test(name) && name !== 'node_modules')
    .map(name => path.join(toolsDir, name))
    .filter(folder => namesIn(folder).some(name => isToolFile(name) && changedAt(path.join(folder, name)) > built))
    .sort()
}

/** Empty if it is not a folder, or can't be read. @param {string} folder @returns {string[]} */
function namesIn(folder) {
  try {
    return readdirSync(folder)
  } catch {
    return []
  }
}

/** A file that is gone was not changed. @param {string} file */
const changedAt = file => statSync(file, { throwIfNoEntry: false })?.mtimeMs ?? 0

module.exports = { staleArtifactLine }
