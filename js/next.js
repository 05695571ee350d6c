'use strict'

// Settings of Next.js for an app that uses this package.

const path = require('node:path')

const { settingsOf } = require('./cli/command-settings.js')
const { packageFolders } = require('./operations/package-folders.js')
const { importsOf } = require('./operations/source-imports.js')

/** The bundler must leave them as they are. The second is optional. */
const OWN_PACKAGES = ['toolgate', 'toolgate-tools']

/**
 * Adds to a Next.js configuration what the package needs: it stays outside of the bundles, because its addon and its
 * handlers are found by path at run time, and all files are traced into the output (`output: 'standalone'`, Vercel): those of the
 * package, of the tools, and of what the tools import.
 *
 * @param {import('./next.js').NextSettings} [config]
 * @param {{ packages?: string[] }} [options] `packages`: what the tools import by names that are made at run time
 * @returns {import('./next.js').NextSettings}
 */
function withToolgate(config = {}, { packages = [] } = {}) {
  if (typeof config === 'function') {
    throw new TypeError('`withToolgate` takes a configuration object; call it inside of your function')
  }
  const cwd = process.cwd()
  const external = [...OWN_PACKAGES, ...packages]
  const { toolsDir, outDir } = settingsOf(undefined, {}, cwd)
  const tools = unique([toolsDir, outDir])
  const imports = importsOf(tools)
  const folders = packageFolders([...external.map(name => ({ name, from: cwd })), ...imports.packages])
  const files = [
    ...[...tools, ...folders].map(folder => `${relative(cwd, folder)}/**/*`),
    ...imports.files.map(file => relative(cwd, file)),
  ]
  const includes = config.outputFileTracingIncludes ?? {}
  return {
    ...config,
    serverExternalPackages: unique([...(config.serverExternalPackages ?? []), ...external]),
    outputFileTracingIncludes: { ...includes, '/*': unique([...(includes['/*'] ?? []), ...files]) },
  }
}

/** With forward slashes, as patterns are written on every system. @param {string} cwd @param {string} place */
const relative = (cwd, place) => `./${path.relative(cwd, place).split(path.sep).join('/')}`

/** @param {string[]} values */
const unique = values => [...new Set(values)]

module.exports = { withToolgate }
