// `npm run test:release`: builds the addons of Linux as a release does, for this machine and for 64-bit ARM, and runs the
// packed packages with them. Needs `cargo-zigbuild` on the PATH; the ARM one needs `rust-src` or the target's standard
// library, and to run `qemu-user`, `libc6-arm64-cross` and `libstdc++6-arm64-cross` of Debian.
import { execFileSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'

import { runNpm, runStep } from './run-step.mjs'

const TARGETS = ['x86_64-unknown-linux-gnu', 'aarch64-unknown-linux-gnu']

/** Flags for a target whose standard library rustup has not installed. @param {string} target */
function standardLibraryFlags(target) {
  const library = execFileSync('rustc', ['--print', 'target-libdir', '--target', target], { encoding: 'utf8' }).trim()
  return existsSync(library) ? [] : ['--build-std']
}

const folder = await mkdtemp(path.join(tmpdir(), 'toolgate-addons-'))
try {
  for (const target of TARGETS) {
    const flags = ['--target', target, '--output', folder, ...standardLibraryFlags(target)]
    await runStep(`build for ${target}`, ['node', 'scripts/build-release.mjs', ...flags, ...process.argv.slice(2)])
  }
  const addons = (await readdir(folder)).map(name => path.join(folder, name))
  await runStep('the oldest C library', ['node', 'scripts/glibc.mjs', ...addons])
  const env = { TOOLGATE_RELEASE_ADDONS: folder }
  await runNpm(['run', 'test:js', '--', '__test__/packed/platform-packages'], { env })
} finally {
  await rm(folder, { recursive: true, force: true })
}
