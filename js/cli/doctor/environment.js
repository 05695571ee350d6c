'use strict'

// Checks of the tools' environment: git, and write permission.

const { accessSync, constants, existsSync } = require('node:fs')
const path = require('node:path')

const { ok, problem, warning } = require('./check-result.js')

/**
 * The artifact contains the commit that it was built from.
 * @param {import('../../tool-sets/compile.js').CompiledToolSet} compiled
 */
function checkGit(compiled) {
  const artifact = compiled.artifact()
  // The sources have errors, which the check of the tools reports.
  if (artifact === null) return []
  if (artifact.gitCommit !== null) return [ok('git', `built from commit ${artifact.gitCommit.slice(0, 12)}`)]
  return [
    warning(
      'git',
      'the tools are in no git repository with a commit',
      'without a commit the tool set has no `gitCommit`; run `git init` and commit, or ignore this warning',
    ),
  ]
}

/** @param {import('../command-settings.js').Settings} settings */
function checkWriting({ outDir }) {
  const shown = path.relative('', outDir) || '.'
  try {
    accessSync(nearestExisting(outDir), constants.W_OK | constants.X_OK)
    return ok('writing', `\`${shown}\` can be written`)
  } catch {
    return problem(
      'writing',
      `\`${shown}\` can't be written`,
      'change its permissions, or name another folder with --out',
    )
  }
}

/** @param {string} folder @returns {string} */
function nearestExisting(folder) {
  return existsSync(folder) || folder === path.dirname(folder) ? folder : nearestExisting(path.dirname(folder))
}

module.exports = { checkGit, checkWriting }
