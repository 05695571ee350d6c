// Writes the declarations of the paths that are plain JavaScript (`toolgate/tools/_core/…`, `_build`, `_services`, and
// `toolgate/voice-server/…`) from their JSDoc. `--check` compares instead.
import { spawnSync } from 'node:child_process'
import { cpSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import path from 'node:path'

import { root } from './run-step.mjs'

const FOLDER = path.join(root, 'types', 'paths')
const HEAD = '// Generated from JSDoc by scripts/write-path-types.mjs.\n'
/** A class that is exported as a constant has no type of its name. */
const REEXPORTED = /export const (\w+): typeof transport\.\1;\nimport transport from ('[^']+');/
const tsc = path.join(path.dirname(createRequire(import.meta.url).resolve('typescript/package.json')), 'bin', 'tsc')

/** Writes all declarations into a folder. @param {string} folder */
function writeInto(folder) {
  const project = path.join(root, 'scripts', 'path-types.tsconfig.json')
  const { status, stdout } = spawnSync(process.execPath, [tsc, '-p', project, '--outDir', folder], { encoding: 'utf8' })
  if (status !== 0) throw new Error(`tsc: ${stdout}`)
  // Written by hand.
  const types = path.join('tools', '_services', 'service-types.d.ts')
  cpSync(path.join(root, types), path.join(folder, types))
  for (const file of filesIn(folder)) {
    const text = readFileSync(path.join(folder, file), 'utf8')
    // The package is named, because these files are elsewhere than their sources.
    const moved = text.replaceAll(/(["'])(?:\.\.\/)+index(?:\.js)?\1/g, "'toolgate'")
    const reexported = moved.replace(REEXPORTED, 'export { $1 } from $2;')
    writeFileSync(
      path.join(folder, file),
      HEAD + withoutTags(reexported).replaceAll('Uint8Array<ArrayBufferLike>', 'Uint8Array'),
    )
  }
  // The modules are ES modules in a CommonJS package.
  writeFileSync(path.join(folder, 'package.json'), '{ "type": "module" }\n')
}

/** Comments without their tags, which repeat the types. @param {string} text */
const withoutTags = text =>
  text.replaceAll(/^ *\/\*\*(?:(?!\*\/)[^])*?\*\/\n?/gm, comment => {
    const kept = comment.split(/\n?[ *]*@(?:param|returns|typedef|property|template|type)\b/)[0]
    return kept === comment ? comment : /\w/.test(kept) ? `${kept.trimEnd()}\n */\n` : ''
  })

/** @param {string} folder @returns {string[]} relative paths, sorted */
const filesIn = folder =>
  readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter(name => name.endsWith('.d.ts'))
    .sort()

/** The files that differ between two folders. @param {string} one @param {string} other */
function differences(one, other) {
  const names = new Set([...filesIn(one), ...filesIn(other)])
  const text = (/** @type {string} */ file) => (existsSync(file) ? readFileSync(file, 'utf8') : null)
  return [...names].filter(name => text(path.join(one, name)) !== text(path.join(other, name)))
}

if (process.argv.includes('--check')) {
  const made = mkdtempSync(path.join(tmpdir(), 'toolgate-path-types-'))
  writeInto(made)
  const differ = existsSync(FOLDER) ? differences(made, FOLDER) : ['types/paths']
  rmSync(made, { recursive: true })
  if (differ.length > 0) {
    console.error(`run \`node scripts/write-path-types.mjs\`: ${differ.join(', ')}`)
    process.exitCode = 1
  }
} else {
  rmSync(FOLDER, { recursive: true, force: true })
  writeInto(FOLDER)
}
