'use strict'

// Files that an author means as a tool, by names or at places that the build does not read.

const { existsSync, readdirSync } = require('node:fs')
const { readFile, readdir } = require('node:fs/promises')
const path = require('node:path')

const { SourceFailure } = require('./typescript.js')

/** Names that nothing reads, each with what is written instead. @type {Record<string, string>} */
const NOT_READ = {
  'tool.cts': 'name it `tool.ts`: TypeScript becomes an ES module, with `import` and `export default`',
  'tool.tsx': 'name it `tool.ts`',
  'handler.cts': 'name it `handler.ts`: TypeScript becomes an ES module, with `import` and `export`',
  'schema.cts': 'name it `schema.ts`: TypeScript becomes an ES module, with `import` and `export default`',
  'handler.cjs':
    'name it `handler.js`; if package.json contains `"type": "module"`, write the whole tool in `tool.cjs`, or the handler with `import` and `export`',
}

/** A folder that has one of these is a tool in the layout that the file belongs to. */
const DEFINITION = /^(?:tool\.(?:[cm]?js|m?ts)|schema\.(?:json|[cm]?js|m?ts)|handler\.(?:m?js|m?ts))$/
const NAMES = [
  'schema.json',
  'guide.md',
  'handler.js',
  'handler.mjs',
  'handler.ts',
  'schema.js',
  'schema.mjs',
  'schema.ts',
]
const EXPORTS_TOOL = /(?:export\s+default|exports(?:\.default)?\s*=)\s*defineTool\s*\(/
const SCRIPT = /^(?<name>.+)\.(?<ending>[cm]?[jt]sx?)$/

/**
 * @param {string} folder
 * @param {string[]} files in it
 * @returns {SourceFailure | null}
 */
function misnamedIn(folder, files) {
  const known = files.find(file => Object.hasOwn(NOT_READ, file))
  if (known !== undefined) return misnamed(folder, known, NOT_READ[known])
  for (const file of files) {
    const meant = NAMES.find(name => name !== file && name === file.toLowerCase())
    if (meant !== undefined && !existsSync(path.join(folder, meant)))
      return misnamed(folder, file, `name it \`${meant}\``)
  }
  if (files.some(file => DEFINITION.test(file))) return null
  const other = files.find(file => isToolName(file, path.basename(folder)))
  if (other !== undefined) return misnamed(folder, other, `name it \`${rightName(other)}\``)
  const nested = files.find(file => filesIn(path.join(folder, file)).some(one => DEFINITION.test(one)))
  if (nested === undefined) return null
  const message = `\`${nested}\` is a tool folder inside of \`${path.basename(folder)}\`, where the build does not look`
  const help = `move it to \`${path.basename(path.dirname(folder))}/${nested}\``
  return new SourceFailure(path.join(folder, nested), { code: 'schema-module', message, help })
}

/** @param {string} folder @returns {string[]} none if it is a file */
function filesIn(folder) {
  try {
    return readdirSync(folder)
  } catch {
    return []
  }
}

/** @param {string} file @param {string} folder its folder's name */
function isToolName(file, folder) {
  if (file.toLowerCase() === 'tool.json') return true
  const { name } = SCRIPT.exec(file)?.groups ?? {}
  const names = ['tool', 'index', folder.toLowerCase().replaceAll('-', '_')]
  return name !== undefined && names.includes(name.toLowerCase().replaceAll('-', '_'))
}

/** @param {string} file */
function rightName(file) {
  const ending = SCRIPT.exec(file)?.groups?.ending.replace(/x$/, '').replace('cts', 'ts')
  return ending === undefined ? 'schema.json' : `tool.${ending}`
}

/** @param {string} folder @param {string} file @param {string} help */
const misnamed = (folder, file, help) =>
  new SourceFailure(path.join(folder, file), {
    code: 'schema-module',
    message: `\`${file}\` is a name that the build does not read`,
    help,
  })

/**
 * Tools in files beside the tool folders.
 * @param {string} toolsDir
 * @returns {Promise<SourceFailure[]>} empty if the folder can't be read, which the compiler reports
 */
async function misplacedIn(toolsDir) {
  const entries = await readdir(toolsDir, { withFileTypes: true }).catch(() => [])
  const files = entries.filter(entry => entry.isFile() && SCRIPT.test(entry.name)).map(({ name }) => name)
  const found = await Promise.all(files.sort().map(file => misplaced(toolsDir, file)))
  return found.filter(one => one !== null)
}

/** @param {string} toolsDir @param {string} file */
async function misplaced(toolsDir, file) {
  const text = await readFile(path.join(toolsDir, file), 'utf8').catch(() => '')
  const offset = text.search(EXPORTS_TOOL)
  if (offset < 0) return null
  const home = `${path.basename(toolsDir)}/${path.parse(file).name}`
  const message = `\`${file}\` is outside of a tool folder, so the build does not read it`
  const help = `move it to \`${home}/${rightName(file)}\``
  return new SourceFailure(path.join(toolsDir, file), { code: 'schema-module', message, help, offset })
}

module.exports = { misnamedIn, misplacedIn }
