// Writes what stands behind the paths that are plain JavaScript; none of it is committed.
//
// - `types/paths`: the declarations of `toolgate/tools/_core/…`, `_build` and `toolgate/voice-server/…`, from their JSDoc.
// - `tools/_types`: the declarations of `toolgate-tools/_services/…`.
// - `js/shipped-tools`: the modules `toolgate/tools/_services/…` and `toolgate/tools/<tool>/handler.js`, which hand on those of
//   `toolgate-tools`. A path of `exports` needs a file in its own package.
//
// The shipped tools are a package of their own, because their libraries are most of what would be installed with the gate.
// `toolgate` is its peer, so that an application has one copy of the gate. It is an optional peer of `toolgate`, so that package
// managers that isolate packages find it from there.
import { spawnSync } from 'node:child_process'
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import path from 'node:path'

import { root } from './run-step.mjs'

const FOLDERS = ['types/paths', 'tools/_types', 'js/shipped-tools']
const SERVICES = path.join('tools', '_services')
const HEAD = '// Generated from JSDoc by scripts/write-path-types.mjs.\n'
/** A class that is exported as a constant has no type of its name. */
const REEXPORTED = /export const (\w+): typeof transport\.\1;\nimport transport from ('[^']+');/
const tsc = path.join(path.dirname(createRequire(import.meta.url).resolve('typescript/package.json')), 'bin', 'tsc')

/** Writes `FOLDERS` into the place of the repository. @param {string} place */
function writeInto(place) {
  const [types, toolTypes, forwarding] = FOLDERS.map(folder => path.join(place, folder))
  writeDeclarations(types)
  mkdirSync(toolTypes, { recursive: true })
  renameSync(path.join(types, SERVICES), path.join(toolTypes, '_services'))
  const declared = filesIn(toolTypes)
  const handlers = readdirSync(path.join(root, 'tools'))
    .filter(name => existsSync(path.join(root, 'tools', name, 'handler.js')))
    .map(name => `${name}/handler.js`)
  const modules = declared
    .map(file => file.replace('.d.ts', '.js'))
    .filter(file => existsSync(path.join(root, 'tools', file)))
  for (const file of [...declared, ...modules, ...handlers]) {
    const source = `toolgate-tools/${file.replace('.d.ts', '.js')}`
    mkdirSync(path.dirname(path.join(forwarding, file)), { recursive: true })
    writeFileSync(
      path.join(forwarding, file),
      `// Written by scripts/write-path-types.mjs.\nexport * from '${source}'\n`,
    )
  }
  // These are ES modules in a CommonJS package.
  for (const folder of [types, forwarding]) writeFileSync(path.join(folder, 'package.json'), '{ "type": "module" }\n')
}

/** Writes all declarations into a folder. @param {string} folder */
function writeDeclarations(folder) {
  const project = path.join(root, 'scripts', 'path-types.tsconfig.json')
  const { status, stdout } = spawnSync(process.execPath, [tsc, '-p', project, '--outDir', folder], { encoding: 'utf8' })
  if (status !== 0) throw new Error(`tsc: ${stdout}`)
  // Written by hand.
  const types = path.join(SERVICES, 'service-types.d.ts')
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
}

/** Comments without their tags, which repeat the types. @param {string} text */
const withoutTags = text =>
  text.replaceAll(/^ *\/\*\*(?:(?!\*\/)[^])*?\*\/\n?/gm, comment => {
    const kept = comment.split(/\n?[ *]*@(?:param|returns|typedef|property|template|type)\b/)[0]
    return kept === comment ? comment : /\w/.test(kept) ? `${kept.trimEnd()}\n */\n` : ''
  })

/** @param {string} folder @returns {string[]} relative paths, sorted */
function filesIn(folder) {
  if (!existsSync(folder)) return []
  const names = readdirSync(folder, { recursive: true, encoding: 'utf8' })
  return names.filter(name => /\.(ts|js|json)$/.test(name)).sort()
}

for (const folder of FOLDERS) rmSync(path.join(root, folder), { recursive: true, force: true })
writeInto(root)
