// Prepares a clone to run: dependencies, the addon, generated modules, the tool set, the package for React, the web app. Each part is done only if it is out of
// date.
import { createHash } from 'node:crypto'
import { existsSync } from 'node:fs'
import { mkdir, readFile, readdir, rm, stat, writeFile } from 'node:fs/promises'
import path from 'node:path'

import { packedFiles } from './packed-files.mjs'
import { root, runNpm, runStep } from './run-step.mjs'

const web = path.join(root, 'web')

/** Installs, and builds the addon, the tool set and the package for React. */
export async function preparePackage() {
  await needCargo()
  await install(root)
  await prepareAddon()
  await preparePaths()
  await runNpm(['run', 'build:tools'])
  await runNpm(['run', 'build:react'])
}

/** What the addon is built from, beside the folders of its sources. */
const ADDON_SOURCES = [
  ...['Cargo.toml', 'Cargo.lock', 'build.rs', 'rust-toolchain.toml', '.cargo/config.toml', 'package.json'],
  ...['node_modules/@napi-rs/cli/package.json', 'schemas/tool-response.schema.json', 'bench/search/evaluation.rs'],
]

/**
 * Builds the addon. The second build of a clone would compile the core once more: the first one sets a variable that its build script
 * watches, because the declarations are missing, and no other build sets it.
 */
async function prepareAddon() {
  const stamp = path.join(root, '.toolgate', 'addon-built-from')
  const sources = [
    ...ADDON_SOURCES.map(file => path.join(root, file)),
    ...(await filesBelow(path.join(root, 'src'), [])),
    ...(await filesBelow(path.join(root, 'crates'), [])),
  ]
  const declarations = ['native.js', 'native.d.ts'].map(file => path.join(root, file))
  // What was built counts too: a release is copied to the same place.
  const made = async () => digest([...sources, ...declarations.filter(existsSync), ...(await addons())])
  if ((await addons()).length > 0 && (await isMarked(stamp, await made()))) return
  await runNpm(['run', 'build:native'])
  await mark(stamp, await made())
}

const addons = async () =>
  (await readdir(root)).filter(name => name.endsWith('.node')).map(name => path.join(root, name))

/** Writes what stands behind the paths that are plain JavaScript. */
export async function preparePaths() {
  const stamp = path.join(root, '.toolgate', 'paths-written-from')
  const sources = ['index.d.ts', 'native.d.ts', 'scripts/write-path-types.mjs', 'scripts/path-types.tsconfig.json']
  const folders = ['js', 'types', 'tools', 'voice-server']
  const left = ['node_modules', 'shipped-tools', 'paths', '_types', 'test', 'tool_registry.json']
  const below = await Promise.all(folders.map(folder => filesBelow(path.join(root, folder), left)))
  const made = await digest([...sources.map(file => path.join(root, file)), ...below.flat()])
  const isThere = ['js/shipped-tools', 'tools/_types', 'types/paths'].every(folder =>
    existsSync(path.join(root, folder)),
  )
  if (isThere && (await isMarked(stamp, made))) return
  await runNpm(['run', 'build:paths'])
  await mark(stamp, made)
}

/** Installs the web app with the current package, and builds it. */
export async function prepareWeb() {
  const stamp = path.join(web, '.next', 'built-from')
  const made = await digest([
    ...[root, path.join(root, 'tools'), path.join(root, 'react')].flatMap(folder =>
      packedFiles(folder).map(file => path.join(folder, file)),
    ),
    ...(await filesBelow(web, ['node_modules', '.next', 'test', 'tsconfig.tsbuildinfo', 'next-env.d.ts'])),
  ])
  if (await isMarked(stamp, made)) return
  // The app contains packed copies of the packages: npm treats an unchanged version number as an unchanged package.
  await rm(path.join(web, 'node_modules'), { recursive: true, force: true })
  await runNpm(['ci'], { cwd: web })
  await runNpm(['run', 'build'], { cwd: web })
  await mark(stamp, made)
}

/** Runs `npm ci` if the installed packages differ from the lock file. */
export async function install(folder, ...options) {
  const [lock, installed] = [
    path.join(folder, 'package-lock.json'),
    path.join(folder, 'node_modules', '.package-lock.json'),
  ]
  if (existsSync(installed) && (await stat(installed)).mtimeMs >= (await stat(lock)).mtimeMs) return
  await runNpm(['ci', ...options], { cwd: folder })
}

/** Fails early if the Rust toolchain is missing. */
export async function needCargo() {
  try {
    await runStep('cargo --version', ['cargo', '--version'])
  } catch (cause) {
    throw new Error('the Rust toolchain is missing; install it from https://rustup.rs and run this again', { cause })
  }
}

/** Whether a part was made from the same. @param {string} stamp @param {string} made */
const isMarked = async (stamp, made) => existsSync(stamp) && (await readFile(stamp, 'utf8')) === made

/** @param {string} stamp @param {string} made */
async function mark(stamp, made) {
  await mkdir(path.dirname(stamp), { recursive: true })
  await writeFile(stamp, made)
}

async function filesBelow(folder, without) {
  const entries = await readdir(folder, { withFileTypes: true })
  const found = await Promise.all(
    entries
      .filter(entry => !without.includes(entry.name))
      .map(entry => {
        const place = path.join(folder, entry.name)
        return entry.isDirectory() ? filesBelow(place, without) : [place]
      }),
  )
  return found.flat()
}

async function digest(files) {
  const hash = createHash('sha256')
  for (const file of files.sort()) {
    // The build timestamp and the commit are ignored: a rebuild changes them without other changes.
    const content = file.endsWith('tool_registry.json')
      ? withoutTimestamp(await readFile(file, 'utf8'))
      : await readFile(file)
    hash.update(path.relative(root, file)).update('\0').update(content).update('\0')
  }
  return hash.digest('hex')
}

const withoutTimestamp = text => text.replace(/"buildTimestamp": *"[^"]*"/, '').replace(/"gitCommit": *[^,]*/, '')
