'use strict'

// Compiles TypeScript modules of a tool, and those that they import by relative paths, to `.mjs` files beside them.
// Types are removed, not checked: `tsc` and editors check them.
// oxc-transform runs on Node 20, which amaro does not. ts-blank-space would need all of TypeScript.

const { existsSync } = require('node:fs')
const { readFile, stat } = require('node:fs/promises')
const path = require('node:path')

const { isAuthored, writeGenerated } = require('./generated-file.js')

const TYPESCRIPT = /\.m?ts$/
/** Suffixes of a relative import that can stand for a TypeScript file. @type {[RegExp, string[]][]} */
const SOURCES = [
  [/\.m?ts$/, ['']],
  [/\.js$/, ['.ts']],
  [/\.mjs$/, ['.mts']],
  [/$/, ['.ts', '.mts', '/index.ts']],
]

/** @param {string} source @returns {string} the path of the module that is made from a TypeScript file */
const compiledPath = source => source.replace(TYPESCRIPT, '.mjs')

/** Ends the preparation of a tool folder with a finding. */
class SourceFailure extends Error {
  /**
   * @param {string} file
   * @param {{ code: string, message: string, help: string, offset?: number }} details `offset`: in the file, in UTF-16
   *   code units
   */
  constructor(file, { code, message, help, offset = 0 }) {
    super(message)
    this.file = file
    this.code = code
    this.help = help
    this.offset = offset
  }
}

/** @param {string} file @param {string} message @returns {SourceFailure} two files mean the same */
const conflict = (file, message) =>
  new SourceFailure(file, { code: 'schema-module', message, help: 'keep one of them' })

/**
 * @param {string} file a TypeScript module
 * @param {Set<string>} [done] the files that are compiled already; receives each compiled one
 * @returns {Promise<Set<string>>} `done`
 * @throws {SourceFailure} if a module does not parse, or its output would replace an author's file
 */
async function compileTypeScript(file, done = new Set()) {
  if (done.has(file)) return done
  done.add(file)
  const { text, imported } = await rewriteImports(file, await stripTypes(file))
  const output = compiledPath(file)
  if (await isAuthored(output)) {
    throw conflict(file, `\`${path.basename(output)}\` exists and is not a file of the build`)
  }
  await writeGenerated(output, text, file)
  for (const next of imported) await compileTypeScript(next, done)
  return done
}

/** The text of a pipe would be waited for. @param {string} file */
async function fileText(file) {
  if (!(await stat(file)).isFile()) throw new Error('it is not a file')
  return readFile(file, 'utf8')
}

/** @param {string} file @returns {Promise<string>} JavaScript with the same imports */
async function stripTypes(file) {
  const text = await fileText(file).catch(cause => {
    const message = `\`${path.basename(file)}\` can't be read (${cause.code ?? cause.message})`
    throw new SourceFailure(file, { code: 'unreadable-file', message, help: 'check its permissions' })
  })
  const { transform } = await import('oxc-transform')
  const { code, errors } = await transform(file, text, { lang: 'ts', sourceType: 'module' })
  const [error] = errors
  if (error === undefined) return code
  throw new SourceFailure(file, {
    code: 'handler-syntax',
    message: error.message.replace(/\.$/, ''),
    help: 'correct the TypeScript',
    offset: error.labels[0]?.start,
  })
}

/**
 * Replaces imports of TypeScript files by their compiled modules.
 * @param {string} file
 * @param {string} code
 * @returns {Promise<{ text: string, imported: string[] }>} `imported`: the TypeScript files
 */
async function rewriteImports(file, code) {
  const { init, parse } = await import('es-module-lexer')
  await init
  /** @type {string[]} */
  const imported = []
  let text = ''
  let end = 0
  for (const { type, specifier, start, end: stop } of parse(code)[0]) {
    const source = typeof specifier === 'string' ? sourceOf(file, specifier) : null
    if (source === null) continue
    imported.push(source)
    const relative = path.relative(path.dirname(file), compiledPath(source)).replaceAll(path.sep, '/')
    const written = relative.startsWith('.') ? relative : `./${relative}`
    // The position of a dynamic import includes its quotes.
    text += code.slice(end, start) + (type === 'dynamic' ? JSON.stringify(written) : written)
    end = stop
  }
  return { text: text + code.slice(end), imported }
}

/** @param {string} file @param {string} specifier @returns {string | null} the TypeScript file that an import means */
function sourceOf(file, specifier) {
  if (!/^\.\.?\//.test(specifier)) return null
  const target = path.resolve(path.dirname(file), specifier)
  if (!TYPESCRIPT.test(target) && path.extname(target) !== '' && existsSync(target)) return null
  const [suffix, endings] = /** @type {[RegExp, string[]]} */ (SOURCES.find(([suffix]) => suffix.test(target)))
  const stem = endings[0] === '' ? target : target.replace(suffix, '')
  return endings.map(ending => stem + ending).find(candidate => existsSync(candidate)) ?? null
}

module.exports = { TYPESCRIPT, SourceFailure, compiledPath, compileTypeScript, conflict }
