'use strict'

// `toolgate init`: prepares a project for its first tool.

const { existsSync } = require('node:fs')
const path = require('node:path')

const { UsageError } = require('../exit.js')
const { settingsOf } = require('../command-settings.js')
const { lookOf } = require('../terminal.js')

const FIRST_TOOL = 'count_words'
/** Where the tools lie if `tools/` is taken by something else, such as scripts. */
const OTHER_FOLDER = 'agent-tools'

/** @param {{ ts?: boolean, js?: boolean }} flags */
async function run({ ts, js }) {
  const { CALL, frameworkOf } = require('../init/framework.js')
  const { readManifest, withTools, writeManifest } = require('../init/manifest.js')
  if (ts && js) throw new UsageError('a tool has one language', 'give `--ts` or `--js`')
  const home = process.cwd()
  const { text, manifest } = await readManifest(home)
  const framework = frameworkOf(manifest)
  const isTypeScript = ts ?? (!js && existsSync(path.join(home, 'tsconfig.json')))
  const { toolsDir, note } = await chosenFolder(manifest)
  const shown = path.relative('', toolsDir).replaceAll(path.sep, '/') || '.'
  // A project that is built needs its tools before.
  const isBuilt = framework?.config !== undefined || Object.hasOwn(manifest.scripts ?? {}, 'build')
  const changes = withTools(manifest, isBuilt ? ['build:tools', 'prebuild'] : ['build:tools'], shown)
  const lines = [framework === null ? 'no known framework' : `found ${framework.name}`, ...note]
  if (changes.added.length > 0) {
    await writeManifest(home, text, changes.manifest)
    lines.push(`added ${changes.added.join(', ')} to package.json`)
  }
  for (const name of changes.kept) lines.push(`kept ${name}: add \`toolgate build\` to it`)
  lines.push(...(await firstTool(isTypeScript, toolsDir, shown)))
  if (framework?.config) lines.push(await configLine(home, framework.config))
  const { paint } = lookOf(process.stdout)
  const steps = ['`npm run build:tools`', ...(framework?.next.length ? framework.next : [CALL])]
  process.stdout.write(`${lines.join('\n')}\n\n${paint.bold('next:')} ${steps.join('; ')}\n`)
}

/** The folder of the tools, and what is said about it. @param {import('../../shared-types.js').JsonObject} manifest */
async function chosenFolder(manifest) {
  const { findToolFolders, hasTool } = require('../../authoring/schema-modules.js')
  const { toolsDir } = settingsOf(undefined, {})
  const folders = await findToolFolders(toolsDir)
  if (Object.hasOwn(manifest, 'toolgate') || folders.length === 0) return { toolsDir, note: [] }
  const are = await Promise.all(folders.map(folder => hasTool(path.join(toolsDir, folder))))
  if (are.includes(true)) return { toolsDir, note: [] }
  return { toolsDir: path.resolve(OTHER_FOLDER), note: [`tools/ has no tool in it: the tools are in ${OTHER_FOLDER}/`] }
}

/**
 * Writes a first tool if there is none.
 * @param {boolean} ts
 * @param {string} toolsDir
 * @param {string} shown its path for people
 * @returns {Promise<string[]>} what was done
 */
async function firstTool(ts, toolsDir, shown) {
  const { formOf, isInstalled, writeNewTool } = require('../new/write-tool.js')
  const { findToolFolders } = require('../../authoring/schema-modules.js')
  if ((await findToolFolders(toolsDir)).length > 0) return [`kept the tools in ${shown}/`]
  const form = formOf({ ts, zod: isInstalled('zod', toolsDir) }, toolsDir)
  const { files } = await writeNewTool({ toolsDir, name: FIRST_TOOL, category: 'utility', form })
  return files.map(file => `created ${shown}/${FIRST_TOOL}/${file}`)
}

/** @param {string} home @param {NonNullable<import('../init/framework.js').Framework['config']>} config */
async function configLine(home, { names, file, text, line }) {
  const { writeFile } = require('node:fs/promises')
  const existing = names.find(name => existsSync(path.join(home, name)))
  if (existing !== undefined) return `kept ${existing}: ${line}`
  await writeFile(path.join(home, file), text, { flag: 'wx' })
  return `created ${file}`
}

module.exports = {
  name: 'init',
  summary: 'prepare a project for its first tool',
  description: `Finds the project's framework by its dependencies, adds the script \`build:tools\` (and \`prebuild\`, if the
project is built) and the tools folder to package.json, and writes one tool with a test. What exists is kept, and named.
The tool is TypeScript if there is a tsconfig.json, and its parameters are a Zod schema if Zod is installed.`,
  examples: ['toolgate init', 'toolgate init --ts'],
  /** @param {import('commander').Command} command */
  options: command =>
    command.option('--ts', 'write the tool in TypeScript').option('--js', 'write the tool in JavaScript'),
  run,
}
