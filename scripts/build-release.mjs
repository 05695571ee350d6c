// Builds the addon for release: `npm run build:release [-- --target <triple> --profile <of cargo> --build-std --output <folder>]`.
//
// Without a target, the addon of this machine by its own linker. For a target of Linux, `cargo-zigbuild` links against the
// oldest supported C library, whatever the machine has; it is on the PATH (`pip install cargo-zigbuild ziglang`). With
// `--build-std`, Rust's standard library is built too, from the component `rust-src`: for a target that rustup can't add.
//
// What else `napi build` makes (native.js, native.d.ts) does not depend on the profile; `npm run build` keeps it.
import { execFileSync, spawn } from 'node:child_process'
import { copyFileSync, existsSync, readdirSync, renameSync } from 'node:fs'
import { homedir } from 'node:os'
import { dirname, extname, join } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'

import { parseTriple, readNapiConfig } from '@napi-rs/cli'

import { GLIBC_FLOOR } from './glibc.mjs'

const root = dirname(dirname(fileURLToPath(import.meta.url)))
const LIBRARIES = ['.so', '.dylib', '.dll']

const { values: options } = parseArgs({
  options: {
    target: { type: 'string' },
    profile: { type: 'string', default: 'release' },
    output: { type: 'string', default: root },
    'build-std': { type: 'boolean', default: false },
  },
})
const triple = options.target ?? hostTriple()
const built = await library()
const { binaryName } = await readNapiConfig(join(root, 'package.json'))
const addon = join(options.output, `${binaryName}.${parseTriple(triple).platformArchABI}.node`)
// In one step: a process that has the old one loaded keeps it.
copyFileSync(built, `${addon}.new`)
renameSync(`${addon}.new`, addon)
console.log(`built ${addon}`)

function hostTriple() {
  return /^host: (.+)$/m.exec(execFileSync('rustc', ['-vV'], { encoding: 'utf8' }))[1]
}

/** Builds the library. @returns {Promise<string>} its file */
async function library() {
  const [program, target] = linkerFor(options.target)
  const standard = options['build-std'] ? ['-Z', 'build-std=std,panic_unwind'] : []
  const flags = [...standard, '--profile', options.profile, '--target', target, '--lib']
  const cargo = spawn(
    program,
    ['build', '--package', 'toolgate-addon', ...flags, '--message-format', 'json-render-diagnostics'],
    { cwd: root, env: { ...process.env, ...compilerFlags() }, stdio: ['ignore', 'pipe', 'inherit'] },
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

/** The program that builds and links, and its name of the target. @param {string | undefined} target @returns {[string, string]} */
function linkerFor(target) {
  if (target?.endsWith('-linux-gnu')) return ['cargo-zigbuild', `${target}.${GLIBC_FLOOR}`]
  if (target?.endsWith('-linux-musl')) return ['cargo-zigbuild', target]
  return ['cargo', triple]
}

/**
 * Lets rustc remove the local paths of crate sources, which hundreds of panic messages contain.
 *
 * @returns {Record<string, string>} variables for cargo
 */
function compilerFlags() {
  const registries = join(process.env.CARGO_HOME ?? join(homedir(), '.cargo'), 'registry', 'src')
  const folders = existsSync(registries) ? readdirSync(registries) : []
  const remapped = folders.map(folder => `--remap-path-prefix=${join(registries, folder)}=`)
  // A library that Node loads shares the C library of its process.
  if (triple.endsWith('-linux-musl')) remapped.push('-Ctarget-feature=-crt-static')
  // Flags are taken from the first variable that is set.
  const given = process.env.CARGO_ENCODED_RUSTFLAGS?.split('\x1f') ?? process.env.RUSTFLAGS?.split(' ') ?? []
  // The flag of cargo is unstable, and the toolchain is not.
  const unstable = options['build-std'] ? { RUSTC_BOOTSTRAP: '1' } : {}
  return { CARGO_ENCODED_RUSTFLAGS: [...given, ...remapped].filter(Boolean).join('\x1f'), ...unstable }
}

/** The addon's library, if cargo's messages contain it. */
function libraryIn({ reason, target, filenames = [] }) {
  if (reason !== 'compiler-artifact' || target.name !== 'toolgate_addon') return undefined
  return filenames.find(file => LIBRARIES.includes(extname(file)))
}
