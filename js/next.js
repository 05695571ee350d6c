'use strict'

// Settings of Next.js for an app that uses this package.

const path = require('node:path')

const { settingsOf } = require('./cli/settings.js')
const { packageFolders } = require('./operations/package-folders.js')

/** The package and what its own tools import: the bundler must leave them as they are. */
const OWN_PACKAGES = ['toolgate', '@orama/orama', '@orama/stopwords', 'ical.js', 'libphonenumber-js']

/**
 * Adds to a Next.js configuration what the package needs: it stays outside of the bundles, because its addon and its
 * handlers are found by path at run time, and all files are traced into the output (`output: 'standalone'`, Vercel).
 *
 * @param {import('./next.js').NextSettings} [config]
 * @param {{ packages?: string[] }} [options] `packages`: what the project's handlers import from node_modules
 * @returns {import('./next.js').NextSettings}
 */
function withToolgate(config = {}, { packages = [] } = {}) {
  if (typeof config === 'function') {
    throw new TypeError('`withToolgate` takes a configuration object; call it inside of your function')
  }
  const cwd = process.cwd()
  const external = [...OWN_PACKAGES, ...packages]
  const includes = config.outputFileTracingIncludes ?? {}
  const files = [...toolFiles(cwd), ...packageFolders(external, cwd).map(folder => relativeGlob(cwd, folder))]
  return {
    ...config,
    serverExternalPackages: unique([...(config.serverExternalPackages ?? []), ...external]),
    outputFileTracingIncludes: { ...includes, '/*': unique([...(includes['/*'] ?? []), ...files]) },
  }
}

/** The project's tool folders and its artifact. @param {string} cwd */
function toolFiles(cwd) {
  const { toolsDir, outDir } = settingsOf(undefined, {}, cwd)
  return unique([toolsDir, outDir]).map(folder => relativeGlob(cwd, folder))
}

/** With forward slashes, as patterns are written on every system. @param {string} cwd @param {string} folder */
const relativeGlob = (cwd, folder) => `./${path.relative(cwd, folder).split(path.sep).join('/')}/**/*`

/** @param {string[]} values */
const unique = values => [...new Set(values)]

module.exports = { withToolgate }
