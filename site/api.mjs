// The reference of the API: one page per import path of package.json, from its declarations.
import { mkdirSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import path from 'node:path'

const DECLARATION = '.d.ts'
/** Paths that hand on the modules of older versions. */
const OLDER = /^\.\/(?:tools|voice-server)\//

/** @typedef {{ name: string, types: string }} ImportPath a path such as `toolgate/web`, and its declarations' file */

/**
 * The public import paths that have declarations. A pattern stands for each declaration of its folder.
 * @param {string} root of the repository
 * @returns {ImportPath[]}
 */
export function importPaths(root) {
  const { name, exports } = JSON.parse(readFileSync(path.join(root, 'package.json'), 'utf8'))
  return Object.entries(exports).flatMap(([key, target]) => {
    const called = name + key.slice(1)
    if (OLDER.test(key)) return []
    if (!key.endsWith('*')) return target.types ? [{ name: called, types: path.join(root, target.types) }] : []
    const folder = path.join(root, target.slice(0, -1))
    return readdirSync(folder)
      .filter(file => file.endsWith(DECLARATION))
      .map(file => ({
        name: called.slice(0, -1) + file.replace(DECLARATION, '.js'),
        types: path.join(folder, file),
      }))
  })
}

/** The comment on top of a file of declarations, without its marks. @param {string} text */
function introduction(text) {
  const [, comment] = /^\/\*\*([\s\S]*?)\*\//.exec(text) ?? []
  if (comment !== undefined) return comment.replaceAll(/^\s*\* ?/gm, '').trim()
  const [lines] = /^(?:\/\/.*\n)*/.exec(text) ?? ['']
  return lines.replaceAll(/^\/\/ ?/gm, '').trim()
}

/**
 * Writes a module for each import path, whose name is the title of its page.
 * @param {string} root @param {string} folder
 * @returns {string[]} the modules
 */
export function writeEntries(root, folder) {
  rmSync(folder, { recursive: true, force: true })
  const extended = path.relative(folder, path.join(root, 'tsconfig.json'))
  const entries = importPaths(root).map(({ name, types }) => {
    const file = path.join(folder, `${name}.ts`)
    const specifier = path.relative(path.dirname(file), types).replaceAll(path.sep, '/').replace(DECLARATION, '.js')
    const words = introduction(readFileSync(types, 'utf8')).replaceAll('*/', '')
    mkdirSync(path.dirname(file), { recursive: true })
    writeFileSync(file, `/**\n${words}\n@module\n*/\nexport * from '${specifier}'\n`)
    return file
  })
  const settings = { extends: extended, compilerOptions: { noEmit: true, allowJs: false }, include: ['.'] }
  writeFileSync(path.join(folder, 'tsconfig.json'), JSON.stringify(settings))
  return entries
}

/** The list of the pages. @param {string} root */
export function apiIndex(root) {
  const rows = importPaths(root).map(({ name, types }) => {
    const [sentence] = introduction(readFileSync(types, 'utf8')).split(/(?<=[.:;]) |\n\n/)
    return `| [\`${name}\`](./${name}) | ${sentence.replaceAll(/\s+/g, ' ').replace(/[:;]$/, '.')} |`
  })
  return `# API\n\nOne page per import path, from the declarations of the package.\n\n| import | |\n|---|---|\n${rows.join('\n')}\n`
}
