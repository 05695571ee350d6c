'use strict'

// Checks that the standalone output of Next.js has what the tools need: no bundler follows what is loaded by path.

const { existsSync, readFileSync } = require('node:fs')
const path = require('node:path')

const { lostByCopying, packageFolders } = require('../../operations/package-folders.js')
const { importsOf } = require('../../operations/source-imports.js')
const { manifestIn } = require('../../tool-sets/manifests.js')
const { frameworkOf } = require('../init/framework.js')
const { ok, warning } = require('./check-result.js')

/** The most packages that a message names. */
const MAX_NAMED = 20

/**
 * @param {Pick<import('../command-settings.js').Settings, 'toolsDir' | 'outDir'>} settings
 * @param {string} [home] the project's folder
 * @returns {import('./check-result.js').CheckResult[]} none for a project without Next.js
 */
function checkStandalone({ toolsDir, outDir }, home = process.cwd()) {
  const config = frameworkOf(manifestIn(home) ?? {})?.config
  if (config === undefined) return []
  // One that is not installed is a finding about the handlers.
  const installed = importsOf([toolsDir, outDir]).packages.filter(one => packageFolders([one]).length > 0)
  const packages = [...new Set(installed.map(({ name }) => name))].sort()
  const file = config.names.find(name => existsSync(path.join(home, name)))
  const isWrapped = file !== undefined && readFileSync(path.join(home, file), 'utf8').includes('withToolgate')
  // The build of Next.js finds what the app itself imports, which is this package.
  const lost = lostByCopying(installed.filter(({ name }) => name !== 'toolgate'))
  if (isWrapped && lost.length > 0) {
    const message = `a standalone output lacks what linked packages depend on:${listed(lost, ' ')}`
    return [
      warning(
        'standalone',
        message,
        'install without links: with pnpm `nodeLinker: hoisted` in pnpm-workspace.yaml, or `node-linker=hoisted` in .npmrc',
      ),
    ]
  }
  if (isWrapped)
    return [ok('standalone', `\`${file}\` copies the tools, and what they import${listed(packages, ': ')}`)]
  const lacking = ['toolgate', ...packages.filter(name => name !== 'toolgate')]
  const message = `a standalone output lacks the tools, and the packages${listed(lacking, ' ')}`
  return [
    warning('standalone', message, file === undefined ? `write \`${config.file}\`: \`toolgate init\`` : config.line),
  ]
}

/**
 * What a build for production would lack, where the configuration of Next.js asks for a standalone output.
 * @param {Parameters<typeof checkStandalone>[0]} settings
 * @param {string} [home] the project's folder
 */
function lackedByStandalone(settings, home = process.cwd()) {
  const names = frameworkOf(manifestIn(home) ?? {})?.config?.names ?? []
  const texts = names
    .filter(name => existsSync(path.join(home, name)))
    .map(name => readFileSync(path.join(home, name), 'utf8'))
  if (!texts.some(text => /['"`]standalone['"`]/.test(text))) return []
  return checkStandalone(settings, home).filter(({ status }) => status !== 'ok')
}

/** @param {string[]} names @param {string} before */
function listed(names, before) {
  const shown = names.slice(0, MAX_NAMED).map(name => `\`${name}\``)
  if (names.length > shown.length) shown.push(`${names.length - shown.length} more`)
  return shown.length === 0 ? '' : before + shown.join(', ')
}

module.exports = { checkStandalone, lackedByStandalone }
