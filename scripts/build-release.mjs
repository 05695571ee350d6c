// Builds the addon for release: `npm run build:release`.
//
// `napi build` lets cargo build the library in all its crate types, and if one of them is an rlib, as tests need it,
// cargo leaves link-time optimisation out without a word: two megabytes more. So cargo is asked for the addon alone.
// What else `napi build` makes (native.js, native.d.ts) does not depend on the profile; `npm run build` keeps it.
import { execFileSync, spawn } from 'node:child_process'
import { copyFileSync, existsSync, readdirSync, renameSync } from 'node:fs'
import { homedir } from 'node:os'
import { dirname, extname, join } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'

import { parseTriple, readNapiConfig } from '@napi-rs/cli'

const root = dirname(dirname(fileURLToPath(import.meta.url)))
const LIBRARIES = ['.so', '.dylib', '.dll']

const triple = /^host: (.+)$/m.exec(execFileSync('rustc', ['-vV'], { encoding: 'utf8' }))[1]
const built = await library()
const { binaryName } = await readNapiConfig(join(root, 'package.json'))
const addon = join(root, `${binaryName}.${parseTriple(triple).platformArchABI}.node`)
// In one step: a process that has the old one loaded keeps it.
copyFileSync(built, `${addon}.new`)
renameSync(`${addon}.new`, addon)
console.log(`built ${addon}`)

/** Builds the library. @returns {Promise<string>} its file */
async function library() {
  const cargo = spawn(
    'cargo',
    [
      'rustc',
      '--package',
      'toolgate',
      '--release',
      '--target',
      triple,
      '--lib',
      '--crate-type',
      'cdylib',
      '--message-format',
      'json-render-diagnostics',
    ],
    { cwd: root, env: { ...process.env, ...withoutPaths() }, stdio: ['ignore', 'pipe', 'inherit'] },
  )
  const ended = new Promise((resolve, reject) => cargo.on('error', reject).on('close', resolve))
  let file
  for await (const line of createInterface({ input: cargo.stdout })) file = libraryIn(JSON.parse(line)) ?? file
  const code = await ended
  if (code !== 0 || file === undefined) {
    console.error(`cargo made no addon (exit ${code})`)
    process.exit(1)
  }
  return file
}

/**
 * Lets rustc remove the local paths of crate sources, which hundreds of panic messages contain.
 *
 * @returns {Record<string, string>} variables for cargo
 */
function withoutPaths() {
  const registries = join(process.env.CARGO_HOME ?? join(homedir(), '.cargo'), 'registry', 'src')
  const folders = existsSync(registries) ? readdirSync(registries) : []
  const remapped = folders.map(folder => `--remap-path-prefix=${join(registries, folder)}=`)
  // Flags are taken from the first variable that is set.
  const given = process.env.CARGO_ENCODED_RUSTFLAGS?.split('\x1f') ?? process.env.RUSTFLAGS?.split(' ') ?? []
  return { CARGO_ENCODED_RUSTFLAGS: [...given, ...remapped].filter(Boolean).join('\x1f') }
}

/** The addon's library, if cargo's messages contain it. */
function libraryIn({ reason, target, filenames = [] }) {
  if (reason !== 'compiler-artifact' || target.name !== 'toolgate') return undefined
  return filenames.find(file => LIBRARIES.includes(extname(file)))
}
