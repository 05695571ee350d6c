'use strict'

// Imports by a path alias of `tsconfig.json` or a bundler: the build does not resolve them, and no registry has them.

const { readFileSync } = require('node:fs')
const path = require('node:path')

/** The name of a package, and a path in it: `zod/mini`, `@scope/name`. */
const PACKAGE = /^(?:@[a-z0-9~-][a-z0-9._~-]*\/)?[a-z0-9~-][a-z0-9._~-]*(?:\/|$)/i
const CONFIGS = ['tsconfig.json', 'jsconfig.json']

/**
 * @param {string} specifier that is not relative
 * @param {string} file the importing module
 */
const isPathAlias = (specifier, file) =>
  !PACKAGE.test(specifier) || aliasesFor(path.dirname(file)).some(alias => matches(alias, specifier))

/** Node names a package without the path in it. @param {string} alias such as `@/*` @param {string} specifier */
function matches(alias, specifier) {
  const [start, end] = alias.split('*')
  if (end === undefined || start === '') return alias === specifier
  return start === `${specifier}/` || (specifier.startsWith(start) && specifier.endsWith(end))
}

/** The keys of `paths` in the nearest configuration. It may have comments, so it is not parsed. @param {string} folder @returns {string[]} */
function aliasesFor(folder) {
  for (const name of CONFIGS) {
    try {
      const [, paths = ''] = /"paths"\s*:\s*\{([^}]*)\}/.exec(readFileSync(path.join(folder, name), 'utf8')) ?? []
      return [...paths.matchAll(/"([^"]+)"\s*:\s*\[/g)].map(([, alias]) => alias)
    } catch {
      // Absent or unreadable: the next one counts.
    }
  }
  const parent = path.dirname(folder)
  return parent === folder ? [] : aliasesFor(parent)
}

const ALIAS_HELP = 'import the file by a relative path, or name the alias in `imports` of package.json, as `#…`'

module.exports = { ALIAS_HELP, isPathAlias }
