'use strict'

// The place that the tools are in: git, and permission to write.

const { accessSync, constants, existsSync } = require('node:fs')
const path = require('node:path')

const { ok, problem, warning } = require('./verdict.js')

/** The tool set names the commit that it was built from. */
function checkGit(compiled) {
  const artifact = compiled.artifact()
  // Where the sources have errors there is nothing to ask; the tools' own check says so.
  if (artifact === null) return []
  if (artifact.gitCommit !== null) return [ok('git', `built from commit ${artifact.gitCommit.slice(0, 12)}`)]
  return [
    warning(
      'git',
      'the tools are in no git repository with a commit',
      'without one a tool set names no commit; `git init` and commit, or pass it over',
    ),
  ]
}

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

function nearestExisting(folder) {
  return existsSync(folder) || folder === path.dirname(folder) ? folder : nearestExisting(path.dirname(folder))
}

module.exports = { checkGit, checkWriting }
