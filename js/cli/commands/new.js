'use strict'

// `toolgate new <tool>`: writes a template of a tool that builds and passes its test.

const { mkdir, rm, writeFile } = require('node:fs/promises')
const path = require('node:path')

const { CommandFailure, UsageError } = require('../exit.js')
const { moduleKind } = require('../new/module-kind.js')
const { badName, toolIdOf } = require('../new/tool-name.js')
const { settingsOf } = require('../settings.js')
const { suggestion } = require('../suggest.js')
const { lookOf } = require('../terminal.js')

const CATEGORIES = ['utility', 'retrieval', 'action']

/** @param {string} name @param {{ category: string, dir?: string }} flags */
async function run(name, { category, dir }) {
  const wrong = badName(name)
  if (wrong !== null) throw new UsageError(wrong.message, wrong.hint)
  if (!CATEGORIES.includes(category))
    throw new UsageError(`there is no category \`${category}\``, suggestion(category, CATEGORIES))
  const { toolsDir } = settingsOf(dir, {})
  const folder = path.join(toolsDir, name)
  const files = require(`../new/${category}.js`)({ toolId: toolIdOf(name), folder: name, kind: moduleKind(toolsDir) })
  await writeTool(folder, {
    'schema.json': `${JSON.stringify({ $schema: editorSchema(folder), ...files.schema }, null, 2)}\n`,
    ...files.texts,
  })
  const { paint } = lookOf(process.stdout)
  const shown = path.relative('', folder) || '.'
  process.stdout.write(
    `${paint.green('created')} ${shown}/\n${Object.keys(files.texts)
      .concat('schema.json')
      .sort()
      .map(file => `  ${file}\n`)
      .join('')}\n` +
      `next: \`toolgate check\`, and \`node --test ${shown}/handler.test.mjs\` runs its test through the gate\n`,
  )
}

/**
 * Writes all files; removes the folder if one can't be written.
 * @param {string} folder
 * @param {Record<string, string>} files
 */
async function writeTool(folder, files) {
  await mkdir(path.dirname(folder), { recursive: true }).catch(throwWriteFailure(path.dirname(folder)))
  await mkdir(folder).catch(throwWriteFailure(folder))
  try {
    for (const [name, text] of Object.entries(files)) await writeFile(path.join(folder, name), text, { flag: 'wx' })
  } catch (cause) {
    await rm(folder, { recursive: true, force: true })
    throw throwWriteFailure(folder)(/** @type {NodeJS.ErrnoException} */ (cause))
  }
}

/** @param {string} folder @returns {(cause: NodeJS.ErrnoException) => never} */
const throwWriteFailure = folder => cause => {
  const shown = path.relative('', folder) || '.'
  if (cause.code === 'EEXIST')
    throw new CommandFailure(`\`${shown}\` already exists`, 'choose another name, or remove it')
  throw new CommandFailure(
    `\`${shown}\` can't be created: ${cause.code ?? cause.message}`,
    'check the permissions of the folder',
  )
}

/** The path of the JSON Schema of schema.json, relative to the tool's folder, for editors. @param {string} folder */
function editorSchema(folder) {
  const file = path.join(__dirname, '..', '..', '..', 'schemas', 'tool.schema.json')
  return path.relative(folder, installed(folder) ?? file).replaceAll(path.sep, '/')
}

/**
 * The schema in the project's node_modules, without resolving links, which may lead out of the project.
 * @param {string} folder
 */
function installed(folder) {
  const { existsSync } = require('node:fs')
  for (let home = path.dirname(folder); ; home = path.dirname(home)) {
    const file = path.join(home, 'node_modules', 'toolgate', 'schemas', 'tool.schema.json')
    if (existsSync(file)) return file
    if (home === path.dirname(home)) return null
  }
}

module.exports = {
  name: 'new',
  summary: 'write a new tool with a test',
  description: `Writes schema.json, guide.md, a handler and a test into a new folder. The tool builds as it is, and its test goes through
the real gate; change them into what you need.`,
  examples: [
    'toolgate new say_hello',
    'toolgate new find_order --category retrieval',
    'toolgate new send_mail --category action --dir src/tools',
  ],
  /** @param {import('commander').Command} command */
  options: command =>
    command
      .argument('<tool>', 'its name: lower-case letters, digits and `_`, such as `find_order`')
      .option('--category <category>', `what it is for: ${CATEGORIES.join(', ')}`, 'utility')
      .option('--dir <folder>', 'the tools folder (default: `tools`)'),
  run,
}
