'use strict'

// Where a module, or one that it imports by a relative path, does not parse. Node gives no line for an ES module.

const { readFileSync, statSync } = require('node:fs')
const path = require('node:path')

/** Other modules that are read; a fault in a file that is further away has no line. */
const MAX_FILES = 200
const RELATIVE_REQUIRE = /\brequire\(\s*(['"])(\.{1,2}\/[^'"]+)\1\s*\)/g

/** @typedef {{ file: string, line: number, column: number, message: string, help: string }} SyntaxFault */

/**
 * @param {string} file
 * @param {Set<string>} [seen]
 * @returns {Promise<SyntaxFault | null>} null if all of them parse
 */
async function syntaxFault(file, seen = new Set()) {
  if (seen.has(file) || seen.size >= MAX_FILES || !/\.[cm]?js$/.test(file)) return null
  seen.add(file)
  const text = textOf(file)
  if (text === null) return null
  const found = encodingFault(text) ?? (await parseFault(file, text))
  if (found !== null) return { file, ...positionAt(text, found.offset), message: found.message, help: found.help }
  for (const specifier of await importsOf(text)) {
    const below = await syntaxFault(path.resolve(path.dirname(file), specifier), seen)
    if (below !== null) return below
  }
  return null
}

/** @param {string} file */
function textOf(file) {
  try {
    // The text of a pipe would be waited for.
    return statSync(file).isFile() ? readFileSync(file, 'utf8') : null
  } catch {
    return null
  }
}

/** A file in UTF-16 has a NUL in every letter of English. @param {string} text */
function encodingFault(text) {
  const offset = text.search(/[\0\uFFFD]/)
  return offset < 0 ? null : { offset, message: 'it is not UTF-8', help: 'save the file as UTF-8' }
}

/** @param {string} file @param {string} text @returns {Promise<{ offset: number, message: string, help: string } | null>} */
async function parseFault(file, text) {
  const { transform } = await import('oxc-transform')
  /** @param {'js' | 'ts'} lang @param {'module' | 'commonjs'} sourceType */
  const errorOf = async (lang, sourceType) => (await transform(file, text, { lang, sourceType })).errors.at(0)
  const form = formOf(file)
  const error = await errorOf('js', form ?? 'module')
  if (error === undefined || (form === null && (await errorOf('js', 'commonjs')) === undefined)) return null
  return {
    offset: error.labels.at(0)?.start ?? 0,
    message: error.message.replace(/\.$/, ''),
    help: await helpFor(file, errorOf, form),
  }
}

/**
 * @param {string} file
 * @param {(lang: 'js' | 'ts', sourceType: 'module' | 'commonjs') => Promise<unknown>} errorOf
 * @param {'module' | 'commonjs' | null} form
 */
async function helpFor(file, errorOf, form) {
  const { name, ext } = path.parse(file)
  if (form === 'commonjs' && (await errorOf('js', 'module')) === undefined) {
    const reason = `a \`${ext}\` file is CommonJS here, with \`require\` and \`module.exports\``
    const other = ext === '.js' ? ', or write `"type": "module"` into package.json' : ''
    return `name it \`${name}.mjs\`${other}: ${reason}`
  }
  if ((await errorOf('ts', 'module')) === undefined) return `name it \`${name}.ts\`: JavaScript has no types`
  return 'correct the syntax'
}

/**
 * What Node takes a file for; null if Node looks at its syntax, because no package.json says it.
 * @param {string} file
 * @returns {'module' | 'commonjs' | null}
 */
function formOf(file) {
  if (!file.endsWith('.js')) return file.endsWith('.mjs') ? 'module' : 'commonjs'
  for (let folder = path.dirname(file); ; folder = path.dirname(folder)) {
    const manifest = textOf(path.join(folder, 'package.json'))
    const [, type] = /"type"\s*:\s*"(module|commonjs)"/.exec(manifest ?? '') ?? []
    if (manifest !== null) return /** @type {'module' | 'commonjs' | undefined} */ (type) ?? null
    if (folder === path.dirname(folder)) return null
  }
}

/**
 * What a handler is written as, against what Node takes it for: the compiler accepts both forms.
 * @param {string} file
 * @returns {Promise<{ offset: number, message: string, help: string } | null>}
 */
async function handlerFormFault(file) {
  const text = textOf(file) ?? ''
  const form = formOf(file)
  const fileName = path.basename(file)
  if (form === 'commonjs' && /^(?:import|export)\b/m.test(text)) {
    const fault = await parseFault(file, text)
    return fault?.help.startsWith('name it') ? { ...fault, message: `\`${fileName}\`: ${fault.message}` } : null
  }
  const offset = text.search(/^(?:module\.exports|exports\.\w+)\s*=/m)
  if (form !== 'module' || offset < 0 || /^(?:import|export)\b/m.test(text)) return null
  const message = `\`${fileName}\` is an ES module here, which has no \`module.exports\``
  return { offset, message, help: 'write `export async function execute({ args }) { … }`' }
}

/** The relative imports of a module that parses. @param {string} text @returns {Promise<string[]>} */
async function importsOf(text) {
  const { init, parse } = await import('es-module-lexer')
  await init
  const required = [...text.matchAll(RELATIVE_REQUIRE)].map(([, , specifier]) => specifier)
  try {
    const imported = parse(text)[0].map(({ specifier }) => specifier)
    return [...imported, ...required]
      .filter(one => one !== undefined && one !== null)
      .filter(one => /^\.{1,2}\//.test(one))
  } catch {
    return required
  }
}

/** @param {string} text @param {number} offset in UTF-16 code units */
function positionAt(text, offset) {
  const lines = text.slice(0, offset).split('\n')
  return { line: lines.length, column: (lines.at(-1) ?? '').length + 1 }
}

module.exports = { handlerFormFault, syntaxFault }
